"""Views of published services, and the popularity computed from them (rules: search 4.6, popularity)."""

from typing import Literal

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.search.collection.store import note_ranking
from balcao.search.popularity import store
from balcao.search.tallies import Tally

KEPT_DAYS = 400

Source = Literal["seed", "views"]


class ViewTally(Tally):
    """The views that this process has counted since the last write."""


def count_view(platform: Platform, service_id: str) -> None:
    """Count one successful read of a service. Nothing about the reader is stored."""
    platform.part(ViewTally).count(service_id)


async def flush_views(platform: Platform) -> None:
    """Write the counts to the database."""
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
    """Compute the popularity of all services."""
    async with platform.database.transaction() as connection:
        await store.delete_old_popularity(connection)
        await store.rank_services(connection)
        await note_ranking(connection)


async def find_source(connection: Connection) -> Source:
    """Return `views`, or `seed` if no service has recent views."""
    return "views" if await store.has_views(connection) else "seed"
