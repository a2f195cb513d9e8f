"""One LISTEN connection that all watchers of a process share."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import asyncpg

Notice = Callable[[], None]


class Listening:
    """A connection that the first listener opens and the last listener closes.

    If it is lost, all listeners must rejoin.
    """

    def __init__(self, open_connection: Callable[[float], Awaitable[asyncpg.Connection]]) -> None:
        """Store the settings without connecting. `open_connection` receives the statement timeout in seconds."""
        self._open_connection = open_connection
        self._connection: asyncpg.Connection | None = None
        self._channels: set[str] = set()
        self._notices: dict[str, set[Notice]] = {}
        self._lock = asyncio.Lock()  # the driver runs only one statement at a time on a connection

    async def join(self, channel: str, notice: Notice, answer_seconds: float) -> asyncpg.Connection:
        """Call `notice` for each NOTIFY on the channel, and once when the returned connection is lost.

        Errors while connecting or running LISTEN are raised. The caller must call `leave` after such an error too.
        """
        self._notices.setdefault(channel, set()).add(notice)
        async with self._lock:
            if self._connection is None or self._connection.is_closed():
                self._connection = await self._open_connection(answer_seconds)
                self._connection.add_termination_listener(self._notify_all)
                self._channels = set()
            connection = self._connection
            if channel not in self._channels:
                await self._run(connection, connection.add_listener(channel, self._notify))
                self._channels.add(channel)
            return connection

    async def ask(self, connection: asyncpg.Connection) -> None:
        """Check that the server still responds. Raises TimeoutError or the driver's exception if it does not."""
        async with self._lock:
            await self._run(connection, connection.execute("SELECT"))

    async def leave(self, channel: str, notice: Notice) -> None:
        """Stop calling `notice`. Close the connection if no listener is left."""
        self._notices[channel].discard(notice)
        if not any(self._notices.values()):
            connection, self._connection = self._connection, None
            if connection is not None:
                # Suppress exceptions from closing. They would hide the exception that ended the listening.
                with suppress(Exception):
                    await connection.close(timeout=1)

    async def _run(self, connection: asyncpg.Connection, statement: Awaitable[Any]) -> None:
        """Run a statement. If it fails or is cancelled, terminate the connection, so that all listeners rejoin."""
        try:
            await statement
        except BaseException:
            connection.terminate()
            raise

    def _notify(self, _connection: Any, _process: int, channel: str, _payload: Any) -> None:
        for notice in tuple(self._notices.get(channel, ())):
            notice()

    def _notify_all(self, _: Any) -> None:
        for notices in tuple(self._notices.values()):
            for notice in tuple(notices):
                notice()
