"""Tasks that run immediately up to their first wait."""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

if sys.version_info >= (3, 12):

    def start(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run the coroutine up to its first wait, and return its task.

        The event loop holds only weak references to tasks, so the caller must keep the task while it runs.
        """
        return asyncio.Task(work, loop=asyncio.get_running_loop(), eager_start=True)

else:

    def start(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Return the coroutine's task.

        Python 3.11 starts it in the next iteration of the loop, later versions immediately.
        The event loop holds only weak references to tasks, so the caller must keep the task while it runs.
        """
        return asyncio.get_running_loop().create_task(work)
