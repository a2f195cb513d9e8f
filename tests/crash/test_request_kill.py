"""kill -9 of single parts, or of everything, while citizens make requests and the worker sends them to a slow CRM.

Each acknowledged request becomes exactly one case in the CRM, which has each step once.
"""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import asyncpg
import httpx
import pytest

from balcao.core.values.cpf import Cpf
from balcao.settings import Settings
from balcao_sandbox.postgresql import supervisor
from tests.crash.test_push_kill import PAUSE_SECONDS, Caller, callers
from tests.support.faulty_platform import FaultyPlatform
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import size
from tests.support.server import free_port
from tests.support.terminal import open_folder, remove

pytestmark = pytest.mark.long

REQUESTS = size(18, 400)
PERSONS = size(6, 25)  # a person may have 20 open requests
KILLS = size(4, 12)
# The worker is killed most often, because only the worker can die between a call to the CRM and the commit.
TARGETS = ("worker", "crm", "worker", "everything", "worker", "api")
# Each call to the CRM takes this long, so that most kills hit a worker that waits for the CRM.
SLOW = [{"mode": "latency", "ms": 150}]
ANSWERS = {"problema": "apagada", "local": {"address": "Rua das Acácias, 120"}}
LEFT = "SELECT count(*) FROM queue.pgqueuer WHERE entrypoint = 'crm_request'"
DUE = "UPDATE queue.pgqueuer SET execute_after = now() WHERE entrypoint = 'crm_request' AND status = 'queued'"
STORED = "SELECT number, cpf, protocol, sent_step >= 2 AS is_sent FROM registry.request WHERE cpf = ANY ($1)"


@pytest.fixture
def settings() -> Iterator[Settings]:
    folder = open_folder()
    yield Settings(data_dir=folder, port=free_port())
    remove(folder)


def test_each_acknowledged_request_becomes_one_case(settings: Settings) -> None:
    with FaultyPlatform(settings) as platform:
        asyncio.run(prove(settings, platform))


async def prove(settings: Settings, platform: FaultyPlatform) -> None:
    persons = [Cpf.with_stem(f"97{number:07}").digits for number in range(PERSONS)]
    made = await make_requests(settings, platform, persons)
    connection = await settled(settings)
    try:
        stored = await connection.fetch(STORED, persons)
    finally:
        await connection.close()
    own = [case for case in list_cases(settings) if case["CPF__c"] in persons]
    assert len(made) == REQUESTS
    assert sorted(row["number"] for row in stored) == sorted(made)
    assert sorted(case["NumeroPedido__c"] for case in own) == sorted(made)
    assert {case["NumeroPedido__c"]: (case["CPF__c"], case["CaseNumber"]) for case in own} == {
        row["number"]: (row["cpf"], row["protocol"]) for row in stored
    }
    assert {case["NumeroPedido__c"]: [step["Texto__c"] for step in case["steps"]] for case in own} == {
        number: ["A caminho."] for number in made
    }
    assert {row["is_sent"] for row in stored} == {True}


def list_cases(settings: Settings) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = httpx.get(f"{settings.crm_url}/_sandbox/cases", timeout=PATIENCE).json()
    return cases


async def make_requests(settings: Settings, platform: FaultyPlatform, persons: list[str]) -> list[str]:
    """Make requests, each with a message from staff, and kill a part at regular intervals."""
    made: list[str] = []
    killing = asyncio.Lock()
    async with callers(settings) as (_, staff), asyncio.TaskGroup() as group:

        async def send(place: int) -> None:
            for number in range(place, REQUESTS, PERSONS):
                made.append(await make_request(staff, persons[place], f"kill-{number}"))
                if len(made) % (REQUESTS // KILLS) == 0:
                    async with killing:
                        await asyncio.to_thread(kill, settings, platform, len(made) // (REQUESTS // KILLS) - 1)

        for place in range(PERSONS):
            group.create_task(send(place))
    return made


def kill(settings: Settings, platform: FaultyPlatform, turn: int) -> None:
    """Make the CRM slow unless it is restarting, and kill a part."""
    with suppress(httpx.HTTPError):
        httpx.put(f"{settings.crm_url}/_sandbox/faults", json=SLOW, timeout=PATIENCE)
    platform.kill(TARGETS[turn % len(TARGETS)])


async def make_request(staff: Caller, cpf: str, key: str) -> str:
    path = f"/registry/v1/citizen/{cpf}/maintenance-request"
    body: dict[str, Any] = {"type": "lampada_apagada", "version": 1, "answers": ANSWERS}
    answer = await staff.until_done("POST", path, body, **{"Idempotency-Key": key})
    number = str(answer.json()["number"])
    steps = f"/registry/v1/admin/maintenance-requests/{number}/steps"
    await staff.until_done("POST", steps, {"text": "A caminho."}, **{"Idempotency-Key": f"{key}-step"})
    return number


async def settled(settings: Settings) -> asyncpg.Connection:
    """Wait until no request waits for the CRM, and return a connection to the database."""
    server = supervisor.find_running(settings.data_dir)
    assert server
    connection = await asyncpg.connect(server.url)
    async with asyncio.timeout(PATIENCE):
        while await connection.fetchval(LEFT):
            await connection.execute(DUE)
            await asyncio.sleep(PAUSE_SECONDS)
    return connection
