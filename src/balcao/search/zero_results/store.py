"""SQL of the queries that found nothing."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.search.tallies import TallyEntry


@statement("""
INSERT INTO search.zero_results (day, folded, times)
SELECT * FROM unnest(:counted.day::date[], :counted.key::text[], :counted.times::int[])
ON CONFLICT (day, folded) DO UPDATE SET times = zero_results.times + excluded.times
""")
async def add_zero_results(connection: Connection, counted: Sequence[TallyEntry]) -> None:
    """Add queries without results; folded they are the keys."""


class ZeroResult(msgspec.Struct, frozen=True):
    """A folded query, how often it found nothing, and the last day."""

    query: str
    times: int
    last_day: date


class ListedZeroResult(NamedTuple):
    """A query, and how many there are on all pages."""

    found: int
    result: ZeroResult


@statement("""
SELECT folded AS query, sum(times)::int AS times, max(day) AS last_day, count(*) OVER ()::int AS found
FROM search.zero_results GROUP BY folded HAVING sum(times) >= :fewest
ORDER BY times DESC, query LIMIT :limit OFFSET :offset
""")
async def _list_zero_results(
    connection: Connection, fewest: int, limit: int, offset: int
) -> list[ListedZeroResult]: ...


async def list_frequent_zero_results(
    connection: Connection, fewest: int, limit: int, offset: int
) -> tuple[int, list[ZeroResult]]:
    """Return how many queries were asked that often, and a page of them."""
    listed = await _list_zero_results(connection, fewest, limit, offset)
    return (listed[0].found if listed else 0), [each.result for each in listed]


@statement("SELECT count(*) FROM search.zero_results")
async def count_zero_results(connection: Connection) -> int: ...


@statement("DELETE FROM search.zero_results WHERE day < current_date - :days::int")
async def delete_old_zero_results(connection: Connection, days: int) -> int:
    """Return how many rows were deleted."""
