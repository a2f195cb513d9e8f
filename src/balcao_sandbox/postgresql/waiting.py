"""Waits for a server that starts, recovers or stops: often at first, then ever more rarely."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Look until the condition holds, and return whether it did within these seconds."""
    started = time.monotonic()
    while not condition():
        waited = time.monotonic() - started
        if waited > seconds:
            return False
        time.sleep(choose_pause(waited))
    return True


def choose_pause(waited: float) -> float:
    """Return how long to wait before looking again: a fifth of the seconds waited, from 20 ms to half a second.

    A server that recovers refuses each question with a line in its log, which for a long recovery is to stay short.
    """
    return min(max(waited / 5, 0.02), 0.5)
