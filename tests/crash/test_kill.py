"""kill -9 of the whole process group during webhook calls. Every acknowledged event is applied exactly once."""

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

import asyncpg
import httpx
import psutil
import pytest

from balcao.core.values.cpf import Cpf
from balcao.settings import Settings
from balcao_sandbox.identity.demo import clients
from balcao_sandbox.postgresql import supervisor
from tests.support.login import client_token
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import size
from tests.support.server import free_port
from tests.support.terminal import Serving, Terminal, open_folder, remove

pytestmark = pytest.mark.long

CALLS = size(80, 500)
AT_ONCE = 20
PATH = "/registry/v1/webhooks/crm/cidadao"
WAITING = "SELECT count(*) FROM registry.crm_event WHERE applied_at IS NULL"
PARKED = "SELECT count(*) FROM queue.pgqueuer WHERE status = 'failed' AND entrypoint = 'crm_event'"
APPLIED = """
SELECT event.cpf, count(*) AS events, array_agg(event.result) AS results, min(register.value::text) AS value
FROM registry.crm_event AS event
JOIN registry.register ON register.cpf = event.cpf AND register.field = 'genero'
WHERE event.cpf = ANY($1)
GROUP BY event.cpf
"""


@pytest.fixture
def settings() -> Iterator[Settings]:
    folder = open_folder()
    yield Settings(data_dir=folder, port=free_port())
    remove(folder)


@pytest.fixture
def terminal(settings: Settings) -> Terminal:
    return Terminal(settings.data_dir, port=settings.port, data_dir=settings.data_dir)


@pytest.mark.cases("registry", "W10")
def test_every_acknowledged_event_is_applied_once_although_everything_is_killed(
    settings: Settings, terminal: Terminal
) -> None:
    with Serving(terminal) as serving:
        acknowledged = asyncio.run(send_until_killed(settings, serving))
    assert len(acknowledged) >= CALLS // 2
    with Serving(terminal):
        rows, parked = asyncio.run(outcome(settings, acknowledged))
    assert {row["cpf"]: (row["events"], row["results"], row["value"]) for row in rows} == {
        cpf: (1, ["applied"], f'"livre {cpf}"') for cpf in acknowledged
    }
    assert parked == 0


async def send_until_killed(settings: Settings, serving: Serving) -> list[str]:
    """Send the events, and kill everything once half of the calls have a response. Return the people who got a 202."""
    secret = next(client.secret for client in clients() if client.client_id == "crm-sandbox")
    token = client_token(settings.issuers[0], "crm-sandbox", secret)
    acknowledged: list[str] = []
    gate = asyncio.Semaphore(AT_ONCE)

    async def send(client: httpx.AsyncClient, cpf: str) -> None:
        async with gate:
            with contextlib.suppress(httpx.TransportError):
                answer = await client.post(PATH, json=event(cpf), headers={"Authorization": f"Bearer {token}"})
                assert answer.status_code == 202
                acknowledged.append(cpf)
        if len(acknowledged) == CALLS // 2:
            kill_everything(serving)

    async with httpx.AsyncClient(base_url=settings.base_url, timeout=PATIENCE) as client:
        people = [Cpf.with_stem(f"91{number:07}").digits for number in range(CALLS)]
        await asyncio.gather(*(send(client, cpf) for cpf in people))
    return acknowledged


def event(cpf: str) -> dict[str, Any]:
    return {"cpf": cpf, "updatedAt": "2026-07-01T10:00:00Z", "dados": {"genero": f"livre {cpf}"}}


def kill_everything(serving: Serving) -> None:
    """Kill the parent process and all its children, including PostgreSQL, with SIGKILL."""
    for process in [serving.process, *serving.family()]:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


async def outcome(settings: Settings, people: list[str]) -> tuple[list[asyncpg.Record], int]:
    """Wait until every event has been applied. Return the people's events, and the number of dead-lettered jobs."""
    server = supervisor.find_running(settings.data_dir)
    assert server
    connection = await asyncpg.connect(server.url)
    try:
        async with asyncio.timeout(PATIENCE):
            while await connection.fetchval(WAITING):  # noqa: ASYNC110 - another process applies the events
                await asyncio.sleep(0.1)
        return list(await connection.fetch(APPLIED, people)), await connection.fetchval(PARKED)
    finally:
        await connection.close()
