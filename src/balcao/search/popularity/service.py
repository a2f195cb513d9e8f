"""How often published services are read, and how popular that makes them (rules: search 4.6, popularity)."""

from typing import Literal

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.search.collection.store import note_ranking
from balcao.search.popularity import store
from balcao.search.tallies import Tally

KEPT_DAYS = 400

Source = Literal["seed", "views"]


class ViewTally(Tally):
    """The reads of this process since the last write."""


def count_view(platform: Platform, service_id: str) -> None:
    """Count one read of a service that was 200; nothing is stored of the reader."""
    platform.part(ViewTally).count(service_id)


async def flush_views(platform: Platform) -> None:
    """Write down what was counted."""
    tally = platform.part(ViewTally)
    taken = tally.take()
    if not taken:
        return
    try:
        async with platform.database.connection() as connection:
            await store.add_views(connection, taken)
    except BaseException:
        tally.give_back(taken)
        raise


async def rank_services(platform: Platform) -> None:
    """Compute the popularity of every service anew."""
    async with platform.database.transaction() as connection:
        await store.delete_old_popularity(connection)
        await store.rank_services(connection)
        await note_ranking(connection)


async def find_source(connection: Connection) -> Source:
    """Return what popularity comes from: the seeds alone while there are no views."""
    return "views" if await store.has_views(connection) else "seed"
