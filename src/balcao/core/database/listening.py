"""The one connection on which a process listens to a database, whatever the number of those who do."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import asyncpg

Notice = Callable[[], None]


class Listening:
    """Opened for the first who listens, closed with the last; all of them hear of its end, and have to join again."""

    def __init__(self, open_connection: Callable[[float], Awaitable[asyncpg.Connection]]) -> None:
        """Open nothing yet; `open_connection` is given the seconds that each of its statements may take."""
        self._open_connection = open_connection
        self._connection: asyncpg.Connection | None = None
        self._channels: set[str] = set()
        self._notices: dict[str, set[Notice]] = {}
        self._turn = asyncio.Lock()  # a connection does one thing at a time

    async def join(self, channel: str, notice: Notice, answer_seconds: float) -> asyncpg.Connection:
        """Have `notice` called for each notice on the channel, and once the connection that is returned has ended.

        Raises what connecting and LISTEN raise; whoever tried leaves, too.
        """
        self._notices.setdefault(channel, set()).add(notice)
        async with self._turn:
            if self._connection is None or self._connection.is_closed():
                self._connection = await self._open_connection(answer_seconds)
                self._connection.add_termination_listener(self._tell_all)
                self._channels = set()
            connection = self._connection
            if channel not in self._channels:
                await self._run(connection, connection.add_listener(channel, self._tell))
                self._channels.add(channel)
            return connection

    async def ask(self, connection: asyncpg.Connection) -> None:
        """See that the server still answers. Raises what its silence, or the connection's end, raises."""
        async with self._turn:
            await self._run(connection, connection.execute("SELECT"))

    async def leave(self, channel: str, notice: Notice) -> None:
        """Call `notice` no more."""
        self._notices[channel].discard(notice)
        if not any(self._notices.values()):
            connection, self._connection = self._connection, None
            if connection is not None:
                # A fault of closing would hide what ended the listening.
                with suppress(Exception):
                    await connection.close(timeout=1)

    async def _run(self, connection: asyncpg.Connection, statement: Awaitable[Any]) -> None:
        """Run a statement; after one that failed, or was cancelled, the connection is nobody's any more."""
        try:
            await statement
        except BaseException:
            connection.terminate()
            raise

    def _tell(self, _connection: Any, _process: int, channel: str, _payload: Any) -> None:
        for notice in tuple(self._notices.get(channel, ())):
            notice()

    def _tell_all(self, _: Any) -> None:
        for notices in tuple(self._notices.values()):
            for notice in tuple(notices):
                notice()
