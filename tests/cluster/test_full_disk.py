"""A disk fills up under load and is freed again: the database server's disk, or the disk with the platform's files."""

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import asyncpg
import httpx
import pytest

from balcao.core.values.cpf import Cpf
from tests.cluster.postgres import Postgres
from tests.cluster.sending import APPLICATIONS, APPLIED, WAITING, WRITTEN, Sender, send_event, write
from tests.cluster.servers import folders, prepare
from tests.support.demo_people import KLEBER
from tests.support.issuer import Issuer
from tests.support.polling import PATIENCE, until_now
from tests.support.proof_sizes import size
from tests.support.server import free_port
from tests.support.small_disks import Ballast, disk
from tests.support.terminal import Serving, Terminal

pytestmark = [pytest.mark.cluster, pytest.mark.mounts]

SENDERS = 4  # event senders; the number of senders of own writes is equal
CALLS = size(100, 400)  # acknowledged calls to wait for in each phase
REFUSALS = size(20, 100)
STAFF = KLEBER
NEXT_SEGMENT = "SELECT pg_logical_emit_message(false, 'full', 'full'), pg_switch_wal()"


@contextmanager
def serving(issuer: Issuer, home: Path, server: Postgres) -> Iterator[str]:
    terminal = Terminal(
        home,
        port=(port := free_port()),
        data_dir=home,
        crm_push=False,
        auth_issuer=issuer.address,
        database_url=server.url("balcao_app"),
        database_owner_url=server.url("balcao"),
    )
    with Serving(terminal, "--processes", "2", log=home / "balcao.log"):
        yield f"http://127.0.0.1:{port}"


class Service:
    """Acts as a service manager that restarts the database server if it ends without being stopped."""

    def __init__(self, server: Postgres) -> None:
        self.restarts = 0
        self._server = server

    async def watch(self, ending: asyncio.Event) -> None:
        while not ending.is_set():
            if self._server.has_ended:
                self.restarts += 1
                self._server.spawn()
            await asyncio.sleep(0.5)

    async def end_for_want_of_log(self) -> None:
        """Switch WAL segments until the server stops because it has no space for a new one."""
        while not self.restarts:
            with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await asyncio.to_thread(self._server.sql, NEXT_SEGMENT, database="postgres")
            await asyncio.sleep(0.05)


async def run_full(issuer: Issuer, url: str, ballast: Ballast, service: Service, *, refuses: bool) -> list[Sender]:
    """Fill the disk under load and free it again, and return the senders."""
    events, writes = Sender(issuer.machine("crm-sandbox"), send_event), Sender(issuer.admin(STAFF), write)
    persons = (Cpf.with_stem(str(stem)).digits for stem in itertools.count(970_000_000))
    ending = asyncio.Event()
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as http, asyncio.TaskGroup() as group:
        group.create_task(service.watch(ending))
        for sender in (events, writes) * SENDERS:
            group.create_task(sender.run(http, persons, ending))
        for sender in (events, writes):
            await sender.until_acknowledged(CALLS)
        ballast.fill()
        for sender in (events, writes):
            if refuses:
                await sender.until_refused(REFUSALS)
            else:
                await sender.until_acknowledged(CALLS)
            ballast.fill()
        if refuses:
            await service.end_for_want_of_log()
            await events.until_refused(REFUSALS)
        ballast.drop()
        for sender in (events, writes):
            await sender.until_acknowledged(CALLS)
        ending.set()
    return [events, writes]


def check_stored(server: Postgres, events: Sender, writes: Sender) -> None:
    """Check that every acknowledged event is applied once and every acknowledged write is stored."""
    until_now(lambda: not server.sql(WAITING)[0][0])
    stored = {row["cpf"] for row in server.sql(WRITTEN)}
    applied = {row["cpf"] for row in server.sql(APPLIED)}
    assert set(events.acknowledged) - applied == set()
    assert set(writes.acknowledged) - stored == set()
    assert server.sql(APPLICATIONS)[0][0] == len(applied)


def test_a_full_disk_of_the_database_server_loses_nothing_acknowledged(issuer: Issuer) -> None:
    with folders(2) as (data, home), disk(data, 400), Postgres.create(data) as server:
        prepare(server)
        service, ballast = Service(server), Ballast(data)
        with serving(issuer, home, server) as url:
            events, writes = asyncio.run(run_full(issuer, url, ballast, service, refuses=True))
            check_stored(server, events, writes)
        for name, sent in (("events", events), ("own writes", writes)):
            back = sent.count_seconds_from(ballast.dropped_at)
            print(f"{name}: {sent.describe()}; acknowledged again {back:.2f} s after the disk was freed")
        print(f"the server was restarted {service.restarts} times")
        assert {*events.refused, *writes.refused} <= {"503 store-away"}


def test_a_full_disk_of_the_platforms_own_files_stops_nothing(issuer: Issuer) -> None:
    """The platform's data folder and log are on the full disk."""
    with folders(2) as (data, home), Postgres.create(data) as server, disk(home, 20):
        prepare(server)
        with serving(issuer, home, server) as url:
            events, writes = asyncio.run(run_full(issuer, url, Ballast(home), Service(server), refuses=False))
            check_stored(server, events, writes)
        for name, sent in (("events", events), ("own writes", writes)):
            print(f"{name}: {sent.describe()}")
        assert not events.refused
        assert not writes.refused
