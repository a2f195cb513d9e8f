"""kill -9 of single parts, or of everything, during CRM events, own changes and pushes.

No acknowledged call is lost or applied twice. At the end, the CRM and the registry have the same values.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import asyncpg
import httpx
import pytest

from balcao.core.values.cpf import Cpf
from balcao.registry.mirror.translation import to_crm_gender
from balcao.settings import Settings
from balcao_sandbox.identity.demo import clients, people
from balcao_sandbox.postgresql import supervisor
from tests.support.faulty_platform import FaultyPlatform
from tests.support.login import client_token, log_in
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import size
from tests.support.server import free_port
from tests.support.terminal import open_folder, remove

pytestmark = pytest.mark.long

EVENTS = size(90, 2_000)
CHANGES = size(24, 500)
PERSONS = size(10, 50)
SENDERS = 8
KILLS = size(4, 10)
PAUSE_SECONDS = 0.1
TARGETS = ("worker", "crm", "everything", "api", "postgres")
GENDERS = ("Homem cisgênero", "Mulher cisgênero", "Homem transgênero", "Mulher transgênero", "Não binário")
LEFT = """
SELECT (SELECT count(*) FROM registry.outbox WHERE NOT given_up)
     + (SELECT count(*) FROM registry.crm_event WHERE applied_at IS NULL)
"""
DUE = "UPDATE queue.pgqueuer SET execute_after = now() WHERE entrypoint = 'crm_push' AND status = 'queued'"
PARKED = "SELECT count(*) FROM queue.pgqueuer WHERE status = 'failed' AND entrypoint IN ('crm_event', 'crm_push')"
IN_DEMO = 1  # one dead-lettered job is part of the demo data
ACCEPTED = "SELECT count(*) FROM registry.crm_event WHERE event_at < $1 AND applied_at IS NOT NULL"
REGISTERS = "SELECT cpf, value::text, origin FROM registry.register WHERE field = $1 AND cpf = ANY($2)"
APPLIED_TWICE = """
SELECT (SELECT count(*) FROM platform.audit_event WHERE operation = 'registry.apply_crm_event')
     - (SELECT count(*) FROM registry.crm_event WHERE applied_at IS NOT NULL)
"""


@pytest.fixture
def settings() -> Iterator[Settings]:
    folder = open_folder()
    yield Settings(data_dir=folder, port=free_port())
    remove(folder)


class Acknowledged:
    """The acknowledged events and changes.

    Whenever a fixed number of them has been added, a part of the platform is killed.
    """

    def __init__(self, platform: FaultyPlatform) -> None:
        self.events: list[tuple[str, int]] = []
        self.changes: dict[str, str] = {}
        self._platform = platform
        self._count = 0
        self.killed: list[str] = []
        self._killing = asyncio.Lock()

    async def one_more(self) -> None:
        self._count += 1
        if self._count % ((EVENTS + CHANGES) // (KILLS + 1)) == 0:
            async with self._killing:
                await self._kill(TARGETS[len(self.killed) % len(TARGETS)])

    async def _kill(self, part: str) -> None:
        if len(self.killed) < KILLS:
            await asyncio.to_thread(self._platform.kill, part)
            self.killed.append(part)


class Caller:
    """A caller that repeats each call until it succeeds, and gets a new token after a 401."""

    def __init__(self, client: httpx.AsyncClient, log_in: Callable[[], str]) -> None:
        self._client = client
        self._log_in = log_in
        self._token = ""

    async def until_done(self, method: str, path: str, body: Mapping[str, Any], **headers: str) -> httpx.Response:
        async with asyncio.timeout(PATIENCE):
            while (answer := await self._try(method, path, body, headers)) is None:  # noqa: ASYNC110 - the killed part restarts by itself
                await asyncio.sleep(PAUSE_SECONDS)
        return answer

    async def _try(
        self, method: str, path: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> httpx.Response | None:
        """Return the response if the call succeeded, otherwise None."""
        try:
            self._token = self._token or await asyncio.to_thread(self._log_in)
            sent = {"Authorization": f"Bearer {self._token}", **headers}
            answer = await self._client.request(method, path, json=body, headers=sent)
        except (httpx.HTTPError, KeyError, ValueError):
            return None
        if answer.status_code == 401:
            self._token = ""
        assert answer.status_code in (200, 201, 202, 401, 500, 502, 503), answer.status_code
        return answer if answer.status_code < 300 else None


@asynccontextmanager
async def callers(settings: Settings) -> AsyncIterator[tuple[Caller, Caller]]:
    """Yield two callers: the CRM's client, and a member of staff who may write for every citizen."""
    secret = next(client.secret for client in clients() if client.client_id == "crm-sandbox")
    staff = next(person for person in people() if person.username == "marina")
    issuer = settings.issuers[0]
    async with httpx.AsyncClient(base_url=settings.base_url, timeout=PATIENCE) as client:
        yield (
            Caller(client, lambda: client_token(issuer, "crm-sandbox", secret)),
            Caller(client, lambda: str(log_in(issuer, staff.username, staff.password)["access_token"])),
        )


