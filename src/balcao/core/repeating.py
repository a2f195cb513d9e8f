"""Work that a process repeats at intervals while it serves."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from balcao.core.logs import log


@asynccontextmanager
async def repeating(work: Callable[[], Awaitable[None]], seconds: float) -> AsyncIterator[None]:
    """Repeat the work at intervals while the block runs. The first run is after one interval.

    An exception is logged and does not end the repetition: the next run may succeed.
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
        try:
            await work()
        except Exception:
            log.exception("repetition.failed")
