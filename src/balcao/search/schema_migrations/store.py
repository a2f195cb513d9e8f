"""SQL of the runs of schema migrations."""

from datetime import timedelta

from balcao.core.database.pool import Connection, Row
from balcao.search.schema_migrations.schemas import HistoryEntry, MigrationStatus
from balcao.search.schema_migrations.states import MigrationRun

# A write that could not reach the mirror ends the window: the other table is no longer the same catalogue.
_RUNS = """
SELECT id::text, kind, status, source_collection, target_collection, previous_schema_version,
       rolled_back_by IS NOT NULL AS rolled_back,
       coalesce(rollback_until > now(), false)
           AND EXISTS (SELECT FROM search.search_collection
                       WHERE physical = target_collection AND mirror = source_collection)
           AND NOT EXISTS (SELECT FROM search.search_migration_errors
                           WHERE physical_table = source_collection AND at >= completed_at) AS window_open
FROM search.search_migrations
ORDER BY started_at DESC, id DESC
"""


async def list_runs(connection: Connection) -> list[MigrationRun]:
    """Return all runs, newest first: there are as many as a city changes its schema."""
    return [MigrationRun(**row) for row in await connection.fetch(_RUNS)]


_BEGIN = """
INSERT INTO search.search_migrations
    (id, kind, status, phase, schema_version, previous_schema_version, source_collection, target_collection,
     started_by, reason, total_documents)
VALUES ($1, 'migration', 'in_progress', 'preparing', $2, $3, $4, $5, $6, $7, $8)
"""


async def insert_migration(
    connection: Connection,
    run_id: str,
    versions: tuple[str, str],
    tables: tuple[str, str],
    started_by: str,
    reason: str | None,
    total: int,
) -> None:
    """Insert a running migration; `versions` are the new and the present one, `tables` the source and the target."""
    await connection.execute(_BEGIN, run_id, *versions, *tables, started_by, reason, total)


_COMPLETE = """
UPDATE search.search_migrations
SET status = 'completed', phase = 'done', progress = 100, migrated_documents = $2, total_documents = $2,
    backup_collection = source_collection, completed_at = clock_timestamp(),
    rollback_until = clock_timestamp() + $3::interval
WHERE id = $1
"""


async def mark_completed(connection: Connection, run_id: str, migrated: int, window: timedelta) -> None:
    await connection.execute(_COMPLETE, run_id, migrated, window)


_FAIL = """
UPDATE search.search_migrations
SET status = 'failed', phase = $2, migrated_documents = $3, error_message = $4, completed_at = clock_timestamp()
WHERE id = $1
"""


async def mark_failed(connection: Connection, run_id: str, phase: str, migrated: int, message: str) -> None:
    await connection.execute(_FAIL, run_id, phase, migrated, message)


_END_WINDOWS = "UPDATE search.search_migrations SET rollback_until = now() WHERE rollback_until > now()"


async def end_windows(connection: Connection) -> None:
    """End every open window: the next migration needs the mirror for itself."""
    await connection.execute(_END_WINDOWS)


_STATUS = """
SELECT status, schema_version, source_collection, target_collection, backup_collection, started_by,
       total_documents, migrated_documents, progress, error_message, status = 'in_progress' AS is_locked,
       floor(extract(epoch FROM started_at))::bigint AS started_at,
       coalesce(floor(extract(epoch FROM completed_at))::bigint, 0) AS completed_at
FROM search.search_migrations WHERE id = $1
"""


async def read_status(connection: Connection, run_id: str) -> MigrationStatus:
    [row] = await connection.fetch(_STATUS, run_id)
    return MigrationStatus(**row)


_ADD_ROLLBACK = """
INSERT INTO search.search_migrations
    (id, kind, status, phase, schema_version, previous_schema_version, source_collection, target_collection,
     backup_collection, started_at, completed_at, started_by, reason, total_documents, migrated_documents, progress)
VALUES ($1, 'rollback', 'rollback', 'done', $2, $3, $4, $5,
        $4, clock_timestamp(), clock_timestamp(), $6, $7, $8, $8, 100)
"""


async def insert_rollback(
    connection: Connection,
    run_id: str,
    versions: tuple[str, str],
    tables: tuple[str, str],
    started_by: str,
    reason: str | None,
    total: int,
) -> None:
    """Insert a finished rollback.

    `versions` are the one now active and the one left, `tables` the one left and the one now active.
    """
    await connection.execute(_ADD_ROLLBACK, run_id, *versions, *tables, started_by, reason, total)


_MARK = "UPDATE search.search_migrations SET rolled_back_by = $2 WHERE id = $1"


async def mark_rolled_back(connection: Connection, run_id: str, rollback_id: str) -> None:
    await connection.execute(_MARK, run_id, rollback_id)


_WINDOW = """
SELECT source_collection, target_collection FROM search.search_migrations
WHERE id = $1 AND status = 'completed' AND rollback_until <= now()
"""


async def find_tables_after_window(connection: Connection, run_id: str) -> tuple[str, str] | None:
    """Return source and target of a run whose window is over, else None."""
    row = await connection.fetchrow(_WINDOW, run_id)
    return (row["source_collection"], row["target_collection"]) if row else None


_HISTORY = """
SELECT counted.found, entry.*
FROM (SELECT count(*) AS found FROM search.search_migrations) AS counted
LEFT JOIN (
    SELECT id::text, status, schema_version, previous_schema_version, started_by, total_documents, error_message,
           floor(extract(epoch FROM started_at))::bigint AS started_at,
           coalesce(floor(extract(epoch FROM completed_at))::bigint, 0) AS completed_at,
           row_number() OVER (ORDER BY search_migrations.started_at DESC, search_migrations.id DESC) AS place
    FROM search.search_migrations
) AS entry ON entry.place > $1 AND entry.place <= $1 + $2
ORDER BY entry.place
"""


async def list_history(connection: Connection, page: int, per_page: int) -> tuple[int, list[HistoryEntry]]:
    """Return the number of all runs, and one page of them, newest first."""
    rows = await connection.fetch(_HISTORY, (page - 1) * per_page, per_page)
    return rows[0]["found"], [_to_entry(row) for row in rows if row["id"] is not None]


def _to_entry(row: Row) -> HistoryEntry:
    return HistoryEntry(**{name: row[name] for name in HistoryEntry.__struct_fields__})


_NEWEST = "SELECT id::text FROM search.search_migrations WHERE kind = 'migration' ORDER BY started_at DESC LIMIT 1"


async def find_newest_migration(connection: Connection) -> str | None:
    found: str | None = await connection.fetchval(_NEWEST)
    return found
