"""The connection pool of one process."""

import asyncio
import functools
from collections import deque
from contextlib import suppress
from typing import Any

import asyncpg

from balcao.core.database import servers
from balcao.core.database.connection_quota import ConnectionQuota
from balcao.core.database.faults import StoreFaults
from balcao.core.database.pooling import open_lasting_session
from balcao.core.errors import Unavailable

# The maximum wait for a connection.
ACQUIRE_SECONDS = 2.0
# The timeout of a statement that does not set its own.
STATEMENT_SECONDS = 30.0
# How long the driver waits for a graceful close, which includes the end of a cancelled statement.
CLOSE_SECONDS = 2.0
# Close a connection that has been idle for this long. Even an idle connection costs PostgreSQL 2 to 10 MB.
IDLE_SECONDS = 60.0


class Connections:
    """A pool of at most `size` connections that limits each caller to half of them and closes idle ones.

    Statements leave no session state, so the pool reuses connections without a reset (`TracedDatabase` clears its own
    setting). The driver's own pool adds more time to a read than the read itself takes (ADR 0012).
    """

    def __init__(self, url: str, size: int, options: dict[str, Any]) -> None:
        """Store the settings without connecting. The driver receives `options` for every connection."""
        self.url = url
        self.size = size
        self.options = options
        self._primary = servers.find_primary(url)
        self._timeline = 0  # the primary's timeline when the connections in `_current` were opened
        self._shares = ConnectionQuota(max(1, size // 2))
        self._is_open = False
        self._ready: list[asyncpg.Connection] = []  # a stack: the connection returned last is reused first
        self._unneeded = 0  # fewest idle connections since the last idle check
        self._idle_check: asyncio.TimerHandle | None = None
        self._slots = 0  # used, idle, opening or closing connections; at most `size`
        self._is_empty = asyncio.Event()  # set while no slot is reserved
        self._current: set[asyncpg.Connection] = set()  # the connections opened after the last `expire`
        self._waiting: deque[asyncio.Future[asyncpg.Connection | None]] = deque()

    async def open(self, seconds: float = 60.0) -> None:
        """Open the pool by connecting to the server.

        Raises Unavailable if the server does not respond within `seconds`, or if a pooler in front of it changes the
        sessions between transactions.
        """
        with StoreFaults():
            connection = await open_lasting_session(functools.partial(self._connect, seconds))
        self._is_open = True
        self._timeline = self._primary.timeline
        self._reserve_slot()
        self._current.add(connection)
        self._ready.append(connection)
        self._schedule_idle_check()

    @property
    def in_use(self) -> int:
        """How many connections are in use, being opened or being closed."""
        return self._slots - len(self._ready)

    @property
    def waiting(self) -> int:
        """How many callers wait for a connection."""
        return sum(not waiter.done() for waiter in self._waiting)

    async def close(self) -> None:
        """Close every connection, after waiting until the connections in use have been returned."""
        self._is_open = False  # from now on `release` closes connections
        if self._idle_check is not None:
            self._idle_check.cancel()
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_exception(Unavailable())
        while self._ready:
            await self._close(self._ready.pop())
        if self._slots:
            await self._is_empty.wait()

    def acquire_now(self, name: str) -> asyncpg.Connection | None:
        """Return an idle connection without waiting, or None. It counts towards the share of `name`."""
        self._leave_former_primary()
        if not self._is_open or not self._ready or self._ready[-1].is_closed() or not self._shares.acquire_now(name):
            return None
        return self._pop()

    async def acquire(self, name: str, deadline: float) -> asyncpg.Connection:
        """Return a connection that counts towards the share of `name`. `deadline` is a time of the loop's clock.

        Wait until the deadline, at most ACQUIRE_SECONDS. After that, raises TooMany if `name` still holds its full
        share, or TimeoutError if no connection is free. Raises Unavailable if the pool is closed.
        """
        if not self._is_open:
            raise Unavailable()
        now = asyncio.get_running_loop().time()
        deadline = min(deadline, now + ACQUIRE_SECONDS)
        if not self._shares.acquire_now(name):
            await self._shares.acquire(name, deadline - now)
        try:
            return await self._acquire_any(deadline)
        except BaseException:
            self._shares.release(name)
            raise

    async def _acquire_any(self, deadline: float) -> asyncpg.Connection:
        """Reuse an idle connection, open one if a slot is free, or wait for a connection."""
        self._leave_former_primary()
        while self._ready:
            connection = self._pop()
            if not connection.is_closed():
                return connection
            await self._close(connection)
        if self._slots < self.size:
            self._reserve_slot()
        elif (handed := await self._wait(deadline)) is not None:
            return handed
        # `expire` may replace the set while the connection is being opened. The connection then joins the old set, so
        # it is closed when it is returned.
        current = self._current
        try:
            connection = await self._connect(max(deadline - asyncio.get_running_loop().time(), 0.01))
        except BaseException:
            self._release_slot()
            raise
        current.add(connection)
        return connection

    def _pop(self) -> asyncpg.Connection:
        connection = self._ready.pop()
        if len(self._ready) < self._unneeded:
            self._unneeded = len(self._ready)
        return connection

    async def _connect(self, seconds: float) -> asyncpg.Connection:
        return await servers.connect_to_server(
            self.url, timeout=seconds, command_timeout=STATEMENT_SECONDS, **self.options
        )

    def release_now(self, connection: asyncpg.Connection, name: str) -> bool:
        """Return a connection to the pool. Return False if the caller must close it with `release` instead."""
        if not self._is_open or connection not in self._current or connection.is_closed():
            return False
        if not self._wake(connection):
            self._ready.append(connection)
        self._shares.release(name)
        return True

    async def release(self, connection: asyncpg.Connection, name: str, *, is_usable: bool) -> None:
        """Return a connection to the pool.

        Without `is_usable`, close it, because a statement may still be running on it.
        """
        try:
            await self._return_connection(connection, is_usable=is_usable)
        finally:
            self._shares.release(name)

    async def _return_connection(self, connection: asyncpg.Connection, *, is_usable: bool) -> None:
        if not is_usable or not self._is_open or connection not in self._current or connection.is_closed():
            await self._close(connection)
        elif not self._wake(connection):
            self._ready.append(connection)

    def expire(self) -> None:
        """Close the idle connections now, and close the connections in use when they are returned."""
        self._current = set()
        while self._ready:
            self._drop(self._ready.pop())

    def _leave_former_primary(self) -> None:
        """Expire the connections if another connection of this process has found a newer primary."""
        if self._timeline != self._primary.timeline:
            self._timeline = self._primary.timeline
            self.expire()

    def _schedule_idle_check(self) -> None:
        self._unneeded = len(self._ready)
        self._idle_check = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._close_unneeded)

    def _close_unneeded(self) -> None:
        """Close the connections that no caller has needed since the last check. Leave at least one open."""
        while self._unneeded > 0 and len(self._ready) > 1:
            self._unneeded -= 1
            connection = self._ready.pop(0)
            self._current.discard(connection)
            self._drop(connection)
        self._schedule_idle_check()

    def _drop(self, connection: asyncpg.Connection) -> None:
        """Terminate an idle connection. A graceful close would wait for a server that may be down."""
        connection.terminate()
        self._release_slot()

    async def _wait(self, deadline: float) -> asyncpg.Connection | None:
        """Wait in line. Return a connection, or None if the caller got a free slot and must open a connection."""
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[asyncpg.Connection | None] = loop.create_future()
        self._waiting.append(waiter)
        late = loop.call_at(deadline, _fail, waiter)
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                # The caller was cancelled after it had received a connection or a slot. Pass it on.
                if (handed := waiter.result()) is not None:
                    await self._return_connection(handed, is_usable=True)
                else:
                    self._release_slot()
            raise
        finally:
            late.cancel()

    def _wake(self, connection: asyncpg.Connection | None = None) -> bool:
        """Pass the connection, or a slot if it is None, to the caller that has waited longest.

        Return False if no caller waits.
        """
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(connection)
                return True
        return False

    async def _close(self, connection: asyncpg.Connection) -> None:
        """Close the connection, then release its slot.

        In this order, the server never has more than `size` connections.
        """
        self._current.discard(connection)
        try:
            with suppress(Exception):  # if it does not close in time, the driver terminates it
                await connection.close(timeout=CLOSE_SECONDS)
        finally:
            self._release_slot()

    def _reserve_slot(self) -> None:
        self._slots += 1
        self._is_empty.clear()

    def _release_slot(self) -> None:
        """Pass the slot of a closed connection to the caller that has waited longest, or free it if no caller waits.

        Freeing the slot first would let a new caller overtake waiting callers.
        """
        if not self._wake():
            self._slots -= 1
            if not self._slots:
                self._is_empty.set()


def _fail(waiter: "asyncio.Future[asyncpg.Connection | None]") -> None:
    if not waiter.done():
        waiter.set_exception(TimeoutError())
