"""Tasks that outlive the page request that started them. They end with the process at the latest."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Background:
    """The background tasks of one process. A task must store whatever must outlive the process."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start the work without waiting for it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)  # the loop itself only holds weak references to tasks
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Cancel the running tasks and wait until they have ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
