"""How often published services are read, and how popular that makes them (rules: search 4.6, popularity)."""

from typing import Literal

from balcao.core.audit.retention import Swept
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.search.popularity import store
from balcao.search.tallies import Tally

KEPT_DAYS = 400

Source = Literal["seed", "views"]


class ViewTally(Tally):
    """The reads of this process since the last write."""


def count_view(platform: Platform, service_id: str) -> None:
    """Count one 200 answer of the reads of a service; nothing of who read is kept."""
    platform.part(ViewTally).count(service_id)


async def flush(platform: Platform) -> None:
    """Write down what was counted."""
    tally = platform.part(ViewTally)
    taken = tally.take()
    if not taken:
        return
    days, services, views = zip(*taken, strict=True)
    try:
        async with platform.database.connection() as connection:
            await store.add_views(connection, days, services, views)
    except BaseException:
        tally.give_back(taken)
        raise


async def rank(platform: Platform) -> None:
    """Compute the popularity of every service anew."""
    async with platform.database.transaction() as connection:
        await store.rank(connection)


async def find_source(connection: Connection) -> Source:
    """Return what popularity comes from: the seeds alone while there are no views."""
    return "views" if await store.has_views(connection) else "seed"


async def apply_retention(_: Call, connection: Connection) -> Swept:
    """Erase views older than 400 days."""
    checked = await store.count_views(connection)
    return Swept(checked, await store.erase_older(connection, KEPT_DAYS))
