"""A watchdog for the worker's loop: a process may be alive and yet run no jobs any more."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from balcao.core.logs import log
from balcao.core.telemetry import telemetry

TURN = "balcao_worker_turn_timestamp_seconds"
FETCH = "balcao_worker_fetch_timestamp_seconds"
LOOK_SECONDS = 1.0


class Pulse:
    """The times at which the loop last asked the queue for jobs and the queue last answered, in Unix time.

    A worker asks every few seconds, whether it is idle or busy. Without a database, it retries every second.
    """

    def __init__(self) -> None:
        self.turned = time.time()
        self.fetched = 0.0

    def turn(self) -> None:
        """Record that the loop asks for jobs or tries to reach the database."""
        self.turned = time.time()

    def fetch(self) -> None:
        """Record that the queue answered."""
        self.fetched = time.time()

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Publish both times as metrics of the process while the block runs."""
        with telemetry.state(TURN, lambda: self.turned), telemetry.state(FETCH, lambda: self.fetched):
            yield


class Stillness:
    """A detector of a loop that has not turned for a number of consecutive checks.

    It counts checks instead of seconds, because a suspended machine or a changed clock does not mean that the loop has
    stopped.
    """

    def __init__(self, most: float) -> None:
        self._most = most
        self._seen = 0.0
        self._looks = 0

    def look(self, turned: float) -> bool:
        """Return whether the loop has been still for too long. `turned` is the time of its last iteration."""
        self._looks = self._looks + 1 if turned == self._seen else 0
        self._seen = turned
        return self._looks > self._most


@contextmanager
def watching(pulse: Pulse, seconds: float, end: Callable[[], None], pause: float = LOOK_SECONDS) -> Iterator[None]:
    """Call `end` once if the event loop completes no iteration for this many seconds while the block runs.

    The watchdog is a thread, so it also detects a blocked event loop, and it needs no supervisor.
    """
    left = threading.Event()

    def watch() -> None:
        stillness = Stillness(seconds / pause)
        while not left.wait(pause):
            if stillness.look(pulse.turned):
                log.error("worker.stalled", seconds=seconds)
                end()
                return

    threading.Thread(target=watch, name="pulse", daemon=True).start()
    try:
        yield
    finally:
        left.set()
