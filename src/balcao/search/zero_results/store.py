"""SQL for the counted queries."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.search.zero_results.schemas import FailedQuery


class QueryCount(NamedTuple):
    """The counts of one folded query on one day (UTC): without results, with results, and openings."""

    day: date
    folded: str
    missed: int
    answered: int
    opened: int


# An opening normally follows a search. An opening without a counted search adds no row, so that a client cannot fill
# the table by reporting invented queries. `place` numbers the new queries of a day after the stored ones, most frequent
# first.
@statement("""
WITH counted AS (
    SELECT sent.*, same.day IS NOT NULL AS is_known
    FROM unnest(:counted.day::date[], :counted.folded::text[], :counted.missed::int[], :counted.answered::int[],
                :counted.opened::int[]) AS sent (day, folded, missed, answered, opened)
    LEFT JOIN search.zero_results AS same ON same.day = sent.day AND same.folded = sent.folded
    WHERE sent.missed + sent.answered > 0 OR same.day IS NOT NULL
), full_days AS (
    SELECT day, count(*) AS queries FROM search.zero_results
    WHERE day IN (SELECT day FROM counted WHERE NOT is_known) GROUP BY day
), placed AS (
    SELECT counted.*,
           row_number() OVER (PARTITION BY day, is_known ORDER BY missed + answered DESC, folded)
               + coalesce(queries, 0) AS place
    FROM counted LEFT JOIN full_days USING (day)
)
INSERT INTO search.zero_results AS kept (day, folded, times, answered, opened)
SELECT day, folded, missed, answered, opened FROM placed WHERE is_known OR place <= :most
ORDER BY day, folded
ON CONFLICT (day, folded) DO UPDATE SET
    times = kept.times + excluded.times, answered = kept.answered + excluded.answered,
    opened = kept.opened + excluded.opened
""")
async def add_queries(connection: Connection, counted: Sequence[QueryCount], most: int) -> None:
    """Add the counts. Store at most about `most` different queries for each day."""


class ListedZeroResult(NamedTuple):
    """A query, and the number of queries on all pages."""

    found: int
    result: FailedQuery


@statement("""
SELECT folded AS query, sum(times)::int AS times, max(day)::text AS last_day, count(*) OVER ()::int AS found
FROM search.zero_results WHERE times > 0 GROUP BY folded HAVING sum(times) >= :fewest
ORDER BY times DESC, query LIMIT :limit OFFSET :offset
""")
async def _list_zero_results(
    connection: Connection, fewest: int, limit: int, offset: int
) -> list[ListedZeroResult]: ...


async def list_frequent_zero_results(
    connection: Connection, fewest: int, limit: int, offset: int
) -> tuple[int, list[FailedQuery]]:
    """Return the number of queries that found nothing at least `fewest` times, and one page."""
    listed = await _list_zero_results(connection, fewest, limit, offset)
    return (listed[0].found if listed else 0), [each.result for each in listed]


@statement("SELECT count(*) FROM search.zero_results")
async def count_zero_results(connection: Connection) -> int: ...


@statement("DELETE FROM search.zero_results WHERE day < current_date - :days::int")
async def delete_old_zero_results(connection: Connection, days: int) -> int:
    """Delete the counts older than `days`, and return the number of rows."""
