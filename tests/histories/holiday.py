"""Clients that rename holidays, and visitors who read them from a replica (rules: health_units 4.2).

A replica may serve data that is the same for all callers, some seconds late. Callers who may change the data read from
the primary.
"""

import random
from collections.abc import Sequence
from datetime import date, timedelta

import httpx

from tests.histories.recorder import Ask, Told, make_mark

ACTOR = "silvia"
VISITORS = ("elisa", "fabio", "iara", "katia")
FIRST = date(2028, 1, 1)  # the seed contains no holidays of this year
DAYS = 4


class NamesOfHolidays:
    """Staff who rename a holiday repeatedly, and citizens who read it."""

    name = "holiday"

    def __init__(self, days: range) -> None:
        self.keys = [(FIRST + timedelta(number)).isoformat() for number in days[:DAYS]]

    def reads(self, key: str) -> Sequence[Ask]:
        return [self._look(key, ACTOR)]

    def choose(self, key: str, chance: random.Random) -> Ask:
        kind = chance.random()
        if kind < 0.5:
            return self._look(key, chance.choice(VISITORS))
        if kind < 0.7:
            return self._look(key, ACTOR)
        mark = make_mark(self.name)
        body = {"nome": mark, "ambito": "municipal", "facultativo": False, "fecha": True}
        return Ask(key, ACTOR, "PUT", _path(key), {"do": "name", "name": mark}, _answered, body)

    def _look(self, key: str, actor: str) -> Ask:
        return Ask(key, actor, "GET", _path(key), {"do": "look", "may_lag": actor != ACTOR}, _shown)


def _path(day: str) -> str:
    return f"/health-units/feriados/{day}"


def _answered(answer: httpx.Response) -> Told:
    answer.raise_for_status()
    return {}


def _shown(answer: httpx.Response) -> Told:
    return {"name": "" if answer.status_code == 404 else answer.raise_for_status().json()["nome"]}
