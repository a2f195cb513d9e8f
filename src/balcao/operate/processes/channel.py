"""The messages between the supervisor and a process: one order in, reports and heartbeats out.

A process's standard input is a pipe that only the supervisor holds open: its end of file means "stop", also when the
supervisor was killed, as the kernel closes it. Standard output carries reports, one JSON object a line; an empty line
is a heartbeat, which shows that the event loop turns, or before that one does, that the process loads its code.
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
# Loading code takes minutes only on a machine that does nothing else any more; then it hangs.
MOST_BEATS_WHILE_LOADING = 300


class Watched(msgspec.Struct, frozen=True):
    """What a management port answers for: processes by name, its own first, and whether one of them runs jobs."""

    processes: tuple[str, ...] = ()
    with_jobs: bool = False


class Order(msgspec.Struct, frozen=True):
    """What a process runs on; `sockets` are descriptors of listening sockets that it inherits, by role.

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
    watched: Watched = Watched()

    def group(self, role: str) -> ProcessGroup:
        """Return the place of one of the process's roles among those of the whole `balcao serve`."""
        count = self.count if role in {"api", "panel"} else 1
        return ProcessGroup(Path(self.folder) if self.folder else None, self.number % count, count, role)


class Report(msgspec.Struct, frozen=True, omit_defaults=True):
    """`progress` says what a process is doing, `ready` that it works, `refused` why it cannot, for the operator.

    `offer` is what the demo data have to try, in the trial's own form.
    """

    progress: str = ""
    ready: bool = False
    refused: str = ""
    base_urls: dict[str, str] = {}
    offer: dict[str, Any] | None = None


def receive_order() -> Order:
    """Return the order once the supervisor has sent it; exit when the supervisor is gone."""
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    return msgspec.json.decode(line, type=Order)


def send_report(report: Report) -> None:
    """Send a report to the supervisor."""
    _send(msgspec.json.encode(report))


@contextmanager
def beating_while_loading() -> Iterator[None]:
    """Send heartbeats while the block, in which no event loop turns yet, lasts; for some minutes at most."""
    loaded = threading.Event()

    def beat() -> None:
        with suppress(OSError):  # the supervisor is gone, which our standard input tells
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
    """Send heartbeats, which stop when the event loop stands still."""
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
    """Turn the end of the supervisor into a SIGTERM to ourselves; end a process that does not stop in time."""
    threading.Thread(target=_end_with_supervisor, args=(grace,), daemon=True).start()


def _end_with_supervisor(grace: float) -> None:
    while os.read(0, 1024):  # not through `sys.stdin`, whose lock the ending interpreter wants
        continue
    end_process(grace)


def end_process(grace: float = GRACE_SECONDS) -> None:
    """Ask our own process to stop, and end it when it does not in time."""
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace)
    os._exit(70)
