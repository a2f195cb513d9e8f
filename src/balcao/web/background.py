"""Work that a process goes on with after the page that began it: it ends with the process at the latest."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Background:
    """The tasks of one process. What must survive it is written down by the task itself."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Begin with it; nobody waits for it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)  # the loop itself holds tasks only weakly
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Cancel what goes on, and wait until it has ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