async def send_all(settings: Settings, platform: FaultyPlatform) -> Acknowledged:
    done = Acknowledged(platform)
    persons = [Cpf.with_stem(f"96{number:07}").digits for number in range(PERSONS)]
    async with callers(settings) as (crm, staff), asyncio.TaskGroup() as group:
        for number in range(SENDERS):
            group.create_task(send_events(crm, persons, range(number, EVENTS, SENDERS), done))
        for number, cpf in enumerate(persons):
            group.create_task(make_changes(staff, cpf, range(number, CHANGES, PERSONS), done))
    return done


async def send_events(crm: Caller, persons: list[str], numbers: range, done: Acknowledged) -> None:
    for number in numbers:
        cpf = persons[number % PERSONS]
        body = {"cpf": cpf, "updatedAt": moment(number), "dados": {"telefone2": str(number)}}
        await crm.until_done("POST", "/registry/v1/webhooks/crm/cidadao", body)
        done.events.append((cpf, number))
        await done.one_more()


def moment(number: int) -> str:
    return f"2026-07-01T10:{number // 60:02}:{number % 60:02}Z"


async def make_changes(staff: Caller, cpf: str, numbers: range, done: Acknowledged) -> None:
    """Make one person's changes one after another. The last value must be the final one."""
    for number in numbers:
        valor = GENDERS[number // PERSONS % len(GENDERS)]
        await staff.until_done("PUT", f"/registry/v1/citizen/{cpf}/gender", {"valor": valor})
        done.changes[cpf] = valor
        await done.one_more()


async def settled(settings: Settings) -> asyncpg.Connection:
    """Wait until no work is queued, and return a connection to the database."""
    server = supervisor.find_running(settings.data_dir)
    assert server
    connection = await asyncpg.connect(server.url)
    async with asyncio.timeout(PATIENCE):
        while await connection.fetchval(LEFT):
            await connection.execute(DUE)
            await asyncio.sleep(PAUSE_SECONDS)
    return connection


def in_the_crm(settings: Settings, cpfs: list[str]) -> dict[str, list[str | None]]:
    """Return the gender in each of a person's CRM accounts, for every person."""
    accounts = httpx.get(f"{settings.crm_url}/_sandbox/accounts", timeout=PATIENCE).json()
    return {cpf: [account["Genero__c"] for account in accounts if account["CPF__c"] == cpf] for cpf in cpfs}


def test_nothing_acknowledged_is_lost_or_applied_twice_and_the_crm_ends_equal(settings: Settings) -> None:
    with FaultyPlatform(settings) as platform:
        asyncio.run(prove(settings, platform))


async def prove(settings: Settings, platform: FaultyPlatform) -> None:
    done = await send_all(settings, platform)
    connection = await settled(settings)
    try:
        genders = await connection.fetch(REGISTERS, "genero", list(done.changes))
        phones = await connection.fetch(REGISTERS, "telefone2", list(done.changes))
        applied = await connection.fetchval(ACCEPTED, datetime(2026, 7, 2, tzinfo=UTC))
        twice, parked = await connection.fetchval(APPLIED_TWICE), await connection.fetchval(PARKED)
    finally:
        await connection.close()
    declared = {cpf: to_crm_gender(valor) for cpf, valor in done.changes.items()}
    last = {cpf: max(number for person, number in done.events if person == cpf) for cpf in done.changes}
    assert len(done.killed) == KILLS
    assert len(done.events) == applied == EVENTS
    assert {row["cpf"]: row["value"] for row in phones} == {cpf: f'"{number}"' for cpf, number in last.items()}
    assert {row["cpf"]: json.loads(row["value"]) for row in genders} == declared
    assert {row["origin"] for row in genders} == {"staff"}
    assert (twice, parked) == (0, IN_DEMO)
    assert in_the_crm(settings, list(declared)) == {cpf: [wire] for cpf, wire in declared.items()}
