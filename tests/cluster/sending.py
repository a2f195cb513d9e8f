"""Senders that keep making calls during a partial outage, and record the responses."""

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import httpx

from tests.support.issuer import bearer
from tests.support.polling import PATIENCE

# A function that returns the method, path and body of a call about a person.
Build: TypeAlias = Callable[[str], tuple[str, str, dict[str, Any]]]
APPLIED = "SELECT cpf FROM registry.crm_event WHERE applied_at IS NOT NULL GROUP BY cpf HAVING count(*) = 1"
WRITTEN = "SELECT cpf FROM registry.register WHERE field = 'genero' AND origin = 'staff'"
WAITING = "SELECT count(*) FROM registry.crm_event WHERE applied_at IS NULL"
# Each event leaves one audit event when it is applied.
APPLICATIONS = "SELECT count(*) FROM platform.audit_event WHERE operation = 'registry.apply_crm_event'"


def send_event(cpf: str) -> tuple[str, str, dict[str, Any]]:
    data = {"genero": "Mulher cisgênero"}
    return "POST", "/registry/v1/webhooks/crm/cidadao", {"cpf": cpf, "updatedAt": "2026-07-01T10:00:00Z", "dados": data}


def write(cpf: str) -> tuple[str, str, dict[str, Any]]:
    return "PUT", f"/registry/v1/citizen/{cpf}/gender", {"valor": "Mulher cisgênero"}


class Sender:
    """A sender that makes calls one after the other until the test stops it. Each call is about a different person."""

    def __init__(self, token: str, build: Build) -> None:
        self.acknowledged: list[str] = []
        self.instants: list[float] = []
        self.refused: Counter[str] = Counter()
        self.headers = bearer(token)
        self._build = build

    async def run(self, http: httpx.AsyncClient, persons: Iterator[str], ending: asyncio.Event) -> None:
        while not ending.is_set():
            cpf = next(persons)
            method, path, body = self._build(cpf)
            answer = await http.request(method, path, json=body, headers=self.headers)
            if answer.is_success:
                self.acknowledged.append(cpf)
                self.instants.append(time.monotonic())
            else:
                self.refused[f"{answer.status_code} {answer.headers.get('Error-Code')}"] += 1
                await asyncio.sleep(0.02)  # wait like a caller who was asked to retry later

    async def until_acknowledged(self, more: int) -> None:
        """Wait until this many further calls were acknowledged."""
        wanted = len(self.acknowledged) + more
        await until_true(lambda: len(self.acknowledged) >= wanted)

    async def until_refused(self, more: int) -> None:
        """Wait until this many further calls were refused."""
        wanted = self.refused.total() + more
        await until_true(lambda: self.refused.total() >= wanted)

    @property
    def seconds_away(self) -> float:
        """Return the longest interval without an acknowledgement."""
        return max(later - earlier for earlier, later in itertools.pairwise(self.instants))

    def count_seconds_from(self, instant: float) -> float:
        """Return the seconds from an instant to the first acknowledgement after it."""
        return next(each for each in self.instants if each >= instant) - instant

    def describe(self) -> str:
        return f"{len(self.acknowledged)} acknowledged, {self.seconds_away:.2f} s away, {dict(self.refused)}"


async def until_true(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.01)
