"""The messages between the supervisor and a process: one order in, reports and heartbeats out.

A process's standard input is a pipe that only the supervisor holds open. Its end of file means "stop". If the
supervisor is killed, the kernel closes the pipe. Standard output has reports, one JSON object per line. An empty line
is a heartbeat. It shows that the event loop runs or, before that, that the process imports its code.
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
# Imports only take longer than this many seconds on a machine that is overloaded. Then the process counts as frozen.
MOST_BEATS_WHILE_LOADING = 300


class Watched(msgspec.Struct, frozen=True):
    """The scope of a management port: processes by name, its own first, and whether one of them runs jobs."""

    processes: tuple[str, ...] = ()
    with_jobs: bool = False


class Order(msgspec.Struct, frozen=True):
    """The order for a process. `sockets` are the descriptors of inherited listening sockets, by role.

    `prepare` means to migrate the database and load the demo data, otherwise they are only checked. `describe` means to
    report the addresses and the offer. `number` counts the processes from 0, those that callers reach before the
    worker, and `count` is the number of those that callers reach. All of them share `folder`.
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
        """Return the position of one of the process's roles within the whole `balcao serve`."""
        count = self.count if role in {"api", "panel"} else 1
        return ProcessGroup(Path(self.folder) if self.folder else None, self.number % count, count, role)


class Report(msgspec.Struct, frozen=True, omit_defaults=True):
    """A report of a process: its `progress`, that it is `ready`, or why it `refused`, in words for the operator.

    `offer` describes the demo data that a user can try, in the trial's own format.
    """

    progress: str = ""
    ready: bool = False
    refused: str = ""
    base_urls: dict[str, str] = {}
    offer: dict[str, Any] | None = None


def receive_order() -> Order:
    """Wait for the supervisor's order and return it. Exit if the supervisor is gone."""
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    return msgspec.json.decode(line, type=Order)


def send_report(report: Report) -> None:
    """Send a report to the supervisor."""
    _send(msgspec.json.encode(report))


@contextmanager
def beating_while_loading() -> Iterator[None]:
    """Send heartbeats during the block, in which no event loop runs yet. They stop after some minutes."""
    loaded = threading.Event()

    def beat() -> None:
        with suppress(OSError):  # the supervisor is gone; our standard input shows it
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
    """Send heartbeats from the event loop, so that they stop if it is blocked."""
    while True:
        _send(b"")
        await asyncio.sleep(BEAT_SECONDS)


def _send(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def ignore_interrupts() -> None:
    """Leave Ctrl-C to the supervisor, which stops the processes in order. A terminal sends it to the whole group."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def end_with_supervisor(grace: float = GRACE_SECONDS) -> None:
    """Send SIGTERM to ourselves when the supervisor ends. Exit if the process does not stop in time."""
    threading.Thread(target=_end_with_supervisor, args=(grace,), daemon=True).start()


def _end_with_supervisor(grace: float) -> None:
    while os.read(0, 1024):  # not `sys.stdin`: interpreter shutdown needs its lock
        continue
    end_process(grace)


def end_process(grace: float = GRACE_SECONDS) -> None:
    """Ask our own process to stop, and exit if it does not stop in time."""
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace)
    os._exit(70)  # EX_SOFTWARE of sysexits.h
