"""Wait for a server that starts, recovers or stops: poll often at first, then less and less often."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Poll until the condition is true. Return whether it became true within these seconds."""
    started = time.monotonic()
    while not condition():
        waited = time.monotonic() - started
        if waited > seconds:
            return False
        time.sleep(choose_pause(waited))
    return True


def choose_pause(waited: float) -> float:
    """Return the pause before the next poll: a fifth of the time waited, between 20 ms and half a second.

    A recovering server writes a log line for each refused query, so a long recovery must be polled rarely.
    """
    return min(max(waited / 5, 0.02), 0.5)
