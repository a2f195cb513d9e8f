"""Constant values that are expensive to create.

They are created in a thread on first use, so that other requests do not wait.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")

# One thread for all values. Two threads would only compete for the processor.
_threads = ThreadPoolExecutor(1, "once")


class Once(Generic[T]):
    """A value that all event loops of the process share. If `make` raises an exception, every caller gets it."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: Future[T] | None = None
        self._lock = Lock()

    async def get(self) -> T:
        """Return the value. Callers that arrive while it is created wait for it."""
        with self._lock:
            if self._made is None:
                self._made = _threads.submit(self._make)
        # Shield the future, because the cancellation of one caller would otherwise cancel it for all callers.
        return self._made.result() if self._made.done() else await asyncio.shield(asyncio.wrap_future(self._made))
