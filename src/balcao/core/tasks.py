"""Tasks that run at once up to where they first wait."""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

if sys.version_info >= (3, 12):

    def start(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run the coroutine up to its first wait, and return its task.

        The event loop holds tasks only weakly, so the caller keeps it while it runs.
        """
        return asyncio.Task(work, loop=asyncio.get_running_loop(), eager_start=True)

else:

    def start(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Return the coroutine's task. Python 3.11 begins it in the next turn of the loop, later versions at once.

        The event loop holds tasks only weakly, so the caller keeps it while it runs.
        """
        return asyncio.get_running_loop().create_task(work)
