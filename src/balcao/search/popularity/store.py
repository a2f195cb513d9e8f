"""SQL of views and of the popularity that is made of them."""

from collections.abc import Sequence
from datetime import date

from balcao.core.database.pool import Connection

# A service that was deleted since it was viewed still has its head.
_ADD = """
INSERT INTO search.service_views (day, service_id, views)
SELECT day, service_id, views FROM unnest($1::date[], $2::uuid[], $3::int[]) AS seen (day, service_id, views)
WHERE EXISTS (SELECT FROM search.service_head WHERE id = service_id)
ORDER BY day, service_id
ON CONFLICT (day, service_id) DO UPDATE SET views = service_views.views + excluded.views
"""


async def add_views(
    connection: Connection, days: Sequence[date], services: Sequence[str], views: Sequence[int]
) -> None:
    await connection.execute(_ADD, days, services, views)


# A view loses half of its weight every 15 days and all of it after 60. Equal weights share a percentile, none is 0.
_RANK = """
INSERT INTO search.service_popularity (service_id, weight, recent, percentile)
SELECT service_id, weight, recent, cume_dist() OVER (ORDER BY weight)
FROM (
    SELECT service_id, sum(views * 0.5 ^ ((current_date - day) / 15.0))::real AS weight,
           coalesce(sum(views) FILTER (WHERE day > current_date - 30), 0)::int AS recent
    FROM search.service_views WHERE day > current_date - 60 GROUP BY service_id
) AS seen
ON CONFLICT (service_id) DO UPDATE
SET weight = excluded.weight, recent = excluded.recent, percentile = excluded.percentile
"""
_FORGET = """
DELETE FROM search.service_popularity AS former
WHERE NOT EXISTS (SELECT FROM search.service_views AS seen
                  WHERE seen.service_id = former.service_id AND seen.day > current_date - 60)
"""


async def rank(connection: Connection) -> None:
    """Compute weight, views of 30 days and percentile of every service that was viewed in 60 days."""
    await connection.execute(_FORGET)
    await connection.execute(_RANK)


_ERASE = "DELETE FROM search.service_views WHERE day < current_date - $1::int"
_COUNT = "SELECT count(*) FROM search.service_views"


async def count_views(connection: Connection) -> int:
    """Return how many rows of views there are."""
    return int(await connection.fetchval(_COUNT))


async def erase_older(connection: Connection, days: int) -> int:
    """Return how many rows were erased."""
    return int((await connection.execute(_ERASE, days)).rpartition(" ")[2])


_ANY_VIEWS = "SELECT EXISTS (SELECT FROM search.service_popularity WHERE recent > 0)"


async def has_views(connection: Connection) -> bool:
    """Return whether there are views of the last 30 days."""
    return bool(await connection.fetchval(_ANY_VIEWS))
