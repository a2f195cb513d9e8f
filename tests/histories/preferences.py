"""Clients that change notification preferences and read their ledger (rules: registry 4.7)."""

import random
from collections.abc import Sequence
from typing import Any

import httpx

from balcao.core.values.cpf import Cpf
from tests.histories.recorder import Ask, Told, make_mark

ACTOR = "marina"
CATEGORIES = ("health", "courses", "mei_opportunities")
ENTRIES = 100


class PreferencesOfCitizens:
    """Staff who change the preferences of citizens whom the platform does not know otherwise."""

    name = "preferences"

    def __init__(self, citizens: range) -> None:
        self.keys = [Cpf.with_stem(f"95{number:07}").digits for number in citizens]

    def reads(self, key: str) -> Sequence[Ask]:
        path = _path(key)
        ledger = f"{path}/history?per_page={ENTRIES}"
        return (
            Ask(key, ACTOR, "GET", path, {"do": "read"}, _shown),
            Ask(key, ACTOR, "GET", ledger, {"do": "ledger", "limit": ENTRIES}, _listed),
        )

    def choose(self, key: str, chance: random.Random) -> Ask:
        kind = chance.random()
        if kind < 0.5:
            return self.reads(key)[kind < 0.15]
        reason = make_mark(self.name)
        category = chance.choice(CATEGORIES)
        change: dict[str, Any] = {"choices": {category: chance.random() < 0.5}}
        asked = {"do": "change", "reason": reason} | change
        if kind < 0.75:
            body = {"opt_in": change["choices"][category], "channel": "web", "reason": reason}
            return Ask(key, ACTOR, "PATCH", f"{_path(key)}/categories/{category}", asked, _shown, body)
        asked["opt_in"] = chance.random() < 0.5
        body = {"opt_in": asked["opt_in"], "category_opt_ins": change["choices"], "channel": "web", "reason": reason}
        return Ask(key, ACTOR, "PUT", _path(key), asked, _shown, body)


def _path(cpf: str) -> str:
    return f"/registry/v1/citizen/{cpf}/notification-preferences"


def _shown(answer: httpx.Response) -> Told:
    shown = answer.raise_for_status().json()
    return {"opt_in": shown["opt_in"], "choices": shown["category_opt_ins"]}


def _listed(answer: httpx.Response) -> Told:
    entries = [
        {"category": entry["category"] or "", "value": entry["new_value"], "reason": entry["reason"]}
        for entry in answer.raise_for_status().json()["data"]
    ]
    return {"entries": entries}
