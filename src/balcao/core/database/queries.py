"""Query helpers for stores: optional conditions, affected rows, pages with a total, and checks of the server."""

from typing import Any

import asyncpg

from balcao.core.database.pool import Connection

# The exceptions raised when a deleted row is still referenced by a foreign key, with NO ACTION and with RESTRICT.
STILL_REFERENCED = (asyncpg.ForeignKeyViolationError, asyncpg.RestrictViolationError)


class Conditions:
    """The optional conditions of a WHERE clause, with their parameters."""

    def __init__(self, *values: Any) -> None:
        """`values` are the parameters that the rest of the statement already uses, from `$1` on."""
        self.values = list(values)
        self._texts: list[str] = []

    def add(self, text: str, *values: Any) -> None:
        """Add a condition. Each `{}` in it becomes the parameter (`$2`) of the next value."""
        self._texts.append(text.format(*(f"${len(self.values) + number}" for number in range(1, len(values) + 1))))
        self.values += values

    def __str__(self) -> str:
        return " AND ".join(self._texts)


async def fetch_clock(connection: Connection) -> float:
    """Return the server's clock in Unix seconds."""
    found: float = await connection.fetchval("SELECT extract(epoch FROM clock_timestamp())::float8")
    return found


# Commits cannot stall for long with WAL archiving (`archive_mode`), because a lagging replica reads old WAL from the
# archive and catches up.
_MAY_STALL = """
SELECT current_setting('synchronous_standby_names') <> ''
   AND pg_size_bytes(current_setting('wal_keep_size')) = 0
   AND current_setting('archive_mode') = 'off'
   AND NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_type = 'physical' AND slot_name <> $1)
"""


async def may_stall(connection: Connection, backup_slot: str) -> bool:
    """Return whether commits wait for synchronous replicas, although the server retains no WAL for the replicas.

    A setting, the archive or a physical slot can retain WAL. The slot of the backup does not count.
    """
    found: bool = await connection.fetchval(_MAY_STALL, backup_slot)
    return found


_MAY_LOSE = """
SELECT current_setting('synchronous_standby_names') = '' OR current_setting('synchronous_commit') IN ('off', 'local')
"""


async def may_lose_writes(connection: Connection) -> bool:
    """Return whether commits do not wait for a replica, so that a failover can lose acknowledged writes."""
    found: bool = await connection.fetchval(_MAY_LOSE)
    return found


def affected(status: str) -> int:
    """Return the number of affected rows from a command tag such as `INSERT 0 5`."""
    return int(status.rpartition(" ")[2])


def page_sql(listing: str, counting: str) -> str:
    """Return one statement that reads a page and the total number of items in one round trip.

    The two SQL strings share their parameters. The LEFT JOIN returns one row even for an empty page, because that row
    carries the total.
    """
    return f"""
    SELECT ({counting}) AS total, page.*
    FROM (VALUES (true)) AS always
    LEFT JOIN (SELECT row_number() OVER () AS place, listed.* FROM ({listing}) AS listed) AS page ON true
    ORDER BY place
    """  # noqa: S608 - our own texts


async def fetch_page(connection: Connection, statement: str, *values: Any) -> tuple[list[dict[str, Any]], int]:
    """Run a statement from `page_sql`. Return the page's rows and the total number of rows on all pages."""
    found = await connection.fetch(statement, *values)
    rows = [dict(row) for row in found if row["place"] is not None]
    for row in rows:
        del row["total"], row["place"]
    return rows, found[0]["total"]


def name_order_sql(name: str) -> str:
    """Return the SQL of a name's sort key for ORDER BY. It ignores case and accents, as Brazilian lists do.

    It is the same on every server: the embedded PostgreSQL has no ICU collations, and a database may be created with
    any locale. A table that is read page by page should store such a key in an indexed column instead.
    """
    return rf"""lower(regexp_replace(normalize({name}, NFD), '[\u0300-\u036f]+', '', 'g') COLLATE "C")"""
