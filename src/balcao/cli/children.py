"""A child process of `balcao serve` as the parent sees it: started, ordered, restarted when it dies, stopped."""

import asyncio
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from socket import socket

import msgspec

from balcao.cli.faults import OperatorFault
from balcao.cli.parts.orders import Order, Report
from balcao.core.logs import log

PATIENCE_SECONDS = 120.0  # for a child to be ready, and for one to stop before it is killed
QUICK_SECONDS = 10.0
MOST_QUICK_DEATHS = 4
PAUSE_SECONDS = 0.5
_SEE = "As mensagens acima dizem por quê."


class Child:
    """`title` names it to the operator; `apart` puts it in a session of its own."""

    def __init__(self, module: str, title: str, *, listening: socket | None = None, apart: bool = False) -> None:
        self.title = title
        self._command = [sys.executable, "-P", "-m", f"balcao.cli.parts.{module}"]
        self._sockets = [listening] if listening else []
        self._apart = apart
        self._process: Process | None = None

    async def spawn(self) -> Process:
        """The process loads its code while the order is still in the making."""
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=PIPE,
                stdout=PIPE,
                pass_fds=[sock.fileno() for sock in self._sockets],
                start_new_session=self._apart,
            )
        return self._process

    async def begin(self, database_url: str = "", services: Sequence[str] = ()) -> Report:
        """Returns once the child works. Raises OperatorFault when it cannot."""
        number = self._sockets[0].fileno() if self._sockets else -1
        self._order = Order(database_url, tuple(services), number)
        return await self._obeyed()

    async def _obeyed(self) -> Report:
        process = await self.spawn()
        assert process.stdin
        assert process.stdout
        process.stdin.write(msgspec.json.encode(self._order) + b"\n")
        try:
            line = await asyncio.wait_for(process.stdout.readline(), PATIENCE_SECONDS)
        except TimeoutError:
            raise OperatorFault(f"{self.title}: não ficou pronto em {PATIENCE_SECONDS:.0f} segundos.") from None
        told = msgspec.json.decode(line, type=Report) if line else Report(refused=self._silent)
        if told.refused:
            raise OperatorFault(told.refused)
        return told

    @property
    def _silent(self) -> str:
        return f"{self.title}: o processo terminou antes de ficar pronto. {_SEE}"

    async def keep(self) -> None:
        """Restarts the child whenever it dies. Raises OperatorFault when it dies again and again."""
        deaths = 0
        while True:
            process, since = await self.spawn(), time.monotonic()
            code = await process.wait()
            deaths = deaths + 1 if time.monotonic() - since < QUICK_SECONDS else 1
            log.error("child.died", child=self.title, code=code, quick_deaths=deaths)
            if deaths >= MOST_QUICK_DEATHS:
                raise OperatorFault(f"{self.title}: o processo caiu {deaths} vezes seguidas. {_SEE}")
            await asyncio.sleep(PAUSE_SECONDS * 2 ** (deaths - 1))
            await self._restarted()

    async def _restarted(self) -> None:
        """One that dies before it is ready counts as the next death."""
        self._process = None
        process = await self.spawn()
        try:
            await self._obeyed()
        except (OperatorFault, ConnectionError):
            await self._stopped(process)

    async def stop(self) -> None:
        """The end of its input tells the child to stop; one that does not is killed."""
        if self._process is not None:
            await self._stopped(self._process)

    async def _stopped(self, process: Process) -> None:
        assert process.stdin
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), PATIENCE_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()

    def kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()


@asynccontextmanager
async def stopping(*children: Child) -> AsyncIterator[None]:
    """Stops these children, together, when the block ends."""
    try:
        yield
    finally:
        await asyncio.gather(*(child.stop() for child in children))
