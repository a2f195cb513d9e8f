"""A watchdog for the worker's loop, because a process may be alive although it no longer runs jobs."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from balcao.core.logs import log
from balcao.core.telemetry import telemetry

LAST_ITERATION = "balcao_worker_turn_timestamp_seconds"
FETCH = "balcao_worker_fetch_timestamp_seconds"
CHECK_SECONDS = 1.0


class Pulse:
    """When the loop last asked the queue for jobs, and when the queue last answered, in Unix time.

    A worker asks every few seconds, whether it is idle or busy. Without a database, it retries every second.
    """

    def __init__(self) -> None:
        self.iterated_at = time.time()
        self.fetched = 0.0

    def record_iteration(self) -> None:
        """Record that the loop asks for jobs or tries to reach the database."""
        self.iterated_at = time.time()

    def fetch(self) -> None:
        """Record that the queue answered."""
        self.fetched = time.time()

    @contextmanager
    def publish(self) -> Iterator[None]:
        """Publish both times as metrics of the process while the block runs."""
        with telemetry.state(LAST_ITERATION, lambda: self.iterated_at), telemetry.state(FETCH, lambda: self.fetched):
            yield


class StallDetector:
    """Detects a loop that has not iterated for a number of consecutive checks.

    It counts checks instead of seconds, because a suspended machine or a changed clock does not mean that the loop has
    stopped.
    """

    def __init__(self, most: float) -> None:
        self._most = most
        self._seen = 0.0
        self._checks = 0

    def is_stalled(self, iterated_at: float) -> bool:
        """Return whether the loop has been stalled for too long. `iterated_at` is the time of its last iteration."""
        self._checks = self._checks + 1 if iterated_at == self._seen else 0
        self._seen = iterated_at
        return self._checks > self._most


@contextmanager
def watching(pulse: Pulse, seconds: float, end: Callable[[], None], pause: float = CHECK_SECONDS) -> Iterator[None]:
    """Call `end` once if the event loop completes no iteration for this many seconds while the block runs.

    The watchdog is a thread, so it also detects a blocked event loop, and it needs no supervisor.
    """
    left = threading.Event()

    def watch() -> None:
        detector = StallDetector(seconds / pause)
        while not left.wait(pause):
            if detector.is_stalled(pulse.iterated_at):
                log.error("worker.stalled", seconds=seconds)
                end()
                return

    threading.Thread(target=watch, name="pulse", daemon=True).start()
    try:
        yield
    finally:
        left.set()
