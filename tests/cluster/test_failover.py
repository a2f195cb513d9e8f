"""Two PostgreSQL servers, the second a synchronous replica: the first is killed under load and the second promoted.

Nothing that was acknowledged is lost, and the platform, which is told nothing, finds the other server by itself.
"""

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import httpx
import pytest

from balcao.core.values.cpf import Cpf
from balcao.identity.demo import clients, people
from balcao.settings import Settings
from tests.cluster.servers import cluster, folders
from tests.support.issuer import bearer
from tests.support.login import client_token, log_in
from tests.support.patience import PATIENCE, until_now
from tests.support.postgres import Postgres
from tests.support.terminal import Serving, Terminal, free_port

pytestmark = pytest.mark.cluster

SENDERS = 8  # of events, and as many of own writes
CALLS = 400  # acknowledged of each kind, before the kill and after it
APPLIED = "SELECT cpf FROM registry.crm_event WHERE applied_at IS NOT NULL GROUP BY cpf HAVING count(*) = 1"
WRITTEN = "SELECT cpf FROM registry.register WHERE field = 'genero' AND origin = 'staff'"
WAITING = "SELECT count(*) FROM registry.crm_event WHERE applied_at IS NULL"


# Method, path and body of one call about a person.
Build: TypeAlias = Callable[[str], tuple[str, str, dict[str, Any]]]


def send_event(cpf: str) -> tuple[str, str, dict[str, Any]]:
    data = {"genero": "Mulher cisgênero"}
    return "POST", "/registry/v1/webhooks/crm/cidadao", {"cpf": cpf, "updatedAt": "2026-07-01T10:00:00Z", "dados": data}


def write(cpf: str) -> tuple[str, str, dict[str, Any]]:
    return "PUT", f"/registry/v1/citizen/{cpf}/gender", {"valor": "Mulher cisgênero"}


class Sender:
    """Sends one call after the other until it is told to end, each about a person of its own."""

    def __init__(self, token: str, build: Build) -> None:
        self.acknowledged: list[str] = []
        self.instants: list[float] = []
        self.refused: Counter[str] = Counter()
        self._headers = bearer(token)
        self._build = build

    async def run(self, http: httpx.AsyncClient, stems: Iterator[int], ending: asyncio.Event) -> None:
        while not ending.is_set():
            cpf = Cpf.with_stem(str(next(stems))).digits
            method, path, body = self._build(cpf)
            answer = await http.request(method, path, json=body, headers=self._headers)
            if answer.is_success:
                self.acknowledged.append(cpf)
                self.instants.append(time.monotonic())
            else:
                self.refused[f"{answer.status_code} {answer.headers.get('Error-Code')}"] += 1
                await asyncio.sleep(0.02)  # as a caller who was told to come again

    async def until_acknowledged(self, count: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while len(self.acknowledged) < count:  # noqa: ASYNC110 - what was killed comes back by itself
                await asyncio.sleep(0.01)

    @property
    def seconds_away(self) -> float:
        """Return the longest time without an acknowledgement."""
        return max(later - earlier for earlier, later in itertools.pairwise(self.instants))


async def fail_over(settings: Settings, primary: Postgres, replica: Postgres) -> tuple[Sender, Sender]:
    """Kill the primary and promote the replica under load; return what was sent."""
    issuer = settings.issuers[0]
    secret = next(client.secret for client in clients() if client.client_id == "crm-sandbox")
    staff = next(person for person in people() if person.username == "marina")
    crm = await asyncio.to_thread(client_token, issuer, "crm-sandbox", secret)
    desk = str((await asyncio.to_thread(log_in, issuer, staff.username, staff.password))["access_token"])
    events, writes = Sender(crm, send_event), Sender(desk, write)
    stems, ending = itertools.count(960_000_000), asyncio.Event()
    async with httpx.AsyncClient(base_url=settings.base_url, timeout=PATIENCE) as http, asyncio.TaskGroup() as group:
        for sender in (events, writes) * SENDERS:
            group.create_task(sender.run(http, stems, ending))
        for sender in (events, writes):
            await sender.until_acknowledged(CALLS)
        await asyncio.to_thread(primary.kill)
        await asyncio.to_thread(replica.sql, "SELECT pg_promote()", database="postgres")
        for sender in (events, writes):
            await sender.until_acknowledged(len(sender.acknowledged) + CALLS)
        ending.set()
    return events, writes


def test_nothing_acknowledged_is_lost_and_the_service_answers_again_by_itself() -> None:
    with cluster() as (primary, replica), folders(1) as (folder,):
        hosts = f"127.0.0.1:{primary.port},127.0.0.1:{replica.port}"
        terminal = Terminal(
            folder,
            port=(port := free_port()),
            data_dir=folder,
            crm_push=False,
            database_url=f"postgresql://balcao_app@{hosts}/balcao",
            database_owner_url=f"postgresql://balcao@{hosts}/balcao",
        )
        assert terminal.run("demo", "--load").returncode == 0
        with Serving(terminal, "--processes", "2"):
            events, writes = asyncio.run(fail_over(Settings(data_dir=folder, port=port), primary, replica))
            until_now(lambda: not replica.sql(WAITING)[0][0])
        stored = {row["cpf"] for row in replica.sql(WRITTEN)}
        applied = {row["cpf"] for row in replica.sql(APPLIED)}
        for name, sent in (("events", events), ("own writes", writes)):
            print(
                f"{name}: {len(sent.acknowledged)} acknowledged, {sent.seconds_away:.2f} s away, {dict(sent.refused)}"
            )
        assert set(events.acknowledged) - applied == set()
        assert set(writes.acknowledged) - stored == set()
        assert {*events.refused, *writes.refused} <= {"503 store-away"}
