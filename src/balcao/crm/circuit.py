"""A circuit breaker: stop calling a CRM that keeps failing, and detect its recovery with one probe.

    closed ──5 failures in a row, or 10 of the last 20──> open (30 s) ──time over──> half open, one probe
      ^────────────────────── probe succeeds ────────────────────────────────────────┘
                              probe fails: open again, twice as long (at most 300 s)

The available libraries count either failures in a row or a failure rate, but not both, and use a constant open time.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum

from balcao.crm.failures import CrmAway

IN_A_ROW = 5
WINDOW = 20
FIRST_OPEN_SECONDS = 30.0
LONGEST_OPEN_SECONDS = 300.0
CIRCUIT_OPEN = "crm-circuit-open"


class State(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Circuit:
    """A circuit breaker for one upstream in one process.

    It is not thread-safe. It needs no locks because every change is made in the same event loop, without an await in
    the middle.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._round = 0  # counts state changes, to ignore outcomes of earlier rounds
        self._open_until: float | None = None
        self._close()

    @property
    def state(self) -> State:
        """Return the current state. An open circuit becomes half open after its open time.

        While the probe runs, the state is OPEN for all other calls.
        """
        if self._open_until is None:
            return State.CLOSED
        return State.OPEN if self._probing or self._clock() < self._open_until else State.HALF_OPEN

    @property
    def failures(self) -> int:
        """The number of consecutive failures."""
        return self._in_a_row

    @property
    def seconds_until_probe(self) -> float:
        """The number of seconds until the circuit allows a probe. Zero if it is closed or already allows one."""
        return 0.0 if self._open_until is None else max(0.0, self._open_until - self._clock())

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Guard one call. Raises CrmAway immediately while the circuit is open.

        A CrmAway raised in the block counts as a failure. Any other `Exception` counts as a success, because it means
        that the CRM responded. A cancelled call counts as neither and releases its probe.
        """
        admitted = self.admit()
        try:
            yield
        except CrmAway:
            self.record_failure(admitted)
            raise
        except Exception:
            self.record_success(admitted)
            raise
        except BaseException:
            self.record_abandonment(admitted)
            raise
        self.record_success(admitted)

    def admit(self) -> int:
        """Return the current round. The caller must pass this round along with the outcome of its call.

        Raises CrmAway while the circuit is open.
        """
        if self.state is State.OPEN:
            raise CrmAway(code=CIRCUIT_OPEN, retry_after=max(1, math.ceil(self.seconds_until_probe)))
        self._probing = self.state is State.HALF_OPEN
        return self._round

    def record_success(self, admitted: int) -> None:
        """Count a success. If the probe succeeds, the circuit closes."""
        if admitted != self._round:
            return
        if self._probing:
            self._round += 1
            self._close()
        self._in_a_row = 0
        self._recent.append(True)
        self._open_if_too_many()

    def record_failure(self, admitted: int) -> None:
        """Count a failure. If the probe fails, the circuit opens again for twice as long."""
        if admitted != self._round:
            return
        self._in_a_row += 1
        self._recent.append(False)
        if self._probing:
            self._open(min(self._open_seconds * 2, LONGEST_OPEN_SECONDS))
        else:
            self._open_if_too_many()

    def record_abandonment(self, admitted: int) -> None:
        """Release the probe, so that another call can become the probe."""
        if admitted == self._round:
            self._probing = False

    def _open_if_too_many(self) -> None:
        half = len(self._recent) == WINDOW and self._recent.count(False) * 2 >= WINDOW
        if self._in_a_row >= IN_A_ROW or half:
            self._open(FIRST_OPEN_SECONDS)

    def _open(self, seconds: float) -> None:
        self._round += 1
        self._probing = False
        self._open_seconds = seconds
        self._open_until = self._clock() + seconds

    def _close(self) -> None:
        self._probing = False
        self._in_a_row = 0
        self._recent: deque[bool] = deque(maxlen=WINDOW)
        self._open_seconds = 0.0
        self._open_until = None
