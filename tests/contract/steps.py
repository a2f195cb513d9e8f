"""Measures how long one step of the event loop delays all other work, in units of a liveness response.

A step is all work that the loop does between two polls of its sockets. Only the CPU time of the loop's thread counts,
so other processes and threads do not distort the result. A slow machine slows down both sides of the comparison.
"""

import asyncio
import gc
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import thread_time
from typing import Any

import httpx
import pytest
import uvloop

from tests.contract.large_calls import LargeCall
from tests.support.proof_sizes import report
from tests.support.server import RunningServer

_ANSWERS = 200
# A second caller must not wait longer than this number of liveness responses takes. The machine may interrupt a step,
# so a call fails the test only if it is slow in every attempt.
MOST_ANSWERS, TRIES = 100, 8
_run = asyncio.Handle._run


class StepMeter:
    """A meter for the steps of one server's event loop. `unit` is the cost of a liveness response."""

    def __init__(self) -> None:
        self.thread = 0
        self.longest = self.total = 0.0
        self.unit = 1.0
        self.url = ""

    def note(self, handle: asyncio.Handle) -> None:
        """Run a step, and record its cost if it belongs to the server."""
        if threading.get_ident() != self.thread:
            _run(handle)
            return
        begun = thread_time()
        _run(handle)
        cost = thread_time() - begun
        self.total += cost
        self.longest = max(self.longest, cost)

    def find_longest(self) -> float:
        """Return the longest step since the previous call of this method, in units, and reset it."""
        longest, self.longest = self.longest, 0.0
        return longest / self.unit

    def calibrate(self, url: str) -> None:
        """Measure the cost of a liveness response."""
        self.url = url
        with httpx.Client(base_url=url) as http:
            http.get("/liveness")
            self.total = 0.0
            for _ in range(_ANSWERS):
                http.get("/liveness")
        self.unit = self.total / _ANSWERS


@contextmanager
def metered() -> Iterator[StepMeter]:
    """Measure the event loop of a server that is started in this block."""
    meter = StepMeter()
    run_thread = RunningServer._run

    def run(self: Any) -> None:
        meter.thread = threading.get_ident()
        run_thread(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uvloop, "new_event_loop", asyncio.new_event_loop)
        patch.setattr(RunningServer, "_run", run)
        patch.setattr(asyncio.Handle, "_run", lambda handle: meter.note(handle))
        yield meter


def find_delays(meter: StepMeter, calls: Iterable[LargeCall], send: Callable[[LargeCall], int]) -> list[str]:
    """Return the calls that had a long step in every attempt."""
    delays = []
    for call in calls:
        tries: list[float] = []
        status = 0
        while len(tries) < TRIES and (not tries or tries[-1] > MOST_ANSWERS):
            meter.find_longest()
            gc.disable()  # a full garbage collection takes too long
            try:
                status = send(call)
            finally:
                gc.enable()
            tries.append(meter.find_longest())
            if tries[-1] > MOST_ANSWERS:  # all responses may have become slower since then
                meter.calibrate(meter.url)
        name = f"{call.method} {call.path[:80]}: {call.kind} of {len(call.body)} bytes, {status}"
        report(f"{min(tries):8.1f} {name}")
        if min(tries) > MOST_ANSWERS:
            delays.append(f"{name}: {tries}")
    return delays
