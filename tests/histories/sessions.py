"""Clients that open and use sessions. The identity provider reports when a session ends (docs/explain/trust.md)."""

import random
import time
from collections.abc import Sequence

import httpx

from tests.histories.recorder import Ask, Told
from tests.histories.rights import LIMIT_SECONDS

PEOPLE = ("ana", "bruno", "elisa", "fabio")
OPENED = "/agent/api/v1/auth"  # any valid token may call this path
ENDED = "/auth/backchannel-logout"
# A 401 is an expected outcome after a session has ended, so it is recorded and no client logs in again.
REFUSED = (408, 429)


class SessionsOfPeople:
    """People who use their newest session, which ends soon, and who still try the previous one."""

    name = "session"

    def __init__(self, _: range, turn: float = LIMIT_SECONDS) -> None:
        self.keys = [f"{person} 1" for person in PEOPLE]
        self.ended = 0
        self._turn = turn
        self._ends = dict.fromkeys(self.keys, 0.0)

    def reads(self, key: str) -> Sequence[Ask]:
        return [Ask(key, key, "GET", OPENED, {"do": "use"}, _answered, refusals=REFUSED)]

    def choose(self, key: str, chance: random.Random) -> Ask:
        now = time.monotonic()
        ends = self._ends.get(key)
        if ends == 0.0:
            self._ends[key] = now + self._turn * chance.uniform(1, 2)
        if not ends or now < ends:
            return self.reads(key)[0]
        del self._ends[key]
        self._open_next(key)
        told = {"do": "end"}
        return Ask(key, key, "POST", ENDED, told, _answered, events=(0,), refusals=REFUSED, ends_session=True)

    def _open_next(self, key: str) -> None:
        """Open the person's next session.

        From then on, clients try the next session and the one that has just ended.
        """
        person, _, number = key.partition(" ")
        self.ended += 1
        following = f"{person} {int(number) + 1}"
        self.keys = [one for one in self.keys if not one.startswith(f"{person} ") or one == key] + [following]
        self._ends[following] = 0.0


def _answered(answer: httpx.Response) -> Told:
    return {"status": answer.status_code}
