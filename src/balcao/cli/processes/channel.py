"""What passes between the supervisor and a process: one order in, reports and a heartbeat out, an end by the kernel.

A process's standard input is a pipe that only the supervisor holds open: its end of file means "stop", also when the
supervisor was killed. Nothing has to be cleaned up for that, and it works on every system. Standard output carries
reports, one JSON object a line; an empty line is a heartbeat: the event loop turns.
"""

import asyncio
import os
import signal
import sys
import threading
import time
from pathlib import Path

import msgspec

from balcao.cli.offer import Offer
from balcao.core.context.processes import ProcessGroup

GRACE_SECONDS = 15.0
BEAT_SECONDS = 1.0


class Order(msgspec.Struct, frozen=True):
    """What a process is to run on; `sockets` are descriptors of listening sockets that it inherits, by role.

    `prepare`: migrate the database and load the demo data first, else only check it. `describe`: report the offer.
    It is process `number` of `count` with the same role; all share `folder`.
    """

    database_url: str = ""
    services: tuple[str, ...] = ()
    sockets: dict[str, int] = {}
    prepare: bool = False
    describe: bool = False
    folder: str = ""
    number: int = 0
    count: int = 1

    def group(self, role: str) -> ProcessGroup:
        """Return the place of one of the process's roles among those of the whole `balcao serve`."""
        count = self.count if role == "api" else 1
        return ProcessGroup(Path(self.folder) if self.folder else None, self.number % count, count, role)


class Report(msgspec.Struct, frozen=True, omit_defaults=True):
    """`progress` is what a process is at; `ready`, that it works; `refused`, why it cannot, for the operator."""

    progress: str = ""
    ready: bool = False
    refused: str = ""
    base_urls: dict[str, str] = {}
    offer: Offer | None = None


def receive() -> Order:
    """Return the order once the supervisor has given it; end when the supervisor has gone."""
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    return msgspec.json.decode(line, type=Order)


def report(report: Report) -> None:
    """Send a report to the supervisor."""
    _send(msgspec.json.encode(report))


async def beat() -> None:
    """Show for as long as this runs that the event loop turns."""
    while True:
        _send(b"")
        await asyncio.sleep(BEAT_SECONDS)


def _send(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def ignore_interrupts() -> None:
    """Leave Ctrl-C, which a terminal sends to the whole group, to the supervisor: it stops processes in their order."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def end_with_supervisor(grace: float = GRACE_SECONDS) -> None:
    """Turn the end of the supervisor into a SIGTERM to ourselves; cut off a process that does not obey in time."""
    threading.Thread(target=_end_with_supervisor, args=(grace,), daemon=True).start()


def _end_with_supervisor(grace: float) -> None:
    while os.read(0, 1024):  # not through `sys.stdin`, whose lock the ending interpreter wants
        continue
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace)
    os._exit(70)
