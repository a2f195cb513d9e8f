"""The owner's connection to a module's database, for example to read stored rows or to make them older."""

import asyncio
import threading
from typing import Any

import asyncpg

from tests.support.polling import PATIENCE

# If the event loop stops while the platform prepares a statement, the statement's locks remain until the process ends.
# With a lock timeout, a test that truncates such a table fails instead of hanging.
_LIMITS = {"lock_timeout": f"{PATIENCE}s"}


class Owner:
    """An open connection that runs statements. While it is busy, other callers get a separate connection.

    Use it only from threads without a running event loop.
    """

    def __init__(self, database_url: str) -> None:
        self._url = database_url
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._connection: asyncpg.Connection | None = None

    def run(self, statement: str, *args: Any) -> list[asyncpg.Record]:
        """Run one statement, and return its rows."""
        if not self._lock.acquire(blocking=False):
            return asyncio.run(self._run_apart(statement, args))
        try:
            return self._loop.run_until_complete(self._run(statement, args))
        finally:
            self._lock.release()

    def close(self) -> None:
        """Close the connection in another thread, because a browser test's own thread has a running event loop."""
        with self._lock:
            closing = threading.Thread(target=self._close)
            closing.start()
            closing.join()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _run(self, statement: str, args: tuple[Any, ...]) -> list[asyncpg.Record]:
        if self._connection is not None:
            try:
                await self._connection.execute("SELECT")
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                # The test has killed the server or its processes.
                self._connection.terminate()
                self._connection = None
        if self._connection is None:
            # Do not cache prepared statements, because tests change the definitions of tables.
            self._connection = await asyncpg.connect(self._url, statement_cache_size=0, server_settings=_LIMITS)
        return list(await self._connection.fetch(statement, *args))

    async def _run_apart(self, statement: str, args: tuple[Any, ...]) -> list[asyncpg.Record]:
        connection = await asyncpg.connect(self._url, server_settings=_LIMITS)
        try:
            return list(await connection.fetch(statement, *args))
        finally:
            await connection.close()
