"""Background tasks that may run longer than the page request that started them. They end with the process."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Background:
    """The background tasks of one process. A task must store any result that is needed after the process ends."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start a task without waiting for it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)  # the event loop holds only weak references to tasks
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Cancel the running tasks, and wait until they have ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
