"""A database with several servers: the pool finds the writable server, and leaves it when it becomes read-only."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from balcao.core.context.platform import Platform
from balcao.core.database import reloader, servers
from balcao.core.database.pool import Database
from balcao.core.database.refusals import describe_refusal
from balcao.core.errors import Unavailable
from tests.core.relay import Relay
from tests.support.polling import PATIENCE

LOCK = "SELECT pg_advisory_xact_lock(1, 1)"
LISTENS = """
SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = $1 AND state = 'idle' AND query <> '')
"""


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("postgresql://u:p@one:5433,two/b", [("one", 5433), ("two", 5432)]),
        ("postgresql://u:p%40@[::1]:5433,[fe80::1]/b?sslmode=require", [("::1", 5433), ("fe80::1", 5432)]),
        ("postgresql://u@/b?host=/run/One,/run/Two&port=5433,5434", [("/run/One", 5433), ("/run/Two", 5434)]),
        ("postgresql://u@/b?host=/run/one,/run/two&port=5433", [("/run/one", 5433), ("/run/two", 5433)]),
        ("postgresql://u@%2Frun%2FOne,two/b", [("/run/One", 5432), ("two", 5432)]),
        ("postgresql:///b", [("localhost", 5432)]),
    ],
)
def test_the_servers_of_an_address_are_those_of_every_postgresql_program(
    address: str, expected: list[tuple[str, int]]
) -> None:
    assert servers.list_servers(address) == expected


def beside(url: str, *folders: Path) -> str:
    """Return the server's address with the sockets in these folders in front of it."""
    return url.replace("host=", f"host={''.join(f'{folder},' for folder in folders)}")


async def test_a_server_that_is_silent_and_one_that_is_gone_keep_nobody_from_the_one_that_answers(
    database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    gone = tmp_path_factory.mktemp("gone")
    with Relay(database_url) as relay:
        relay.stop()
        database = Database(beside(database_url, relay.folder, gone), size=2)
        await database.open()
        try:
            async with database.connection() as connection:
                assert await connection.fetchval("SELECT 1") == 1
            listener = await database.listener(PATIENCE)
            await listener.close()
        finally:
            await database.close()


async def test_a_refused_login_is_told_rather_than_a_server_that_is_gone(
    database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    url = beside(database_url, tmp_path_factory.mktemp("gone")).replace("://balcao@", "://nobody-of-this-name@")
    with pytest.raises(asyncpg.InvalidAuthorizationSpecificationError):
        await servers.connect_to_server(url)


async def test_replicas_alone_are_not_enough(database_url: str, tmp_path: Path) -> None:
    """A server with read-only sessions is rejected, as a replica is."""
    database = Database(f"{beside(database_url, tmp_path)}&default_transaction_read_only=on", size=2)
    with pytest.raises(Unavailable) as refused:
        await database.open(seconds=5)
    assert "réplicas" in (describe_refusal(refused.value) or "")


async def test_a_connection_whose_server_no_longer_takes_writes_is_given_up_with_all_others(platform: Platform) -> None:
    database = platform.database
    async with database.connection() as busy:
        async with database.connection() as other:
            for connection in (busy, other):
                await connection.execute("SET default_transaction_read_only = on")
        with pytest.raises(Unavailable):
            async with database.transaction() as connection:
                await connection.execute("CREATE TABLE platform.refused ()")
    async with database.connection() as one, database.connection() as other:
        read_only = [await each.fetchval("SHOW default_transaction_read_only") for each in (one, other)]
    assert read_only == ["off", "off"]


async def test_a_host_that_froze_in_a_transaction_keeps_its_locks_from_nobody_for_long(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(servers.SESSION, "idle_in_transaction_session_timeout", "50ms")
    frozen = Database(database_url, role=None)
    await frozen.open()
    other = await asyncpg.connect(database_url, server_settings={"lock_timeout": "60s"})

    async def freeze() -> None:
        async with frozen.transaction() as connection:
            await connection.execute(LOCK)
            await other.execute(LOCK)  # this waits for the end of the first transaction
            await connection.execute("SELECT")

    with pytest.raises(Unavailable):
        await freeze()
    await other.close()
    await frozen.close()


class FallsSilent(Database):
    """A database with two servers. The first one stops responding.

    The listener's application name differs on each server.
    """

    def __init__(self, relay: Relay, next_url: str) -> None:
        super().__init__(relay.url)
        self._relay, self._next_url = relay, next_url
        self.name("the first listener")

    def name(self, listener: str) -> None:
        self.options["server_settings"]["application_name"] = listener

    def fall_silent(self) -> None:
        self._relay.stop()
        self.url = self._next_url
        self.name("its successor")


class FallsSilentOnceConnected(FallsSilent):
    def __init__(self, relay: Relay, next_url: str) -> None:
        super().__init__(relay, next_url)
        self.fell_silent = asyncio.Event()

    async def listener(self, answer_seconds: float) -> asyncpg.Connection:
        made = await super().listener(answer_seconds)
        if not self.fell_silent.is_set():
            self.fall_silent()
            self.fell_silent.set()
        return made


@pytest.fixture
def quick_to_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reloader, "ANSWER_SECONDS", 0.5)


@pytest.mark.usefixtures("quick_to_give_up")
async def test_a_listener_whose_server_fell_silent_is_replaced(database_url: str) -> None:
    with Relay(database_url) as relay:
        database = FallsSilent(relay, database_url)
        async with watching(database):
            await until_listening(database_url, "the first listener")
            database.fall_silent()
            await until_listening(database_url, "its successor")


@pytest.mark.usefixtures("quick_to_give_up")
async def test_a_server_that_falls_silent_before_it_listens_is_left_for_the_next(database_url: str) -> None:
    with Relay(database_url) as relay:
        async with watching(FallsSilentOnceConnected(relay, database_url)):
            await until_listening(database_url, "its successor")


async def test_a_watch_stops_while_its_server_is_silent(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reloader, "ANSWER_SECONDS", PATIENCE)
    with Relay(database_url) as relay:
        database = FallsSilentOnceConnected(relay, database_url)
        async with asyncio.timeout(PATIENCE), watching(database):
            await database.fell_silent.wait()
            await asyncio.sleep(0.1)  # let the listener wait for the response to LISTEN


@contextlib.asynccontextmanager
async def watching(database: Database) -> AsyncIterator[None]:
    watch = reloader.Watch(database, "a_channel", 0.05, _read_nothing, loaded=True)
    await watch.start()
    try:
        yield
    finally:
        await watch.stop()


async def _read_nothing() -> None:
    return


async def until_listening(database_url: str, name: str) -> None:
    connection = await asyncpg.connect(database_url)
    try:
        async with asyncio.timeout(PATIENCE):
            while not await connection.fetchval(LISTENS, name):  # noqa: ASYNC110 - no event reports that it listens
                await asyncio.sleep(0.01)
    finally:
        await connection.close()
