"""SQL of the runs of schema migrations."""

from collections.abc import Mapping

import asyncpg
import msgspec

from balcao.core.database.pool import Connection, Row
from balcao.core.errors import Conflict
from balcao.search.control_queries.schemas import ControlReport
from balcao.search.schema_migrations.schemas import (
    HistoryEntry,
    IdentifiedStatus,
    MigrationStatus,
    RefusedService,
    RunDetail,
    Verification,
)
from balcao.search.schema_migrations.states import MigrationRun, Phase

# A write that could not reach the mirror ends the window: the other table is no longer the same catalogue.
_WINDOW_OPEN = """
coalesce(rollback_until > now(), false)
    AND EXISTS (SELECT FROM search.search_collection
                WHERE physical = target_collection AND mirror = source_collection)
    AND NOT EXISTS (SELECT FROM search.search_migration_errors WHERE physical_table = source_collection)
"""
_RUNS = f"""
SELECT id::text, kind, status, source_collection, target_collection, schema_version,
       previous_schema_version, phase, rolled_back_by IS NOT NULL AS rolled_back, {_WINDOW_OPEN} AS window_open
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
    """Insert a running migration; `versions` are the new and the present one, `tables` the source and the target.

    Raises Conflict while another one runs.
    """
    try:
        await connection.execute(_BEGIN, run_id, *versions, *tables, started_by, reason, total)
    except asyncpg.UniqueViolationError:
        raise Conflict("Há uma migração em andamento: espere que termine.", code="migration-running") from None


_ABORT = """
UPDATE search.search_migrations
SET status = 'failed', error_message = $2, completed_at = clock_timestamp(), lease_until = NULL, worker_id = NULL
WHERE id = $1 AND status = 'in_progress' AND phase <> 'switching'
RETURNING phase
"""


async def abort(connection: Connection, run_id: str, message: str) -> Phase | None:
    """End a run as failed and return the phase it was in; None when it has ended or begun to switch."""
    phase: Phase | None = await connection.fetchval(_ABORT, run_id, message)
    return phase


_STATUS_COLUMNS = """
status, schema_version, source_collection, target_collection, backup_collection, started_by,
total_documents, migrated_documents, progress, error_message, status = 'in_progress' AS is_locked,
floor(extract(epoch FROM started_at))::bigint AS started_at,
coalesce(floor(extract(epoch FROM completed_at))::bigint, 0) AS completed_at
"""
_STATUS = f"SELECT {_STATUS_COLUMNS} FROM search.search_migrations WHERE id = $1"


async def read_status(connection: Connection, run_id: str) -> MigrationStatus:
    [row] = await connection.fetch(_STATUS, run_id)
    return MigrationStatus(**row)


_NEWEST_STATUS = f"""
SELECT id::text AS migration_id, {_STATUS_COLUMNS} FROM search.search_migrations
ORDER BY search_migrations.started_at DESC, id DESC LIMIT 1
"""


async def find_newest_status(connection: Connection) -> IdentifiedStatus | None:
    """Return the newest run, None when there was never one."""
    row = await connection.fetchrow(_NEWEST_STATUS)
    return IdentifiedStatus(**row) if row else None


_PROGRESS = "SELECT phase, progress::float8 FROM search.search_migrations WHERE status = 'in_progress'"


async def find_progress(connection: Connection) -> Mapping[tuple[str, ...], float]:
    """Return by its phase how far the run that is under way has come, in per cent; nothing while there is none."""
    return {(row["phase"],): row["progress"] for row in await connection.fetch(_PROGRESS)}


_DETAIL = f"""
SELECT id::text AS migration_id, {_STATUS_COLUMNS}, kind, phase, previous_schema_version, reason,
       rolled_back_by::text, last_key::text, resumes, verification::text, control_queries::text,
       coalesce(floor(extract(epoch FROM rollback_until))::bigint, 0) AS rollback_until
FROM search.search_migrations WHERE id = $1
"""


async def read_detail(
    connection: Connection, run_id: str, *, errors: list[RefusedService], rollback_possible: bool
) -> RunDetail:
    """Return everything recorded of a run that exists."""
    [row] = await connection.fetch(_DETAIL, run_id)
    reports = {
        "verification": row["verification"] and msgspec.json.decode(row["verification"], type=Verification),
        "control_queries": row["control_queries"] and msgspec.json.decode(row["control_queries"], type=ControlReport),
    }
    return RunDetail(**{**row, **reports}, errors=errors, rollback_possible=rollback_possible)


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


_UNNEEDED_MIRROR = """
SELECT mirror FROM search.search_collection
WHERE mirror IS NOT NULL
  AND NOT EXISTS (SELECT FROM search.search_migrations WHERE status = 'in_progress')
  AND NOT EXISTS (SELECT FROM search.search_migrations
                  WHERE rollback_until > now() AND (source_collection, target_collection)
                        IN ((physical, mirror), (mirror, physical)))
"""


async def find_unneeded_mirror(connection: Connection) -> str | None:
    """Return the mirror when the window of the migration that it belongs to is over."""
    found: str | None = await connection.fetchval(_UNNEEDED_MIRROR)
    return found


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
