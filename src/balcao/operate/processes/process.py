"""Start a process for the supervisor, send its order, replace it if it dies or freezes, and stop it."""

import asyncio
import os
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from socket import socket

import msgspec

from balcao.core.logs import log
from balcao.operate.faults import OperatorFault
from balcao.operate.processes.channel import BEAT_SECONDS, Order, Report

# How many heartbeats a process may miss before it counts as frozen: until it is ready, and later. Until then no caller
# waits for it. Starting the interpreter and building the application (0.9 s of CPU time during which the event loop is
# blocked, mostly to compile the templates of the site) take long on a busy machine.
MOST_MISSED_AT_START = 60
MOST_MISSED = 10
STOP_SECONDS = 30.0  # longer than a process's own limit, `GRACE_SECONDS`
STABLE_SECONDS = 60.0
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 30.0


def pause_after(failures: int) -> float:
    """Return how many seconds to wait before the next attempt after this many consecutive failures."""
    return float(min(FIRST_PAUSE_SECONDS * 2.0 ** min(failures - 1, 10), LONGEST_PAUSE_SECONDS))


class Process:
    """A process that is replaced if it dies. `title` is its name for the operator.

    `roles` are modules of `balcao.operate.processes`, except `crm`, which is a part of the trial. `sockets` contains
    the sockets by role. The process gets our environment and `environment`, but not the variables in `withheld`.
    """

    def __init__(
        self,
        title: str,
        roles: Sequence[str],
        sockets: Mapping[str, socket],
        environment: Mapping[str, str],
        withheld: Collection[str] = (),
    ) -> None:
        self.title = title
        # -P stops the process from importing modules from the current folder.
        self._command = [sys.executable, "-P", "-m", "balcao.operate.processes", *roles]
        self._sockets = sockets
        given = {**os.environ, **environment}
        self._environment = {name: value for name, value in given.items() if name not in withheld}
        self._order = Order()
        self._started: _Started | None = None

    async def spawn(self) -> None:
        """Start the process, which imports its code while it waits for its order."""
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=PIPE,
            stdout=PIPE,
            pass_fds=[sock.fileno() for sock in self._sockets.values()],
            env=self._environment,
        )
        self._started = _Started(process, self.title)

    async def begin(self, order: Order, progress: Callable[[str], None]) -> Report:
        """Send the order and return the report of the ready process. Raises OperatorFault if it cannot start."""
        self._order = msgspec.structs.replace(
            order, sockets={role: sock.fileno() for role, sock in self._sockets.items()}
        )
        assert self._started
        ready = await self._started.send_order(self._order, progress)
        self._order = msgspec.structs.replace(self._order, prepare=False, describe=False)
        return ready

    async def keep_running(self) -> None:
        """Replace the process whenever it dies or freezes. The pauses grow while it fails repeatedly."""
        failures = 0
        while True:
            assert self._started
            since = time.monotonic()
            code = await self._started.wait()
            failures = 1 if time.monotonic() - since > STABLE_SECONDS else failures + 1
            pause = pause_after(failures)
            log.error("process.died", process=self.title, code=code, next_try_seconds=pause)
            await asyncio.sleep(pause)
            await self._replace()

    async def _replace(self) -> None:
        """Start a replacement. If it dies or refuses to start, this counts as the next failure."""
        try:
            await self.spawn()
            assert self._started
            await self._started.send_order(self._order, lambda _: None)
        except OperatorFault as fault:
            log.error("process.refused", process=self.title, reason=str(fault))
            await self.stop()
        except OSError as fault:
            log.error("process.refused", process=self.title, reason=fault.strerror)

    async def stop(self) -> None:
        """Stop the process by closing its standard input. Kill it if it does not stop in time."""
        if self._started is not None:
            await self._started.stop()

    def kill(self) -> None:
        """Kill the process immediately."""
        if self._started is not None:
            self._started.kill()


class _Started:
    """An operating system process from its start to its end."""

    def __init__(self, process: asyncio.subprocess.Process, title: str) -> None:
        self._process = process
        self._title = title
        self._reports: asyncio.Queue[Report | None] = asyncio.Queue()
        self._missed = 0
        self._most_missed = MOST_MISSED_AT_START
        self._reading = asyncio.create_task(self._read())
        self._watching: asyncio.Task[None] | None = None

    async def send_order(self, order: Order, progress: Callable[[str], None]) -> Report:
        """Send the order and return the report of the ready process. Raises OperatorFault if it cannot start."""
        self._watching = asyncio.create_task(self._watch())
        assert self._process.stdin
        self._process.stdin.write(msgspec.json.encode(order) + b"\n")
        while report := await self._reports.get():
            if report.refused:
                raise OperatorFault(report.refused)
            if report.ready:
                return report
            progress(report.progress)
        raise OperatorFault(
            f"{self._title}: o processo terminou antes de ficar pronto. As mensagens acima dizem por quê."
        )

    async def _read(self) -> None:
        """Read reports and heartbeats until the process ends. At the end, put None into the queue."""
        assert self._process.stdout
        async for line in self._process.stdout:
            self._missed = 0
            if line.strip():
                report = msgspec.json.decode(line, type=Report)
                if report.ready:
                    self._most_missed = MOST_MISSED
                self._reports.put_nowait(report)
        self._reports.put_nowait(None)

    async def _watch(self) -> None:
        """Kill the process if its event loop is blocked. The supervisor then replaces it.

        This counts iterations of our own loop instead of seconds, so that no process seems frozen after the machine was
        suspended.
        """
        while self._process.returncode is None:
            await asyncio.sleep(BEAT_SECONDS)
            self._missed += 1
            if self._missed > self._most_missed:
                log.error("process.frozen", process=self._title, seconds=self._missed * BEAT_SECONDS)
                self.kill()
                return

    async def wait(self) -> int:
        """Wait until the process has ended, and return its exit code."""
        code = await self._process.wait()
        if self._watching:
            self._watching.cancel()
        await self._reading
        return code

    async def stop(self) -> None:
        """Close the standard input, and kill the process if it does not end in time."""
        assert self._process.stdin
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self.wait(), STOP_SECONDS)
        except TimeoutError:
            self.kill()
            await self.wait()

    def kill(self) -> None:
        """Kill the process if it has not ended."""
        if self._process.returncode is None:
            self._process.kill()


@asynccontextmanager
async def stopping(processes: Sequence[Process]) -> AsyncIterator[None]:
    """Stop these processes concurrently when the block ends."""
    try:
        yield
    finally:
        await asyncio.gather(*(process.stop() for process in processes))
