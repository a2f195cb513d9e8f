"""The state of the service in each process: the board of units, and the listeners of the change stream."""

import functools
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from balcao.core.context.platform import Platform
from balcao.core.database.reloader import Watch
from balcao.core.telemetry import telemetry
from balcao.health_units.feed.service import CHANNEL, follow_changes
from balcao.health_units.feed.streams import Hub
from balcao.health_units.risk.board import COMPARE_SECONDS, UnitBoard


@asynccontextmanager
async def run_health_units(platform: Platform) -> AsyncIterator[None]:
    """While the process serves requests, refresh the board and inform the listeners.

    This happens after each published change, and otherwise every COMPARE_SECONDS.
    """
    board = platform.parts[UnitBoard] = UnitBoard()
    hub = platform.parts[Hub] = Hub()
    watch = Watch(platform.database, CHANNEL, COMPARE_SECONDS, functools.partial(follow_changes, platform, board, hub))
    with telemetry.state("balcao_risk_streams", lambda: len(hub.listeners)):
        await watch.start()
        try:
            yield
        finally:
            await watch.stop()


async def report_risk_readiness(platform: Platform) -> Mapping[str, bool]:
    """Return whether the risks are fresh enough to show."""
    return {"risk": platform.part(UnitBoard).fresh}
