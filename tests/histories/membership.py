"""Clients that create and delete groups, and change their members (rules: access 2.3)."""

import random
from collections.abc import Sequence

import httpx

from balcao.core.values.cpf import Cpf
from tests.histories.recorder import Ask, Told

ACTOR = "marina"
GROUPS = "/access/api/v1/groups"
SUBJECTS = [Cpf.with_stem(f"93{number:07}").digits for number in range(4)]


class MembersOfGroups:
    """Staff who manage groups. The groups have no roles, so their members gain no rights."""

    name = "membership"

    def __init__(self, groups: range) -> None:
        self.keys = [f"historias:{number}" for number in groups]

    def reads(self, key: str) -> Sequence[Ask]:
        return [Ask(key, ACTOR, "GET", f"{_path(key)}/members?limit=100", {"do": "read"}, _listed)]

    def choose(self, key: str, chance: random.Random) -> Ask:
        subject = chance.choice(SUBJECTS)
        group = {"name": key, "description": "Grupo de uma história"}
        kind = chance.random()
        if kind < 0.4:
            return self.reads(key)[0]
        if kind < 0.55:
            return Ask(key, ACTOR, "POST", f"{GROUPS}/", {"do": "create"}, _answered, group)
        if kind < 0.6:
            return Ask(key, ACTOR, "DELETE", _path(key), {"do": "delete"}, _answered)
        if kind < 0.8:
            asked = {"do": "add", "subject": subject}
            return Ask(key, ACTOR, "POST", f"{_path(key)}/members", asked, _answered, {"subject": subject}, (0, 1))
        asked = {"do": "remove", "subject": subject}
        return Ask(key, ACTOR, "DELETE", f"{_path(key)}/members/{subject}", asked, _answered, events=(0, 1))


def _path(group: str) -> str:
    return f"{GROUPS}/{group}"


def _answered(answer: httpx.Response) -> Told:
    return {"status": answer.status_code}


def _listed(answer: httpx.Response) -> Told:
    if answer.status_code == 404:
        return {"status": 404}
    members = answer.raise_for_status().json()
    return {"status": answer.status_code, "members": sorted(member["subject"] for member in members)}
