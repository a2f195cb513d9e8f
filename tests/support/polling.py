"""Waiting for what another process or task brings about: a generous bound against hanging, never a measurement."""

import asyncio
import time
from collections.abc import Callable

PATIENCE = 600  # seconds; for a run beside many others, as nobody waits it out unless something hangs


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.01)


def until_now(condition: Callable[[], bool]) -> None:
    """As `until`, for tests without an event loop."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.01)
