"""Clients that open and use sessions, whose end the identity provider reports (docs/explain/trust.md)."""

import random
import time
from collections.abc import Sequence

import httpx

from tests.histories.recorder import Ask, Told
from tests.histories.rights import LIMIT_SECONDS

PEOPLE = ("ana", "bruno", "elisa", "fabio")
OPENED = "/agent/api/v1/auth"  # any valid token opens this path
ENDED = "/auth/backchannel-logout"
# A 401 is an expected outcome of an ended session, so it is recorded and no client logs in again.
REFUSED = (408, 429)


class SessionsOfPeople:
    """People who use their newest session, which soon ends, and keep trying the previous one."""

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
        """Start the person's next session. Clients then try this session and the session that just ended."""
        person, _, number = key.partition(" ")
        self.ended += 1
        following = f"{person} {int(number) + 1}"
        self.keys = [one for one in self.keys if not one.startswith(f"{person} ") or one == key] + [following]
        self._ends[following] = 0.0


def _answered(answer: httpx.Response) -> Told:
    return {"status": answer.status_code}
