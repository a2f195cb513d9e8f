"""The messages between the supervisor and a process: one order in, reports and heartbeats out.

Standard input: a pipe that only the supervisor holds open. When it reaches end of file, the process stops. If the
supervisor is killed, the kernel closes the pipe.

Standard output: reports, one JSON object per line. An empty line is a heartbeat. It shows that the event loop runs or,
earlier, that the process is still importing its code.
"""

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from balcao.core.context.processes import ProcessGroup

GRACE_SECONDS = 15.0
BEAT_SECONDS = 1.0
# The maximum number of heartbeats while a process imports its code, one each second. Imports take longer only on an
# overloaded machine. Then the heartbeats stop, and the process counts as frozen.
MOST_BEATS_WHILE_LOADING = 300


class Watched(msgspec.Struct, frozen=True):
    """The processes on which a management port reports.

    `processes` are their names, of which the first is the process that serves the port. `with_jobs`: one of them runs
    jobs.
    """

    processes: tuple[str, ...] = ()
    with_jobs: bool = False


class Order(msgspec.Struct, frozen=True):
    """The order for a process. `sockets` are the descriptors of the inherited sockets, by role.

    With `prepare`, the process migrates the database and, in the sandbox, loads the demo data; otherwise it only checks
    the database. With `describe`, it reports the addresses and, in the sandbox, the demo offer. `number` is the number
    of the process, from 0. The first `count` processes are those that callers reach. All processes share `folder`.
    """

    database_url: str = ""
    services: tuple[str, ...] = ()
    sockets: dict[str, int] = {}
    prepare: bool = False
    describe: bool = False
    folder: str = ""
    number: int = 0
    count: int = 1
    watched: Watched = Watched()

    def group(self, role: str) -> ProcessGroup:
        """Return the position of a role of this process within the whole `balcao serve`."""
        count = self.count if role in {"api", "panel", "site"} else 1
        return ProcessGroup(Path(self.folder) if self.folder else None, self.number % count, count, role)


class Report(msgspec.Struct, frozen=True, omit_defaults=True):
    """A report to the supervisor: the `progress` of a start, that the process is `ready`, or why it `refused` to start.

    `offer` describes the demo data that a user can try, in the trial's own format.
    """

    progress: str = ""
    ready: bool = False
    refused: str = ""
    base_urls: dict[str, str] = {}
    offer: dict[str, Any] | None = None


def receive_order() -> Order:
    """Wait for the supervisor's order and return it. Exit if the supervisor has ended."""
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    return msgspec.json.decode(line, type=Order)


def send_report(report: Report) -> None:
    """Send a report to the supervisor."""
    _send(msgspec.json.encode(report))


@contextmanager
def beating_while_loading() -> Iterator[None]:
    """Send heartbeats during the block, while no event loop runs yet. They stop after five minutes."""
    loaded = threading.Event()

    def beat() -> None:
        with suppress(OSError):  # if the supervisor has ended, standard input reveals it
            for _ in range(MOST_BEATS_WHILE_LOADING):
                os.write(sys.stdout.fileno(), b"\n")
                if loaded.wait(BEAT_SECONDS):
                    return

    thread = threading.Thread(target=beat, name="loading", daemon=True)
    thread.start()
    try:
        yield
    finally:
        loaded.set()
        thread.join()


async def send_beat() -> None:
    """Send heartbeats from the event loop, so that they stop if the loop is blocked."""
    while True:
        _send(b"")
        await asyncio.sleep(BEAT_SECONDS)


def _send(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def ignore_interrupts() -> None:
    """Block SIGINT. A terminal sends Ctrl-C to all processes, but the supervisor must stop them in order."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def end_with_supervisor(grace: float = GRACE_SECONDS) -> None:
    """Send SIGTERM to this process when the supervisor ends. Exit if the process does not stop in time."""
    threading.Thread(target=_end_with_supervisor, args=(grace,), daemon=True).start()


def _end_with_supervisor(grace: float) -> None:
    while os.read(0, 1024):  # not `sys.stdin`, whose lock is needed to shut down
        continue
    end_process(grace)


def end_process(grace: float = GRACE_SECONDS) -> None:
    """Send SIGTERM to this process, and exit if it does not stop in time."""
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace)
    os._exit(70)  # EX_SOFTWARE of sysexits.h
