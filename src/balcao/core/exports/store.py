"""SQL of the exports: rows as lines of JSON, from anywhere in the order of their primary keys."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import NamedTuple

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.exports.declaration import Rows

# How many rows are in memory at once.
BATCH = 500


@statement("SELECT now()")
async def read_snapshot_time(connection: Connection) -> datetime:
    """Return when the transaction began."""


class KeyColumn(NamedTuple):
    """One of the columns in whose order the rows leave; `name` is quoted where it must be."""

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
    """Return the columns in whose order the rows leave."""


class Line(NamedTuple):
    """One row: its JSON, and its key as texts."""

    text: str
    key: list[str]


async def iterate_lines(connection: Connection, rows: Rows, after: Sequence[str]) -> AsyncIterator[Line]:
    """Yield the rows whose keys come after this one, all of them after no key.

    In batches by key, each of which the key's index finds; one statement for all rows would sort the whole table first.
    """
    key = await read_key(connection, rows)
    while found := await connection.fetch(build_statement(rows, key, is_resumed=bool(after)), *after):
        for row in found:
            yield Line(row["line"], row["key"])
        after = found[-1]["key"]
        if len(found) < BATCH:
            return


def build_statement(rows: Rows, key: Sequence[KeyColumn], *, is_resumed: bool) -> str:
    """Return the statement of a batch, whose parameters, if it is resumed, are the last key as texts."""
    columns = [f"stored.{column.name}" for column in key]
    ordered = ", ".join(columns)
    # Parameters of the columns' own types: with others the key's index would not serve.
    last = ", ".join(f"${place}::text::{column.type}" for place, column in enumerate(key, 1))
    return f"""
    SELECT ({rows.line})::text AS line, ARRAY[{", ".join(f"{column}::text" for column in columns)}] AS key
    FROM {rows.table} AS stored
    WHERE ({rows.condition}) {f"AND ({ordered}) > ({last})" if is_resumed else ""}
    ORDER BY {ordered}
    LIMIT {BATCH}
    """
