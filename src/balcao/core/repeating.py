"""Work that a process repeats at intervals while it serves."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager


@asynccontextmanager
async def repeating(work: Callable[[], Awaitable[None]], seconds: float) -> AsyncIterator[None]:
    """Repeat the work at intervals while the block runs. The first run is after one interval.

    The work must handle its own errors. An exception ends the repetition silently.
    """
    task = asyncio.create_task(_repeat(work, seconds))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _repeat(work: Callable[[], Awaitable[None]], seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        await work()
