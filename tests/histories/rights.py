"""Clients that gain and lose a right and use it in between (rules: access 4.5)."""

import random
import time
from collections.abc import Sequence

import httpx

from balcao_sandbox.identity.demo import people_by_login
from tests.histories.recorder import Ask, Told

ACTOR = "marina"
PEOPLE = ("ana", "bruno", "carla", "davi")
MEMBERS = "/access/api/v1/groups/busca_editores/members"
OPENED = "/search/api/v1/admin/tombamentos?per_page=1"  # its response contains no data of other clients
# While the database is available, every process applies a commit within this time.
LIMIT_SECONDS = 5.0


class RightsOfPeople:
    """People who repeatedly make a call that only members of a group may make.

    Staff add them to the group and remove them. A person stays in the group, or outside it, for a minimum time.
    """

    name = "rights"

    def __init__(self, _: range, inside: float = 2 * LIMIT_SECONDS, outside: float = 2 * LIMIT_SECONDS) -> None:
        self.keys = list(PEOPLE)
        self.turns = 0
        self._seconds = {True: inside, False: outside}
        self._next = dict.fromkeys(PEOPLE, 0.0)
        self._is_granted = dict.fromkeys(PEOPLE, False)

    def reads(self, key: str) -> Sequence[Ask]:
        return [Ask(key, key, "GET", OPENED, {"do": "use"}, _answered)]

    def choose(self, key: str, chance: random.Random) -> Ask:
        now = time.monotonic()
        if now < self._next[key]:
            return self.reads(key)[0]
        self.turns += 1
        self._is_granted[key] = not self._is_granted[key]
        self._next[key] = now + self._seconds[self._is_granted[key]] * chance.uniform(1, 1.5)
        subject = people_by_login()[key].cpf
        if self._is_granted[key]:
            return Ask(key, ACTOR, "POST", MEMBERS, {"do": "grant"}, _answered, {"subject": subject}, (0, 1))
        return Ask(key, ACTOR, "DELETE", f"{MEMBERS}/{subject}", {"do": "revoke"}, _answered, events=(0, 1))


def _answered(answer: httpx.Response) -> Told:
    return {"status": answer.status_code}
