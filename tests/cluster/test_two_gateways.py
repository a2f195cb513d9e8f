"""Two gateways in front of two hosts, under load: one gateway is killed, then each host is restarted."""

import asyncio
import itertools
import os
import signal
import socket
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import asyncpg
import httpx
import pytest

from balcao import app
from balcao.core.values.cpf import Cpf
from balcao.operate.deploy.answers import Server
from balcao.operate.deploy.gateways import Plan
from balcao.operate.gateway_config import fetch_signing_keys
from balcao.settings import Settings
from balcao_sandbox.identity.demo import clients
from balcao_sandbox.postgresql import supervisor
from tests.cluster.servers import folders
from tests.support.gateways import Certificate, prepare, start
from tests.support.issuer import bearer
from tests.support.login import client_token
from tests.support.polling import PATIENCE
from tests.support.server import free_port
from tests.support.terminal import Serving, Terminal

CALLERS = 8
BETWEEN = 100  # responses to wait for before each step
EVENT = "/registry/v1/webhooks/crm/cidadao"
RATE = "100000/second"  # all callers have one address, so the limit of an address must not apply
SERVE = ("--no-worker", "--processes", "1")


class Client:
    """A client of a name with two addresses: if one refuses or closes the connection, it uses the other."""

    def __init__(self, gateways: Sequence[str], token: str, certificate: Certificate) -> None:
        self.answered: list[str] = []
        self.statuses: Counter[int] = Counter()
        self.repeated = 0
        self._gateways = itertools.cycle(gateways)
        self._options = {"timeout": PATIENCE, "verify": certificate.trust, "headers": bearer(token)}
        self._stems = itertools.count(930_000_000)

    async def call(self, ending: asyncio.Event) -> None:
        async with httpx.AsyncClient(**self._options) as http:  # type: ignore[arg-type]
            while not ending.is_set():
                cpf = Cpf.with_stem(str(next(self._stems))).digits
                body = {"cpf": cpf, "updatedAt": "2026-07-01T10:00:00Z", "dados": {"genero": "Outro"}}
                answer = await self._send(http, body)
                self.statuses[answer.status_code] += 1
                self.answered += [cpf] if answer.status_code == 202 else []

    async def _send(self, http: httpx.AsyncClient, body: object) -> httpx.Response:
        """Send an event until a gateway answers. An event may be sent twice: the registry stores it once."""
        while True:
            try:
                return await http.post(next(self._gateways) + EVENT, json=body)
            except httpx.TransportError:
                self.repeated += 1

    async def until_answered(self, more: int) -> None:
        wanted = len(self.answered) + more
        async with asyncio.timeout(PATIENCE):
            while len(self.answered) < wanted:  # noqa: ASYNC110 - no event reports an answer
                await asyncio.sleep(0.01)


class Host:
    """A host whose processes notify systemd, as under `systemctl restart`."""

    def __init__(self, terminal: Terminal, address: Path) -> None:
        self._notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notify.bind(str(address))
        self._notify.settimeout(PATIENCE)
        terminal.environment["NOTIFY_SOCKET"] = str(address)
        self._terminal = terminal
        self.start()

    def start(self) -> None:
        self._serving = Serving(self._terminal, *SERVE)
        self._serving.__enter__()
        assert self._notify.recv(100) == b"READY=1"

    def restart(self) -> None:
        self._serving.process.terminate()
        self._serving.process.wait(PATIENCE)
        self.start()

    def close(self) -> None:
        self._serving.__exit__()
        self._notify.close()


class Gateway:
    """A gateway that can be killed."""

    def __init__(self, kind: str, plan: Plan, folder: Path) -> None:
        folder.mkdir()
        folder.chmod(0o755)
        prepare(kind, plan, folder)
        self.url = f"https://127.0.0.1:{plan.frontend.https_port}"
        self._process: subprocess.Popen[bytes] = start(kind, folder)

    def kill(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(PATIENCE)


@contextmanager
def city() -> Iterator[tuple[list[Host], Settings, list[Server], str, Path]]:
    """Run two hosts on one database, and yield their settings, their addresses and the database's."""
    with folders(3) as (data, *homes), supervisor.start(data) as database, ExitStack() as stack:
        first, second = free_port(), free_port()
        issuer = f"http://127.0.0.1:{first}"
        shared = {"data_dir": homes[0], "public_url": issuer, "database_url": database.server.url}
        rates = {"machine_write_rate": RATE, "machine_read_rate": RATE}
        terminals = [
            Terminal(home, port=port, **shared, **rates) for home, port in zip(homes, (first, second), strict=True)
        ]
        assert terminals[0].run("migrate").returncode == 0
        hosts = [Host(terminal, home / "notify") for terminal, home in zip(terminals, homes, strict=True)]
        for host in hosts:
            stack.callback(host.close)
        settings = Settings(port=first, **shared, **rates)
        yield hosts, settings, [Server("127.0.0.1", first), Server("127.0.0.1", second)], database.server.url, homes[0]


@pytest.mark.parametrize(
    "kind",
    [pytest.param("haproxy", marks=pytest.mark.haproxy), pytest.param("nginx", marks=pytest.mark.nginx)],
)
@pytest.mark.cluster
def test_a_killed_gateway_and_a_restart_of_each_host_lose_no_call(kind: str) -> None:
    with city() as (hosts, settings, servers, database_url, folder):
        certificate = Certificate(folder)
        keys = fetch_signing_keys(settings)
        plans = [Plan(settings, app.SERVICES, servers, certificate.frontend(free_port()), keys=keys) for _ in range(2)]
        gateways = [Gateway(kind, plan, folder / f"gateway-{number}") for number, plan in enumerate(plans)]
        try:
            secret = next(client.secret for client in clients() if client.client_id == "crm-sandbox")
            token = client_token(f"{settings.public_url}/auth/realms/balcao", "crm-sandbox", secret)
            client = Client([gateway.url for gateway in gateways], token, certificate)
            asyncio.run(_disturb(client, gateways, hosts))
        finally:
            for gateway in gateways:
                gateway.kill()
        stored = asyncio.run(_list_stored(database_url))
    print(f"{kind}: {len(client.answered)} acknowledged, {client.repeated} repeated; {dict(client.statuses)}")
    assert set(client.statuses) == {202}
    assert set(client.answered) - stored.keys() == set()
    assert set(stored.values()) == {1}


async def _disturb(client: Client, gateways: Sequence[Gateway], hosts: Sequence[Host]) -> None:
    """Restart each host while both gateways work, and then kill a gateway."""
    ending = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for _ in range(CALLERS):
            group.create_task(client.call(ending))
        await client.until_answered(BETWEEN)
        for host in hosts:
            await asyncio.to_thread(host.restart)
        await client.until_answered(BETWEEN)
        gateways[0].kill()
        await client.until_answered(BETWEEN)
        ending.set()


async def _list_stored(url: str) -> dict[str, int]:
    """Return how often the event of each person is stored."""
    connection = await asyncpg.connect(url)
    try:
        return dict(await connection.fetch("SELECT cpf, count(*) FROM registry.crm_event GROUP BY cpf"))
    finally:
        await connection.close()
