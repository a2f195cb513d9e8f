"""SQL of the queries that found nothing."""

from collections.abc import Sequence
from datetime import date

import msgspec

from balcao.core.database.pool import Connection

_ADD = """
INSERT INTO search.zero_results (day, folded, times)
SELECT * FROM unnest($1::date[], $2::text[], $3::int[])
ON CONFLICT (day, folded) DO UPDATE SET times = zero_results.times + excluded.times
"""


async def add(connection: Connection, days: Sequence[date], folded: Sequence[str], times: Sequence[int]) -> None:
    await connection.execute(_ADD, days, folded, times)


class ZeroResult(msgspec.Struct, frozen=True):
    """A folded query, how often it found nothing, and the last day."""

    query: str
    times: int
    last_day: date


_LIST = """
SELECT folded AS query, sum(times)::int AS times, max(day) AS last_day, count(*) OVER ()::int AS found
FROM search.zero_results GROUP BY folded HAVING sum(times) >= $1
ORDER BY times DESC, query LIMIT $2 OFFSET $3
"""


async def list_frequent(connection: Connection, fewest: int, limit: int, offset: int) -> tuple[int, list[ZeroResult]]:
    """Return how many queries were asked that often, and a page of them."""
    rows = await connection.fetch(_LIST, fewest, limit, offset)
    return (rows[0]["found"] if rows else 0), [ZeroResult(r["query"], r["times"], r["last_day"]) for r in rows]


_ERASE = "DELETE FROM search.zero_results WHERE day < current_date - $1::int"
_COUNT = "SELECT count(*) FROM search.zero_results"


async def count(connection: Connection) -> int:
    return int(await connection.fetchval(_COUNT))


async def erase_older(connection: Connection, days: int) -> int:
    """Return how many rows were erased."""
    return int((await connection.execute(_ERASE, days)).rpartition(" ")[2])
