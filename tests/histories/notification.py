"""Clients that open, change and close notifications. A unit has at most one open (rules: health_units 4.1)."""

import random
from collections.abc import Sequence
from typing import Any

import httpx

from tests.histories.recorder import Ask, Told

ACTOR = "silvia"
UNITS = 22  # number of units in the demo data
LEVELS = ("Verde", "Amarelo", "Laranja", "Vermelho")


class NotificationsOfUnits:
    """Staff who change notifications. `_ids` contains the last notification seen for each unit, which may be closed."""

    name = "notification"

    def __init__(self, units: range) -> None:
        self.keys = sorted({f"99{number % UNITS + 1:05}" for number in units})
        self._ids: dict[str, str] = {}

    def reads(self, key: str) -> Sequence[Ask]:
        return [
            Ask(key, ACTOR, "GET", f"{_path(key)}?limit=1", {"do": "read"}, lambda answer: self._newest(key, answer))
        ]

    def choose(self, key: str, chance: random.Random) -> Ask:
        kind, level = chance.random(), chance.choice(LEVELS)
        if kind < 0.4:
            return self.reads(key)[0]
        if kind < 0.6 or key not in self._ids:
            asked: dict[str, Any] = {"do": "open", "level": level}
            return Ask(
                key, ACTOR, "POST", _path(key), asked, lambda answer: self._opened(key, answer), {"risco": level}
            )
        path, asked = f"{_path(key)}/{self._ids[key]}", {"id": self._ids[key]}
        if kind < 0.8:
            return Ask(key, ACTOR, "PATCH", path, asked | {"do": "change", "level": level}, _answered, {"risco": level})
        return Ask(key, ACTOR, "POST", f"{path}/encerramento", asked | {"do": "close"}, _answered, {})

    def _opened(self, key: str, answer: httpx.Response) -> Told:
        if answer.status_code != 201:
            return _answered(answer)
        self._ids[key] = answer.json()["id"]
        return {"status": 201, "id": self._ids[key]}

    def _newest(self, key: str, answer: httpx.Response) -> Told:
        found = answer.raise_for_status().json()["itens"]
        if not found:
            return {"status": 200}
        self._ids[key] = found[0]["id"]
        is_open = found[0]["status"] == "Ativo"
        return {"status": 200, "id": found[0]["id"], "level": found[0]["risco"], "is_open": is_open}


def _path(unit: str) -> str:
    return f"/health-units/unidade/{unit}/notificacoes"


def _answered(answer: httpx.Response) -> Told:
    return {"status": answer.status_code}
