"""Clients that rename services and follow current and former addresses (rules: search 4.1, 4.3)."""

import random
from collections.abc import Sequence
from itertools import count
from typing import Any

import httpx

from tests.histories.recorder import Ask, Call, Told

ACTOR = "marina"
PATH = "/search/api/v1"
NAMES = ("Poda", "Corte", "Plantio", "Adubo")
SERVICES = 6
SERVICE = {
    "orgao_gestor": ["Secretaria de Conservação"],
    "tema_geral": "Cidade",
    "publico_especifico": ["Público em geral"],
    "status": 1,
}


class AddressesOfServices:
    """Editors who rename services.

    In half of the calls, they require that the version they saw last is still current.
    """

    name = "service"

    def __init__(self, services: range) -> None:
        self.keys = [f"serviço {number}" for number in services[:SERVICES]]
        self._ids: dict[str, str] = {}
        self._seen: dict[str, int] = {}
        self._numbers = count(1)

    async def prepare(self, call: Call) -> None:
        for key in self.keys:
            made = await call(ACTOR, "POST", f"{PATH}/admin/services", self._body(NAMES[0]))
            self._ids[key], self._seen[key] = made.json()["id"], 1

    def reads(self, key: str) -> Sequence[Ask]:
        path = f"{PATH}/admin/services/{self._ids[key]}"
        return [Ask(key, ACTOR, "GET", path, {"do": "read"}, lambda answer: self._shown(key, answer))]

    def choose(self, key: str, chance: random.Random) -> Ask:
        kind, name = chance.random(), chance.choice(NAMES)
        if kind < 0.25:
            return self.reads(key)[0]
        if kind < 0.6:
            asked: dict[str, Any] = {"do": "follow", "name": name}
            return Ask(key, ACTOR, "GET", f"{PATH}/services/{self._slug(key, name)}", asked, _followed)
        expected = self._seen[key] if chance.random() < 0.5 else 0
        return Ask(
            key,
            ACTOR,
            "PUT",
            f"{PATH}/admin/services/{self._ids[key]}",
            {"do": "rename", "name": name, "expected": expected},
            lambda answer: self._shown(key, answer),
            self._body(name),
            headers={"If-Match": f'"v{expected}"'} if expected else {},
        )

    def _body(self, name: str) -> dict[str, Any]:
        return SERVICE | {"nome_servico": name, "resumo": f"Texto {next(self._numbers)}"}

    def _slug(self, key: str, name: str) -> str:
        return f"{name.lower()}-{self._ids[key][:8]}"

    def _shown(self, key: str, answer: httpx.Response) -> Told:
        if not answer.is_success:
            return {"status": answer.status_code}
        shown = answer.json()
        self._seen[key] = shown["version"]
        return {"status": 200, "version": shown["version"], "name": _name_of(shown["slug"])}


def _followed(answer: httpx.Response) -> Told:
    """Return the name of the service at the followed address. A former address redirects to the current one."""
    if answer.status_code == 301:
        return {"status": 301, "name": _name_of(answer.headers["location"])}
    return {"status": answer.status_code, "name": _name_of(answer.json()["slug"]) if answer.is_success else ""}


def _name_of(slug: str) -> str:
    return slug.partition("-")[0].capitalize()
