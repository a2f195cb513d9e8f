"""All visible rows of all tables as strings. Tests search them for bytes, or compare states of the database."""

from collections.abc import Iterable
from typing import Any

from tests.support.fixture_types import Sql

TABLES = """
SELECT format('%I.%I', nspname, relname) AS name
FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE relkind IN ('r', 'm') AND nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
ORDER BY 1
"""


def everything(sql: Sql) -> dict[str, list[str]]:
    """Return the rows of each table as sorted strings."""
    names = [row["name"] for row in sql(TABLES)]
    return {name: sorted(as_text(row.values()) for row in sql(f"SELECT * FROM {name}")) for name in names}


# Tables to which every process writes in the background, some seconds after a call.
BEHIND_CALLS = {"platform.call", "platform.process", "platform.response_count"}


def what_calls_store(sql: Sql) -> dict[str, list[str]]:
    """Return the rows of each table, except the tables written in the background.

    Two dumps are equal if no call stored anything between them.
    """
    return {name: rows for name, rows in everything(sql).items() if name not in BEHIND_CALLS}


def as_text(values: Iterable[Any]) -> str:
    """Join the values into one string. Decode bytes, because stored payloads and responses are JSON."""
    return " ".join(value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in values)


def find_tables_with(dumped: dict[str, list[str]], mark: str) -> list[str]:
    """Return the tables with a row that contains the mark in upper or lower case."""
    return [name for name, rows in dumped.items() if any(mark.lower() in row.lower() for row in rows)]
