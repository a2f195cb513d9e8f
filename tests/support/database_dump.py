"""Every visible row of every table, as text: what a byte scan searches, what "nothing changed" compares."""

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
    """By table the rows, in an order of their own."""
    names = [row["name"] for row in sql(TABLES)]
    return {name: sorted(as_text(row.values()) for row in sql(f"SELECT * FROM {name}")) for name in names}


# What each process writes of the calls behind it, some seconds after them.
BEHIND_CALLS = {"platform.call", "platform.response_count"}


def what_calls_store(sql: Sql) -> dict[str, list[str]]:
    """By table the rows that a call itself writes: two of these are alike when nothing was stored between them."""
    return {name: rows for name, rows in everything(sql).items() if name not in BEHIND_CALLS}


def as_text(values: Iterable[Any]) -> str:
    """Bytes as the text that they may be: a payload and an answer are JSON."""
    return " ".join(value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in values)


def find_tables_with(dumped: dict[str, list[str]], mark: str) -> list[str]:
    """Return the tables with a row in which the mark stands, whatever its case."""
    return [name for name, rows in dumped.items() if any(mark.lower() in row.lower() for row in rows)]
