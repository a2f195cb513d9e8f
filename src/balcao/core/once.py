"""What takes long to make and never changes: made in a thread when it is first asked for, so that nobody else waits."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")

# One thread for all: two of them would only take the processor from each other.
_threads = ThreadPoolExecutor(1, "once")


class Once(Generic[T]):
    """A value, the same for every event loop of the process. What `make` raises is raised to everybody who asks."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: Future[T] | None = None
        self._lock = Lock()

    async def get(self) -> T:
        """Return the value; who asks while it is being made waits for it."""
        with self._lock:
            if self._made is None:
                self._made = _threads.submit(self._make)
        # Shielded, as a caller who goes away would cancel it for the others.
        return self._made.result() if self._made.done() else await asyncio.shield(asyncio.wrap_future(self._made))
