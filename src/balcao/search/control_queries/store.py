"""SQL for the control queries."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


class ControlQuery(msgspec.Struct, frozen=True):
    """A control query, and the ids of the services that it is expected to find."""

    query: str
    expected: list[str]


@statement("SELECT query, expected::text[] FROM search.control_queries ORDER BY position")
async def list_control_queries(connection: Connection) -> list[ControlQuery]: ...


# The lock lets only one replacement of the list run at a time.
@statement("SELECT pg_advisory_xact_lock(hashtextextended('search.control_queries', 0))")
async def lock_control_queries(connection: Connection) -> None: ...


@statement("SELECT id::text FROM search.service_head WHERE id = ANY (:ids::uuid[])")
async def list_known_services(connection: Connection, ids: Sequence[str]) -> list[str]:
    """Return the ids that belong to services, including deleted services."""


@statement("DELETE FROM search.control_queries")
async def _clear_list(connection: Connection) -> None: ...


class _Row(NamedTuple):
    """A query with its services as a JSON array, because PostgreSQL requires equal lengths in an array of arrays."""

    query: str
    expected: str


@statement("""
INSERT INTO search.control_queries (position, query, expected)
SELECT place, query, ARRAY(SELECT jsonb_array_elements_text(expected::jsonb)::uuid)
FROM unnest(:rows.query::text[], :rows.expected::text[]) WITH ORDINALITY AS given (query, expected, place)
""")
async def _fill_list(connection: Connection, rows: Sequence[_Row]) -> None: ...


async def replace_control_queries(connection: Connection, queries: Iterable[ControlQuery]) -> None:
    """Replace the whole list. Locks: the caller has called `lock_control_queries`."""
    await _clear_list(connection)
    await _fill_list(connection, [_Row(each.query, msgspec.json.encode(each.expected).decode()) for each in queries])
