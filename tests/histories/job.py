"""Clients that freeze, close and reopen jobs while people apply (rules: employability 4.1, 4.3, 5.1)."""

import random
from collections.abc import Sequence
from typing import Any

import httpx

from balcao.core.values.cpf import Cpf
from tests.histories.recorder import Ask, Call, Told

ACTOR = "marina"
PATH = "/jobs/api/v1/empregabilidade"
PATTERN = f"{PATH}/vagas/32fc2a4d-47b3-5fa3-bdb7-604f61707bdb"  # a demo job without questions
EVENTS = ("freeze", "unfreeze", "discontinue", "reactivate")
DECISIONS = ("aprovada", "reprovada", "candidatura_enviada")
PEOPLE = 10
JOBS = 6


class ApplicationsToJobs:
    """Staff who submit applications for people, decide on applications, and change the states of jobs."""

    name = "job"

    def __init__(self, jobs: range) -> None:
        self.keys = [f"vaga {number}" for number in jobs[:JOBS]]
        self._people = [Cpf.with_stem(f"92{jobs.start % 1000:03}{number:04}").digits for number in range(PEOPLE)]
        self._ids: dict[str, str] = {}

    async def prepare(self, call: Call) -> None:
        body = (await call(ACTOR, "GET", PATTERN)).json()
        for key in self.keys:
            made = await call(ACTOR, "POST", f"{PATH}/vagas?acao=publicar", body | {"titulo": key})
            self._ids[key] = made.json()["id"]

    def reads(self, key: str) -> Sequence[Ask]:
        listed = f"{PATH}/candidaturas?vagaId={self._ids[key]}&pageSize=100"
        return (
            Ask(key, ACTOR, "GET", f"{PATH}/vagas/{self._ids[key]}", {"do": "read"}, _shown),
            Ask(key, ACTOR, "GET", listed, {"do": "list"}, _listed),
        )

    def choose(self, key: str, chance: random.Random) -> Ask:
        kind, person, job = chance.random(), chance.choice(self._people), self._ids[key]
        if kind < 0.4:
            return self.reads(key)[kind < 0.3]
        if kind < 0.6:
            asked: dict[str, str] = {"do": "apply", "person": person}
            body: dict[str, Any] = {"id_vaga": job, "cpf": person, "nome": "Pessoa"}
            return Ask(key, ACTOR, "POST", f"{PATH}/candidaturas", asked, _answered, body)
        if kind < 0.8:
            status = chance.choice(DECISIONS)
            asked = {"do": "decide", "person": person, "status": status}
            body = {"vaga_id": job, "cpfs": [person], "status": status}
            return Ask(key, ACTOR, "PUT", f"{PATH}/candidaturas/bulk-status", asked, _decided, body, (0, 1))
        event = chance.choice(EVENTS)
        return Ask(key, ACTOR, "PUT", f"{PATH}/vagas/{job}/{event}", {"do": event}, _answered)


def _shown(answer: httpx.Response) -> Told:
    return {"status": 200, "job": answer.raise_for_status().json()["status"]}


def _listed(answer: httpx.Response) -> Told:
    applications = answer.raise_for_status().json()["data"]
    return {
        "status": 200,
        "applications": {one["cpf"]: one["status"] for one in applications},
        "count": len(applications),
    }


def _answered(answer: httpx.Response) -> Told:
    return {"status": answer.status_code}


def _decided(answer: httpx.Response) -> Told:
    decided = answer.raise_for_status().json()
    return {"status": 200, "updated": decided["updated"], "code": "".join(one["code"] for one in decided["failures"])}
