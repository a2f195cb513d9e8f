"""SQL of the control queries."""

from collections.abc import Sequence

from balcao.core.database.pool import Connection

_LIST = "SELECT query FROM search.control_queries ORDER BY position"


async def list_queries(connection: Connection) -> list[str]:
    return [row["query"] for row in await connection.fetch(_LIST)]


# Who replaces the list waits for whoever else does.
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('search.control_queries', 0))"
_CLEAR = "DELETE FROM search.control_queries"
_ADD = """
INSERT INTO search.control_queries (position, query)
SELECT place, query FROM unnest($1::text[]) WITH ORDINALITY AS given (query, place)
"""


async def replace(connection: Connection, queries: Sequence[str]) -> None:
    """Replace the whole list."""
    await connection.execute(_LOCK)
    await connection.execute(_CLEAR)
    await connection.execute(_ADD, queries)
