"""The health check. It queries the database and the cache, but reveals neither their addresses nor their errors."""

import asyncio
from collections.abc import Awaitable

from balcao import __version__
from balcao.core.context.platform import Platform
from balcao.core.errors import Unavailable
from balcao.core.values.clock import utc_now
from balcao.registry.city.health import store
from balcao.registry.city.health.schemas import Dependencies, Dependency, HealthCheck

LIMIT_SECONDS = 2.0


async def check_health(platform: Platform) -> HealthCheck:
    """Query both systems concurrently, with a timeout of two seconds, and return their status.

    Raises Unavailable if the database does not respond. The service still works without the cache, so a failed cache
    raises nothing.
    """
    datastore, cache = await asyncio.gather(_ask(_ping(platform)), _ask(platform.limits.check()))
    if not datastore.status:
        raise Unavailable("O banco de dados não respondeu.", code="store-away")
    return HealthCheck(Dependencies(datastore, cache), cache.status, utc_now(), __version__)


async def _ping(platform: Platform) -> bool:
    async with platform.database.connection() as connection:
        return await store.ping_database(connection)


async def _ask(question: Awaitable[bool]) -> Dependency:
    try:
        is_up = await asyncio.wait_for(question, LIMIT_SECONDS)
    except Exception:  # any client exception counts as no response
        is_up = False
    return Dependency(is_up, "disponível" if is_up else "indisponível", utc_now())
