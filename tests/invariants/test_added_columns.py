"""No statement returns columns that it does not name, so a process of the last release survives added columns."""

import re
from collections.abc import Mapping

import asyncpg

from tools.statements import load_statements

# Tables in the schemas that our migrations create. Partitions are left out because their columns are those of their
# table.
_TABLES = """
SELECT oid::regclass::text FROM pg_class
WHERE relkind IN ('r', 'p') AND NOT relispartition
  AND relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema', 'queue', 'public')
"""

# Stars that select no columns, because they are in a comment or in `count(*)`.
_OTHER_STARS = re.compile(r"/\*.*?\*/|count\(\*\)")


async def _list_columns(connection: asyncpg.Connection, statements: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the names of the columns that each statement returns, in their order."""
    prepared = {name: await connection.prepare(text) for name, text in statements.items()}
    return {name: [column.name for column in each.get_attributes()] for name, each in prepared.items()}


def _load_starred() -> dict[str, str]:
    """Return the statements with a star that may select all columns of a table."""
    return {name: text for name, text in load_statements().items() if "*" in _OTHER_STARS.sub("", text)}


async def test_a_column_that_a_migration_adds_is_returned_by_no_statement(database_url: str) -> None:
    statements = _load_starred()
    connection = await asyncpg.connect(database_url, statement_cache_size=0)
    try:
        before = await _list_columns(connection, statements)
        for (table,) in await connection.fetch(_TABLES):
            await connection.execute(f"ALTER TABLE {table} ADD COLUMN added_by_a_migration text")
        after = await _list_columns(connection, statements)
    finally:
        await connection.close()
    assert [name for name, columns in after.items() if columns != before[name]] == []
