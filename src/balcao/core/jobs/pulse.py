"""Whether a worker's loop turns: a process may live and run no job any more."""

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
    """When the loop last asked the queue for jobs, and when the queue last answered; Unix time.

    An idle worker asks every few seconds, one whose hands are full as often; one without a database once a second.
    """

    def __init__(self) -> None:
        self.turned = time.time()
        self.fetched = 0.0

    def turn(self) -> None:
        """Note that the loop asks, or tries to reach the database."""
        self.turned = time.time()

    def fetch(self) -> None:
        """Note that the queue answered."""
        self.fetched = time.time()

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show both among the process's metrics while the block lasts."""
        with telemetry.state(TURN, lambda: self.turned), telemetry.state(FETCH, lambda: self.fetched):
            yield


class Stillness:
    """Tells when a loop has not turned for so many looks in a row.

    Looks are counted, not seconds: a machine that was suspended, or whose clock was set, has stopped no loop.
    """

    def __init__(self, most: float) -> None:
        self._most = most
        self._seen = 0.0
        self._looks = 0

    def look(self, turned: float) -> bool:
        """Return whether the loop, which last turned at that instant, has stood still for too long."""
        self._looks = self._looks + 1 if turned == self._seen else 0
        self._seen = turned
        return self._looks > self._most


@contextmanager
def watching(pulse: Pulse, seconds: float, end: Callable[[], None], pause: float = LOOK_SECONDS) -> Iterator[None]:
    """Call `end` once when the loop stands still for so many seconds while the block lasts.

    A thread watches: it also sees that the whole event loop is held up, where no supervisor does.
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
