"""What passes between `balcao serve` and its children: one order in, one report out, an end that the kernel tells.

A child's standard input is a pipe that only the parent holds open: its end of file means "stop", also when the parent
was killed. Nothing has to be cleaned up for that, and it works on every system.
"""

import os
import signal
import sys
import threading
import time

import msgspec

GRACE_SECONDS = 15.0


class Order(msgspec.Struct, frozen=True):
    """What a child is to run on; `socket` is the descriptor of a listening socket that it inherits."""

    database_url: str = ""
    services: tuple[str, ...] = ()
    socket: int = -1


class Report(msgspec.Struct, frozen=True):
    """A child works; or it cannot, and `refused` tells the operator why."""

    database_url: str = ""
    refused: str = ""


def hear() -> Order:
    """The order, once the parent has given it. Ctrl-C is the parent's matter: it stops its children in their order."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    return msgspec.json.decode(line, type=Order)


def report(told: Report) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(told) + b"\n")
    sys.stdout.buffer.flush()


def end_with_parent(grace: float = GRACE_SECONDS) -> None:
    """The end of the parent becomes a SIGTERM to ourselves; who does not obey in time is cut off."""
    threading.Thread(target=_end_with_parent, args=(grace,), daemon=True).start()


def _end_with_parent(grace: float) -> None:
    while os.read(0, 1024):  # not through `sys.stdin`, whose lock the ending interpreter wants
        continue
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace)
    os._exit(70)
