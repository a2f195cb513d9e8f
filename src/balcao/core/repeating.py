"""Work that a process repeats at intervals, for as long as it serves."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager


@asynccontextmanager
async def repeating(work: Callable[[], Awaitable[None]], seconds: float) -> AsyncIterator[None]:
    """Do the work while the block lasts, for the first time after one interval, and have it stopped when it ends.

    The work sees to its own faults: one that it raises ends the repetition without a word.
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
