"""The connections of one process: opened when they are needed, handed from user to user, replaced, closed."""

import asyncio
from collections import deque
from contextlib import suppress
from typing import Any

import asyncpg

from balcao.core.database import servers
from balcao.core.database.connection_quota import ConnectionQuota
from balcao.core.database.faults import StoreFaults
from balcao.core.errors import Unavailable

ACQUIRE_SECONDS = 2.0
# The bound of a statement that has none of its own.
STATEMENT_SECONDS = 30.0
# How long closing may take, waiting for the end of a cancelled statement included.
CLOSE_SECONDS = 2.0
# A connection that nobody needed for so long is closed: PostgreSQL keeps 2 to 10 MB for each, whatever it does.
IDLE_SECONDS = 60.0


class Connections:
    """At most `size` connections; a caller holds at most half of them at once. One is kept, the others while needed.

    They carry no session state, so that one that was used goes to the next user as it is. A pool of our own: the
    driver's costs more than a read does (ADR 0012).
    """

    def __init__(self, url: str, size: int, options: dict[str, Any]) -> None:
        """Open nothing yet; `options` are the driver's, of every connection."""
        self.url = url
        self.size = size
        self.options = options
        self._shares = ConnectionQuota(max(1, size // 2))
        self._is_open = False
        self._ready: list[asyncpg.Connection] = []  # the one used last is the next one to be taken
        self._unneeded = 0  # how few were ready at any time since the last look
        self._looking: asyncio.TimerHandle | None = None
        self._places = 0  # taken, of `size`: by connections in use, ready, or being opened or closed
        self._is_empty = asyncio.Event()  # no place is taken
        self._current: set[asyncpg.Connection] = set()  # opened since all were last replaced
        self._waiting: deque[asyncio.Future[asyncpg.Connection | None]] = deque()

    async def open(self, seconds: float = 60.0) -> None:
        """Connect to the server. Raises Unavailable when it cannot be reached within this time."""
        with StoreFaults():
            connection = await self._connect(seconds)
        self._is_open = True
        self._take_place()
        self._current.add(connection)
        self._ready.append(connection)
        self._look_later()

    @property
    def in_use(self) -> int:
        """Return how many of its connections work for somebody now."""
        return self._places - len(self._ready)

    @property
    def waiting(self) -> int:
        """Return how many wait for a connection now."""
        return sum(not turn.done() for turn in self._waiting)

    async def close(self) -> None:
        """Wait until what is in use was given back, and close every connection."""
        self._is_open = False  # from here on what is given back is closed
        if self._looking is not None:
            self._looking.cancel()
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_exception(Unavailable())
        while self._ready:
            await self._close(self._ready.pop())
        if self._places:
            await self._is_empty.wait()

    def take_now(self, name: str) -> asyncpg.Connection | None:
        """Take a connection in the holder's name if one is ready, so that there is nothing to wait for."""
        if not self._is_open or not self._ready or self._ready[-1].is_closed() or not self._shares.take_now(name):
            return None
        return self._pop()

    async def take(self, name: str, deadline: float) -> asyncpg.Connection:
        """Take a connection in the holder's name; `deadline` is an instant of the loop's clock.

        Raises TimeoutError at the deadline, or after two seconds; TooMany when the holder has too many at once.
        """
        if not self._is_open:
            raise Unavailable()
        now = asyncio.get_running_loop().time()
        deadline = min(deadline, now + ACQUIRE_SECONDS)
        if not self._shares.take_now(name):
            await self._shares.take(name, deadline - now)
        try:
            return await self._take_any(deadline)
        except BaseException:
            self._shares.give_back(name)
            raise

    async def _take_any(self, deadline: float) -> asyncpg.Connection:
        """Take the connection used last, else open one while there is a place for it.

        When all are in use, wait for the next that is given back.
        """
        while self._ready:
            connection = self._pop()
            if not connection.is_closed():
                return connection
            await self._close(connection)
        if self._places < self.size:
            self._take_place()
        elif (handed := await self._wait(deadline)) is not None:
            return handed
        current = self._current  # should all be replaced while it is opened, it is not one of the new ones
        try:
            connection = await self._connect(max(deadline - asyncio.get_running_loop().time(), 0.01))
        except BaseException:
            self._pass_place_on()
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

    def give_back_now(self, connection: asyncpg.Connection, name: str) -> bool:
        """Give the holder's connection to the next user; return False for one that is to be closed instead."""
        if not self._is_open or connection not in self._current or connection.is_closed():
            return False
        if not self._wake(connection):
            self._ready.append(connection)
        self._shares.give_back(name)
        return True

    async def give_back(self, connection: asyncpg.Connection, name: str, *, sound: bool) -> None:
        """Give the holder's connection to the next user, or close it when its last statement may not have ended."""
        try:
            await self._hand_on(connection, sound=sound)
        finally:
            self._shares.give_back(name)

    async def _hand_on(self, connection: asyncpg.Connection, *, sound: bool) -> None:
        if not sound or not self._is_open or connection not in self._current or connection.is_closed():
            await self._close(connection)
        elif not self._wake(connection):
            self._ready.append(connection)

    def expire(self) -> None:
        """Replace every connection: those in use when they are given back."""
        self._current = set()
        while self._ready:
            self._drop(self._ready.pop())

    def _look_later(self) -> None:
        self._unneeded = len(self._ready)
        self._looking = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._shed)

    def _shed(self) -> None:
        """Close those that were ready all the time since the last look, but for the last one."""
        while self._unneeded > 0 and len(self._ready) > 1:
            self._unneeded -= 1
            connection = self._ready.pop(0)
            self._current.discard(connection)
            self._drop(connection)
        self._look_later()

    def _drop(self, connection: asyncpg.Connection) -> None:
        """Cut a ready connection: closing it would wait for a server that may be gone."""
        connection.terminate()
        self._pass_place_on()

    async def _wait(self, deadline: float) -> asyncpg.Connection | None:
        """Wait in line for a connection; None stands for the place of one that is gone, to be filled with a new one."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[asyncpg.Connection | None] = loop.create_future()
        self._waiting.append(turn)
        late = loop.call_at(deadline, _fail, turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                # Handed over at the moment at which the caller gave up.
                if (handed := turn.result()) is not None:
                    await self._hand_on(handed, sound=True)
                else:
                    self._pass_place_on()
            raise
        finally:
            late.cancel()

    def _wake(self, connection: asyncpg.Connection | None = None) -> bool:
        """Hand the connection, or the place of one, to who waits longest; return whether anybody waited."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(connection)
                return True
        return False

    async def _close(self, connection: asyncpg.Connection) -> None:
        """Close it and pass its place on, after the statement that may be under way: the server has no more places."""
        self._current.discard(connection)
        try:
            with suppress(Exception):  # a connection that does not close in time is cut by the driver
                await connection.close(timeout=CLOSE_SECONDS)
        finally:
            self._pass_place_on()

    def _take_place(self) -> None:
        self._places += 1
        self._is_empty.clear()

    def _pass_place_on(self) -> None:
        """Give the place of a connection that is gone to the next in line, else free it.

        Free in between, a newcomer could take it, and who waits in line would be overtaken.
        """
        if not self._wake():
            self._places -= 1
            if not self._places:
                self._is_empty.set()


def _fail(turn: "asyncio.Future[asyncpg.Connection | None]") -> None:
    if not turn.done():
        turn.set_exception(TimeoutError())
