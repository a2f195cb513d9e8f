"""Shares one run of an operation among all callers that request it while it is in flight."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Flights(Generic[T]):
    """The work in flight, by key.

    If a caller gives up, the work continues, because other callers may wait for it.
    """

    def __init__(self) -> None:
        self._running: dict[Hashable, asyncio.Task[T]] = {}

    def is_running(self, key: Hashable) -> bool:
        """Return whether the work with this key is in flight."""
        return key in self._running

    def join(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> Awaitable[T]:
        """Wait for the work with this key and return its result. Start the work if it is not in flight."""
        task = self._running.get(key)
        if task is None:
            task = self._running[key] = asyncio.create_task(work())
            task.add_done_callback(lambda done: self._finish(key, done))
        return asyncio.shield(task)

    def _finish(self, key: Hashable, done: "asyncio.Task[T]") -> None:
        del self._running[key]
        if not done.cancelled():
            done.exception()  # mark the exception as retrieved: all callers may have left

    async def stop(self) -> None:
        """Cancel all work in flight."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
