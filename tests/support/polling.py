"""Waits for the effect of another process or task.

The time limit only prevents hanging. It does not measure anything.
"""

import asyncio
import time
from collections.abc import Callable

PATIENCE = 600  # seconds; long, so that no test fails on a busy machine


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - the condition has no event
            await asyncio.sleep(0.01)


def until_now(condition: Callable[[], bool]) -> None:
    """Wait until the condition holds, in tests without an event loop."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true in time"
        time.sleep(0.01)
