"""What the service keeps in each process: the board, refreshed on every commit."""

import functools
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from balcao.core.context.platform import Platform
from balcao.core.database.reloader import Watch
from balcao.health_units.feed.service import CHANNEL
from balcao.health_units.risk.board import COMPARE_SECONDS, UnitBoard
from balcao.health_units.risk.service import refresh


@asynccontextmanager
async def running(platform: Platform) -> AsyncIterator[None]:
    """Keep the board current for as long as the process serves."""
    board = platform.parts[UnitBoard] = UnitBoard()
    watch = Watch(platform.database, CHANNEL, COMPARE_SECONDS, functools.partial(refresh, platform, board))
    await watch.start()
    try:
        yield
    finally:
        await watch.stop()


async def ready(platform: Platform) -> Mapping[str, bool]:
    """Tell whether the risks may be shown."""
    return {"risk": platform.part(UnitBoard).fresh}
