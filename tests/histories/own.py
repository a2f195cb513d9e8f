"""Clients that declare their own data and try to change other people's (rules: registry 1.1, 2.3)."""

import random
from collections.abc import Sequence

import httpx

from balcao_sandbox.identity.demo import people_by_login
from tests.histories.recorder import Ask, Told, make_mark

CITIZENS = ("ana", "bruno", "elisa", "fabio", "iara", "katia")  # at most one CRM account per citizen


class OwnData:
    """Citizens who change and read their display name, and who try to change and read those of other citizens."""

    name = "own"

    def __init__(self, _: range) -> None:
        self.keys = list(CITIZENS)

    def reads(self, key: str) -> Sequence[Ask]:
        return [self._read(key, key)]

    def choose(self, key: str, chance: random.Random) -> Ask:
        actor = key if chance.random() < 0.7 else chance.choice([other for other in self.keys if other != key])
        if chance.random() < 0.5:
            return self._read(key, actor)
        value = make_mark(self.name)
        asked = {"do": "declare", "value": value, "own": actor == key}
        return Ask(key, actor, "PUT", f"{_path(key)}/exhibition-name", asked, _answered, {"valor": value})

    def _read(self, key: str, actor: str) -> Ask:
        return Ask(key, actor, "GET", _path(key), {"do": "read", "own": actor == key}, _shown)


def _path(login: str) -> str:
    return f"/registry/v1/citizen/{people_by_login()[login].cpf}"


def _answered(answer: httpx.Response) -> Told:
    return {"status": answer.status_code}


def _shown(answer: httpx.Response) -> Told:
    if answer.status_code == 403:
        return {"status": 403}
    return {"status": 200, "value": answer.raise_for_status().json()["nome_exibicao"] or ""}
