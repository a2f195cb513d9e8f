"""Waits for a server that starts, recovers or stops. The longer it waits, the less often it polls."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Poll until the condition is true. Return False if it is still false after `seconds`."""
    started = time.monotonic()
    while not condition():
        waited = time.monotonic() - started
        if waited > seconds:
            return False
        time.sleep(choose_pause(waited))
    return True


def choose_pause(waited: float) -> float:
    """Return the pause before the next poll: a fifth of the time waited so far, between 20 ms and half a second.

    A recovering server logs a line for each refused connection, so a long recovery must not be polled often.
    """
    return min(max(waited / 5, 0.02), 0.5)
