"""The connection pool closes gracefully, interrupts no work, and lets no caller wait forever.

A slot becomes free only after its statement has ended.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import asyncpg
import pytest
import pytest_asyncio

from balcao.core.database.connections import IDLE_SECONDS
from balcao.core.database.pool import Database
from balcao.core.errors import Unavailable
from tests.support.polling import PATIENCE

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
            waiting = asyncio.create_task(database.acquire("", asyncio.get_running_loop().time() + PATIENCE))
            await asyncio.sleep(0)  # let the task join the queue
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
            while not await owner.fetchval(_ASLEEP):  # noqa: ASYNC110 - no event reports the start
                await asyncio.sleep(0)
        asleep.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asleep
        assert await owner.fetchval(_ASLEEP) == 0
        assert database.in_use == 0
    finally:
        await owner.close()


class Clock:
    """A replacement for the event loop's clock, used only for idle connections. A test advances it by a minute."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        loop = asyncio.get_running_loop()
        self._call_later = loop.call_later
        self._due: list[Callable[[], None]] = []
        monkeypatch.setattr(loop, "call_later", self._remember)

    def _remember(self, seconds: float, call: Callable[..., None], *args: object, **named: object) -> object:
        if seconds != IDLE_SECONDS:
            return self._call_later(seconds, call, *args, **named)  # type: ignore[arg-type]
        self._due.append(call)
        return self._call_later(PATIENCE, bool)

    def pass_a_minute(self) -> None:
        due, self._due = self._due, []
        for call in due:
            call()


async def test_a_connection_that_nobody_needed_for_a_minute_is_closed(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Used connections stay open.

    After minutes without load, only one connection stays open. The pool opens more on demand.
    """
    clock = Clock(monkeypatch)
    database = Database(database_url, size=4)
    await database.open()

    async def use(at_once: int) -> set[int]:
        """Use this many connections at the same time, and return the ids of their server processes."""
        async with AsyncExitStack() as held:
            taken = [await held.enter_async_context(database.connection()) for _ in range(at_once)]
            return {await connection.fetchval("SELECT pg_backend_pid()") for connection in taken}

    try:
        every = await use(4)
        clock.pass_a_minute()
        assert await use(4) == every
        clock.pass_a_minute()
        last = await use(2)
        clock.pass_a_minute()
        again = await use(4)
        assert again & every == last
        clock.pass_a_minute()
        clock.pass_a_minute()
        assert len(await use(4) & again) == 1
    finally:
        await database.close()
