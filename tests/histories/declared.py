"""Clients that declare a field. The platform pushes it to the CRM, which echoes it (rules: registry 2.1, 4.2)."""

import random
from collections.abc import Sequence

import httpx

from balcao.core.values.cpf import Cpf
from tests.histories.recorder import Ask, Told, make_mark

ACTOR = "marina"


class DeclaredFields:
    """Staff who declare the gender of citizens. Each value is new to the CRM."""

    name = "declared"

    def __init__(self, citizens: range) -> None:
        self.keys = [Cpf.with_stem(f"94{number:07}").digits for number in citizens]

    def reads(self, key: str) -> Sequence[Ask]:
        return [Ask(key, ACTOR, "GET", f"/registry/v1/citizen/{key}", {"do": "read"}, _shown)]

    def choose(self, key: str, chance: random.Random) -> Ask:
        if chance.random() < 0.5:
            return self.reads(key)[0]
        value = make_mark(self.name)
        asked = {"do": "declare", "value": value}
        return Ask(key, ACTOR, "PUT", f"/registry/v1/citizen/{key}/gender", asked, _done, {"valor": value})


def _shown(answer: httpx.Response) -> Told:
    """Return the displayed value. For a citizen who has not declared a value, the platform returns 404."""
    return {"value": "" if answer.status_code == 404 else answer.raise_for_status().json()["genero"] or ""}


def _done(answer: httpx.Response) -> Told:
    answer.raise_for_status()
    return {}
