"""SQL of views and of the popularity that is made of them."""

from collections.abc import Sequence

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.search.tallies import TallyEntry


# A service that was deleted since it was viewed still has its head.
@statement("""
INSERT INTO search.service_views (day, service_id, views)
SELECT day, service_id, views
FROM unnest(:counted.day::date[], :counted.key::uuid[], :counted.times::int[]) AS seen (day, service_id, views)
WHERE EXISTS (SELECT FROM search.service_head WHERE id = service_id)
ORDER BY day, service_id
ON CONFLICT (day, service_id) DO UPDATE SET views = service_views.views + excluded.views
""")
async def add_views(connection: Connection, counted: Sequence[TallyEntry]) -> None:
    """Add the views of services; their ids are the keys."""


# A view loses half of its weight every 15 days and all of it after 60. Equal weights share a percentile, none is 0.
@statement("""
INSERT INTO search.service_popularity (service_id, weight, recent, percentile)
SELECT service_id, weight, recent, cume_dist() OVER (ORDER BY weight)
FROM (
    SELECT service_id, sum(views * 0.5 ^ ((current_date - day) / 15.0))::real AS weight,
           coalesce(sum(views) FILTER (WHERE day > current_date - 30), 0)::int AS recent
    FROM search.service_views WHERE day > current_date - 60 GROUP BY service_id
) AS seen
ON CONFLICT (service_id) DO UPDATE
SET weight = excluded.weight, recent = excluded.recent, percentile = excluded.percentile
""")
async def rank_services(connection: Connection) -> None:
    """Compute weight, views of 30 days and percentile of every service that was viewed in 60 days."""


@statement("""
DELETE FROM search.service_popularity AS former
WHERE NOT EXISTS (SELECT FROM search.service_views AS seen
                  WHERE seen.service_id = former.service_id AND seen.day > current_date - 60)
""")
async def delete_old_popularity(connection: Connection) -> None:
    """Delete the popularity of services that were not viewed in 60 days."""


@statement("SELECT count(*) FROM search.service_views")
async def count_view_rows(connection: Connection) -> int: ...


@statement("DELETE FROM search.service_views WHERE day < current_date - :days::int")
async def delete_old_views(connection: Connection, days: int) -> int:
    """Return how many rows were deleted."""


@statement("SELECT EXISTS (SELECT FROM search.service_popularity WHERE recent > 0)")
async def has_views(connection: Connection) -> bool:
    """Return whether there are views of the last 30 days."""
