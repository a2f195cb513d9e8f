"""Queries that many stores have in common: affected rows, pages with their total."""

from typing import Any

import asyncpg

from balcao.core.database.pool import Connection

# Raised when a row is removed to which others refer: by a foreign key as it is usually declared, and by RESTRICT.
REFERRED_TO = (asyncpg.ForeignKeyViolationError, asyncpg.RestrictViolationError)


class Conditions:
    """The conditions of a statement that holds only those that were asked for, and their parameters."""

    def __init__(self, *values: Any) -> None:
        """`values` are the parameters that the rest of the statement has, from `$1` on."""
        self.values = list(values)
        self._texts: list[str] = []

    def add(self, text: str, *values: Any) -> None:
        """Add a condition, in which `{}` stands for each value."""
        self._texts.append(text.format(*(f"${len(self.values) + number}" for number in range(1, len(values) + 1))))
        self.values += values

    def __str__(self) -> str:
        return " AND ".join(self._texts)


async def fetch_clock(connection: Connection) -> float:
    """Return what time the server has, in Unix seconds."""
    found: float = await connection.fetchval("SELECT extract(epoch FROM clock_timestamp())::float8")
    return found


# Where the log is archived, replicas find there what the server has deleted.
_MAY_STALL = """
SELECT current_setting('synchronous_standby_names') <> ''
   AND pg_size_bytes(current_setting('wal_keep_size')) = 0
   AND current_setting('archive_mode') = 'off'
   AND NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_type = 'physical' AND slot_name <> $1)
"""


async def may_stall(connection: Connection, backup_slot: str) -> bool:
    """Return whether commits wait for replicas for which the server keeps no log, but for the backup's."""
    found: bool = await connection.fetchval(_MAY_STALL, backup_slot)
    return found


def affected(status: str) -> int:
    """Return how many rows a statement wrote, from the status that the server answered (`INSERT 0 5`)."""
    return int(status.rpartition(" ")[2])


def page_sql(listing: str, counting: str) -> str:
    """Return one statement for a page and the total of all pages, so that a list costs one round trip.

    Both texts share their parameters. The row that is always there carries the total of a page that is empty.
    """
    return f"""
    SELECT ({counting}) AS total, page.*
    FROM (VALUES (true)) AS always
    LEFT JOIN (SELECT row_number() OVER () AS place, listed.* FROM ({listing}) AS listed) AS page ON true
    ORDER BY place
    """  # noqa: S608 - our own texts


async def fetch_page(connection: Connection, statement: str, *values: Any) -> tuple[list[dict[str, Any]], int]:
    """Return the rows of a statement that `page_sql` made, as the listing has them, and the total of all pages."""
    found = await connection.fetch(statement, *values)
    rows = [dict(row) for row in found if row["place"] is not None]
    for row in rows:
        del row["total"], row["place"]
    return rows, found[0]["total"]


def name_order_sql(name: str) -> str:
    """Return the sort key of a name for an ORDER BY: without case and accents, as a Brazilian list has it.

    It is the same on every server: the embedded PostgreSQL has no ICU collations, and a database may be created with
    any locale. A table that is read page by page stores such a key in a column with an index instead.
    """
    return rf"""lower(regexp_replace(normalize({name}, NFD), '[\u0300-\u036f]+', '', 'g') COLLATE "C")"""
