"""SQL of the control queries."""

from collections.abc import Sequence

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


@statement("SELECT query FROM search.control_queries ORDER BY position")
async def list_control_queries(connection: Connection) -> list[str]: ...


# Two replacements of the list wait for each other.
@statement("SELECT pg_advisory_xact_lock(hashtextextended('search.control_queries', 0))")
async def lock_control_queries(connection: Connection) -> None: ...


@statement("DELETE FROM search.control_queries")
async def _clear_list(connection: Connection) -> None: ...


@statement("""
INSERT INTO search.control_queries (position, query)
SELECT place, query FROM unnest(:queries::text[]) WITH ORDINALITY AS given (query, place)
""")
async def _fill_list(connection: Connection, queries: Sequence[str]) -> None: ...


async def replace_control_queries(connection: Connection, queries: Sequence[str]) -> None:
    """Replace the whole list. The caller has locked it."""
    await _clear_list(connection)
    await _fill_list(connection, queries)
