"""SQL for the views and the popularity."""

from collections.abc import Sequence

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.search.tallies import TallyEntry


# The EXISTS ignores ids that never belonged to a service. A deleted service still has its head, so its views count.
@statement("""
INSERT INTO search.service_views (day, service_id, views)
SELECT day, service_id, views
FROM unnest(:counted.day::date[], :counted.key::uuid[], :counted.times::int[]) AS seen (day, service_id, views)
WHERE EXISTS (SELECT FROM search.service_head WHERE id = service_id)
ORDER BY day, service_id
ON CONFLICT (day, service_id) DO UPDATE SET views = service_views.views + excluded.views
""")
async def add_views(connection: Connection, counted: Sequence[TallyEntry]) -> None:
    """Add views. The keys are the ids of the services."""


# A view loses half of its weight every 15 days and all of it after 60. Services with equal weights get the same
# percentile, which is above 0.
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
    """Store the weight, percentile and views of every service with a view in the last 60 days.

    The stored views are those of the last 30 days.
    """


@statement("""
DELETE FROM search.service_popularity AS former
WHERE NOT EXISTS (SELECT FROM search.service_views AS seen
                  WHERE seen.service_id = former.service_id AND seen.day > current_date - 60)
""")
async def delete_old_popularity(connection: Connection) -> None:
    """Delete the popularity of services without a view in the last 60 days."""


@statement("SELECT count(*) FROM search.service_views")
async def count_view_rows(connection: Connection) -> int: ...


@statement("DELETE FROM search.service_views WHERE day < current_date - :days::int")
async def delete_old_views(connection: Connection, days: int) -> int:
    """Delete the views older than `days`, and return the number of rows."""


@statement("SELECT EXISTS (SELECT FROM search.service_popularity WHERE recent > 0)")
async def has_views(connection: Connection) -> bool:
    """Return whether a service had views in the 30 days before the most recent computation."""
