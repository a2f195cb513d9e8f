"""Create tasks that run immediately until they first wait."""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

if sys.version_info >= (3, 12):

    def start(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run the coroutine until it first waits, and return its task.

        The event loop holds only weak references to tasks, so the caller must hold a reference to the task while it
        runs.
        """
        return asyncio.Task(work, loop=asyncio.get_running_loop(), eager_start=True)

else:

    def start(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Return the coroutine's task.

        Python 3.11 starts it in the next iteration of the loop, later versions immediately. The event loop holds only
        weak references to tasks, so the caller must hold a reference to the task while it runs.
        """
        return asyncio.get_running_loop().create_task(work)
