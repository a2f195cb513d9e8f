"""Two hosts are restarted one after the other under load, and no accepted request is lost."""

import asyncio
import itertools
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack

import asyncpg
import httpx
import pytest

from balcao.core.values.cpf import Cpf
from balcao_sandbox.identity.demo import clients
from balcao_sandbox.postgresql import supervisor
from tests.cluster.servers import folders
from tests.support.issuer import bearer
from tests.support.login import client_token
from tests.support.polling import PATIENCE
from tests.support.server import free_port
from tests.support.terminal import Serving, Terminal

pytestmark = pytest.mark.cluster

CALLERS = 8
BETWEEN = 100  # responses to wait for before each step
EVENT = "/registry/v1/webhooks/crm/cidadao"


class Gateway:
    """A gateway that sends each call to the next host that accepts a connection. It never sends a call twice."""

    def __init__(self, hosts: Sequence[str], token: str) -> None:
        self.answered: list[str] = []
        self.statuses: Counter[int] = Counter()
        self._hosts = itertools.cycle(hosts)
        self._headers = bearer(token)
        self._stems = itertools.count(930_000_000)

    async def call(self, ending: asyncio.Event) -> None:
        unkept = httpx.Limits(max_keepalive_connections=0)
        async with httpx.AsyncClient(timeout=PATIENCE, limits=unkept, headers=self._headers) as http:
            while not ending.is_set():
                cpf = Cpf.with_stem(str(next(self._stems))).digits
                body = {"cpf": cpf, "updatedAt": "2026-07-01T10:00:00Z", "dados": {"genero": "Outro"}}
                answer = await self._pass_on(http, body)
                self.statuses[answer.status_code] += 1
                self.answered += [cpf] if answer.status_code == 202 else []

    async def _pass_on(self, http: httpx.AsyncClient, body: object) -> httpx.Response:
        while True:
            try:
                return await http.post(next(self._hosts) + EVENT, json=body)
            except httpx.ConnectError:
                await asyncio.sleep(0.01)

    async def until_answered(self, more: int) -> None:
        wanted = len(self.answered) + more
        async with asyncio.timeout(PATIENCE):
            while len(self.answered) < wanted:  # noqa: ASYNC110 - no event reports that a host is back
                await asyncio.sleep(0.01)


async def restart_each(gateway: Gateway, terminals: Sequence[Terminal], serving: list[Serving]) -> None:
    ending = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for _ in range(CALLERS):
            group.create_task(gateway.call(ending))
        for number, terminal in enumerate(terminals):
            await gateway.until_answered(BETWEEN)
            serving[number].process.terminate()
            await asyncio.to_thread(serving[number].process.wait, PATIENCE)
            await gateway.until_answered(BETWEEN)
            serving[number] = Serving(terminal, "--no-worker", "--processes", "1")
            await asyncio.to_thread(serving[number].__enter__)
        await gateway.until_answered(BETWEEN)
        ending.set()


def test_every_call_is_answered_and_every_acknowledged_event_is_stored() -> None:
    with folders(3) as (data, *homes), supervisor.start(data) as database:
        issuer = f"http://127.0.0.1:{(first := free_port())}"
        terminals = [
            Terminal(home, data_dir=homes[0], port=port, public_url=issuer, database_url=database.server.url)
            for home, port in zip(homes, (first, free_port()), strict=True)
        ]
        assert terminals[0].run("migrate").returncode == 0
        serving = [Serving(terminal, "--no-worker", "--processes", "1") for terminal in terminals]
        with ExitStack() as stack:
            for number, each in enumerate(serving):
                each.__enter__()
                stack.callback(lambda number: serving[number].__exit__(), number)
            secret = next(client.secret for client in clients() if client.client_id == "crm-sandbox")
            token = client_token(f"{issuer}/auth/realms/balcao", "crm-sandbox", secret)
            hosts = [f"http://127.0.0.1:{terminal.environment['BALCAO_PORT']}" for terminal in terminals]
            gateway = Gateway(hosts, token)
            asyncio.run(restart_each(gateway, terminals, serving))
        stored = asyncio.run(_stored(database.server.url))
    print(f"{len(gateway.answered)} acknowledged; {dict(gateway.statuses)}")
    assert set(gateway.statuses) == {202}
    assert set(gateway.answered) - stored == set()


async def _stored(url: str) -> set[str]:
    connection = await asyncpg.connect(url)
    try:
        return {row["cpf"] for row in await connection.fetch("SELECT cpf FROM registry.crm_event")}
    finally:
        await connection.close()
