"""Whether a worker's loop turns: a process may live and run no job any more."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from balcao.core.telemetry import telemetry

TURN = "balcao_worker_turn_timestamp_seconds"
FETCH = "balcao_worker_fetch_timestamp_seconds"


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
