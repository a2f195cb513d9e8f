"""Keep an in-memory copy current. Reload it on every NOTIFY and, in case a notification is lost, at intervals."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from balcao.core.database.pool import Connection, Database
from balcao.core.logs import log

# The pause before the next attempt to listen. It doubles after each failure.
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0
# The timeout of a statement on the listening connection.
ANSWER_SECONDS = 3.0


class Watch:
    """A watch that calls `reload` whenever the copy may be outdated.

    `reload` runs at start, after each NOTIFY on `channel`, after a reconnect, and every `interval` seconds. Any number
    of notices during a reload cause one more reload. Pass `loaded` if the first copy was already read.
    """

    def __init__(
        self,
        database: Database,
        channel: str,
        interval: float,
        reload: Callable[[], Awaitable[None]],
        *,
        loaded: bool = False,
    ) -> None:
        self._database = database
        self._channel = channel
        self._interval = interval
        self._reload = reload
        self._loaded = loaded
        self._noticed = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._pause = FIRST_PAUSE_SECONDS

    async def start(self) -> None:
        """Run the first reload unless `loaded`, then watch in the background. Raises any error of the first reload."""
        if not self._loaded:
            await self._reload()
        self._keeper = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        """Stop watching."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)

    async def _follow(self) -> None:
        while True:
            try:
                await self._listen()
            except Exception as failure:
                log.warning("watch.lost", channel=self._channel, code=type(failure).__name__)
                await asyncio.sleep(self._pause)
                self._pause = min(self._pause * 2, LONGEST_PAUSE_SECONDS)

    async def _listen(self) -> None:
        """Reload on every notice and at intervals until the connection is lost. Never returns, always raises."""
        listening = self._database.listening
        try:
            # A server whose machine is gone never closes the connection. This statement timeout detects it.
            connection = await listening.join(self._channel, self._noticed.set, ANSWER_SECONDS)
            while not connection.is_closed():
                self._noticed.clear()  # before the reload, so that no later notice is lost
                # Reload also right after joining: a change between the first reload and LISTEN sent no notice here.
                if not self._loaded:
                    await self._reload()
                self._loaded = False
                self._pause = FIRST_PAUSE_SECONDS
                if not await self._wait():
                    await listening.ask(connection)
            raise ConnectionError
        finally:
            await listening.leave(self._channel, self._noticed.set)

    async def _wait(self) -> bool:
        """Wait for a notice, at most one interval. Return whether a notice arrived."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._interval):  # wait_for can lose a cancellation
                return await self._noticed.wait()
        return False


async def notify_processes(connection: Connection, channel: str) -> None:
    """Make every process that watches the channel reload after this transaction commits."""
    await connection.execute("SELECT pg_notify($1, '')", channel)
