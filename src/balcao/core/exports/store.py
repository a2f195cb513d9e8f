"""SQL for exports: read rows as JSON lines, in the order of their keys, starting after any key."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import NamedTuple

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.exports.declaration import Rows

# The number of rows in memory at a time.
BATCH = 500


@statement("SELECT now()")
async def read_snapshot_time(connection: Connection) -> datetime:
    """Return the time when the transaction began."""


class KeyColumn(NamedTuple):
    """A column of the key by which rows are ordered. `name` is quoted if necessary."""

    name: str
    type: str
    place: int


@statement("""
SELECT quote_ident(attribute.attname) AS name, format_type(attribute.atttypid, attribute.atttypmod) AS type, place
FROM pg_index
CROSS JOIN LATERAL unnest(indkey) WITH ORDINALITY AS part (number, place)
JOIN pg_attribute AS attribute ON attribute.attrelid = indrelid AND attribute.attnum = part.number
WHERE indrelid = :table::text::regclass AND indisprimary AND cardinality(:key::text[]) = 0
UNION ALL
SELECT quote_ident(name), format_type(attribute.atttypid, attribute.atttypmod), place
FROM unnest(:key::text[]) WITH ORDINALITY AS wanted (name, place)
JOIN pg_attribute AS attribute ON attribute.attrelid = :table::text::regclass AND attribute.attname = name
ORDER BY place
""")
async def read_key(connection: Connection, rows: Rows) -> list[KeyColumn]:
    """Return the columns of the key by which the rows are ordered."""


class Line(NamedTuple):
    """A row: its JSON, and its key as strings."""

    text: str
    key: list[str]


async def iterate_lines(connection: Connection, rows: Rows, after: Sequence[str]) -> AsyncIterator[Line]:
    """Yield the rows whose keys follow this one, or all rows if `after` is empty.

    Each batch is found by the key's index. A single statement for all rows would sort the whole table first.
    """
    key = await read_key(connection, rows)
    while found := await connection.fetch(build_statement(rows, key, is_resumed=bool(after)), *after):
        for row in found:
            yield Line(row["line"], row["key"])
        after = found[-1]["key"]
        if len(found) < BATCH:
            return


def build_statement(rows: Rows, key: Sequence[KeyColumn], *, is_resumed: bool) -> str:
    """Return the statement for a batch. To continue after a row, pass its key as strings."""
    columns = [f"stored.{column.name}" for column in key]
    ordered = ", ".join(columns)
    # Cast the parameters to the types of the columns. Otherwise PostgreSQL could not use the index on the key.
    last = ", ".join(f"${place}::text::{column.type}" for place, column in enumerate(key, 1))
    return f"""
    SELECT ({rows.line})::text AS line, ARRAY[{", ".join(f"{column}::text" for column in columns)}] AS key
    FROM {rows.table} AS stored
    WHERE ({rows.condition}) {f"AND ({ordered}) > ({last})" if is_resumed else ""}
    ORDER BY {ordered}
    LIMIT {BATCH}
    """
