"""Keep an in-memory copy current: reload it on every NOTIFY, and at intervals in case a notification is lost."""

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

    `reload` runs at start, after each NOTIFY on `channel`, after a reconnect, and every `interval` seconds. However
    many notices arrive during a reload, they cause one more reload. Pass `loaded` if the first copy has already been
    read.
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
        """Reload on every notice and at intervals. This method never returns. It raises when the connection is lost."""
        listening = self._database.listening
        try:
            # A server whose machine is down never closes the connection. This statement detects that by its timeout.
            connection = await listening.join(self._channel, self._noticed.set, ANSWER_SECONDS)
            while not connection.is_closed():
                self._noticed.clear()  # before the reload, so that no later notice is lost
                # Also reload right after LISTEN, because this process was not notified of changes between the first
                # reload and LISTEN.
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
        """Wait at most one interval for a notice. Return whether one arrived."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._interval):  # wait_for can lose a cancellation
                return await self._noticed.wait()
        return False


async def notify_processes(connection: Connection, channel: str) -> None:
    """After this transaction commits, every process that watches the channel reloads its copy."""
    await connection.execute("SELECT pg_notify($1, '')", channel)
