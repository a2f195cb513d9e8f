"""Notifications trigger the reload of in-memory copies.

All copies of a process share one connection, and each copy has its own channel.
"""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest_asyncio

from balcao.core.database.pool import Database
from balcao.core.database.reloader import Watch
from tests.support.polling import PATIENCE, until

OURS = "the listener of this test"
PROCESSES = "SELECT pid FROM pg_stat_activity WHERE application_name = $1"


class Copy:
    """A copy that counts its reloads."""

    def __init__(self, database: Database, channel: str) -> None:
        self.read = 0
        self.watch = Watch(database, channel, PATIENCE, self._read_again)

    async def _read_again(self) -> None:
        self.read += 1


@pytest_asyncio.fixture
async def owner(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


@pytest_asyncio.fixture
async def copies(database_url: str) -> AsyncIterator[tuple[Copy, Copy]]:
    """Yield two listening copies.

    Each copy has been read twice: when it started, and after it had begun to listen.
    """
    database = Database(database_url)
    database.options["server_settings"]["application_name"] = OURS
    one, other = Copy(database, "one"), Copy(database, "other")
    for copy in (one, other):
        await copy.watch.start()
    await until(lambda: one.read == other.read == 2)
    yield one, other
    for copy in (one, other):
        await copy.watch.stop()


async def test_a_notice_reaches_who_listens_to_its_channel_on_the_one_connection(
    copies: tuple[Copy, Copy], owner: asyncpg.Connection
) -> None:
    one, other = copies
    assert len(await owner.fetch(PROCESSES, OURS)) == 1
    await owner.execute("NOTIFY one")
    await until(lambda: one.read == 3)
    await owner.execute("NOTIFY other")
    await until(lambda: other.read == 3)
    await owner.execute("NOTIFY one")
    await until(lambda: one.read == 4)
    assert other.read == 3


async def test_who_leaves_takes_the_connection_from_nobody_and_the_last_one_closes_it(
    copies: tuple[Copy, Copy], owner: asyncpg.Connection
) -> None:
    one, other = copies
    connected = await owner.fetch(PROCESSES, OURS)
    await one.watch.stop()
    await owner.execute("NOTIFY one")
    await owner.execute("NOTIFY other")
    await until(lambda: other.read == 3)
    assert one.read == 2
    assert await owner.fetch(PROCESSES, OURS) == connected
    await other.watch.stop()
    async with asyncio.timeout(PATIENCE):
        while await owner.fetch(PROCESSES, OURS):  # noqa: ASYNC110 - the server process ends shortly afterwards
            await asyncio.sleep(0.01)


async def test_all_read_again_and_listen_again_when_their_connection_is_lost(
    copies: tuple[Copy, Copy], owner: asyncpg.Connection
) -> None:
    one, other = copies
    await owner.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", OURS)
    await until(lambda: one.read > 2 and other.read > 2)
    read = one.read, other.read
    await owner.execute("NOTIFY one")
    await owner.execute("NOTIFY other")
    await until(lambda: one.read > read[0] and other.read > read[1])
    assert len(await owner.fetch(PROCESSES, OURS)) == 1
