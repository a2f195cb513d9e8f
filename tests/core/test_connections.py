"""The pool of connections ends in order: nothing is cut off, nobody waits in vain, no statement outlives its place."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio

from balcao.core.database.pool import Database
from balcao.core.errors import Unavailable
from tests.support.patience import PATIENCE

_ASLEEP = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"


@pytest_asyncio.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = Database(database_url, size=1)
    await opened.open()
    yield opened
    await opened.close()


async def test_closing_waits_for_what_is_in_use_and_refuses_who_waits(database: Database) -> None:
    async with asyncio.timeout(PATIENCE):
        async with database.connection() as connection:
            waiting = asyncio.create_task(database.take("", asyncio.get_running_loop().time() + PATIENCE))
            await asyncio.sleep(0)  # it stands in line now
            closing = asyncio.create_task(database.close())
            with pytest.raises(Unavailable):
                await waiting
            assert await connection.fetchval("SELECT 1") == 1
            assert not closing.done()
        await closing
    assert connection.is_closed()
    with pytest.raises(Unavailable):
        async with database.connection():
            pass


async def test_a_cancelled_statement_has_ended_before_its_place_is_free(database: Database, database_url: str) -> None:
    async def sleep() -> None:
        async with database.connection() as connection:
            await connection.execute("SELECT pg_sleep(600)")

    owner = await asyncpg.connect(database_url)
    try:
        asleep = asyncio.create_task(sleep())
        async with asyncio.timeout(PATIENCE):
            while not await owner.fetchval(_ASLEEP):  # noqa: ASYNC110 - the server tells nobody when it begins
                await asyncio.sleep(0)
        asleep.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asleep
        assert await owner.fetchval(_ASLEEP) == 0
        assert database.in_use == 0
    finally:
        await owner.close()
