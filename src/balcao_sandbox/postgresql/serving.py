"""Runs the embedded PostgreSQL for `balcao serve`: starts it first, restarts it if it dies, and stops it last."""

import asyncio
import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from balcao.core.logs import log
from balcao.operate.faults import OperatorFault
from balcao.operate.processes.process import STABLE_SECONDS, pause_after
from balcao_sandbox.postgresql import disk, supervisor
from balcao_sandbox.postgresql.supervisor import PostgresqlError, Running


class EmbeddedDatabase:
    """The PostgreSQL server of a data folder.

    Starting and stopping the server blocks, so both run in a thread. The event loop remains free to handle signals.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._start: asyncio.Future[Running] | None = None

    async def start(self) -> str:
        """Start the server. Return its address when it responds.

        Raises PostgresqlError if the server cannot start.
        """
        self._start = asyncio.ensure_future(asyncio.to_thread(supervisor.start, self._folder, attach=False))
        running = await asyncio.shield(self._start)  # `stop` waits for the start even if this task is cancelled
        return running.server.url

    @contextlib.contextmanager
    def name_full_disk(self) -> Iterator[None]:
        """If the block fails and the disk is full, raise an OperatorFault that explains this."""
        try:
            yield
        except (OperatorFault, PostgresqlError) as fault:
            if disk.is_disk_full(self._folder):
                raise OperatorFault(disk.describe_full(self._folder)) from fault
            raise

    async def keep_running(self) -> None:
        """Restart the server whenever it dies. The pauses between attempts become longer."""
        failures = 0
        while True:
            since = time.monotonic()
            await self._wait_until_ended()
            failures = 1 if time.monotonic() - since > STABLE_SECONDS else failures + 1
            log.error("database.died", next_try_seconds=pause_after(failures))
            await asyncio.sleep(pause_after(failures))
            try:
                await self.start()
            except PostgresqlError as fault:
                log.error("database.refused", reason=str(fault))

    async def _wait_until_ended(self) -> None:
        """Wait until the server has ended unexpectedly or has failed to start."""
        assert self._start
        with contextlib.suppress(PostgresqlError):
            running = await self._start
            await asyncio.to_thread(running.wait)
            await asyncio.to_thread(running.stop)  # frees the lock and the socket for the next start

    async def stop(self) -> None:
        """Shut the server down, even if it is still starting."""
        if self._start is not None:
            with contextlib.suppress(PostgresqlError):
                await asyncio.to_thread((await self._start).stop)
