"""SQL for the runs of schema migrations."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import asyncpg

from balcao.core.database.pool import Connection, Row
from balcao.core.database.results import read_part
from balcao.core.database.statements import statement
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

# A write that did not reach the mirror closes the window, because the mirror is no longer complete.
_WINDOW_OPEN = """
coalesce(rollback_until > now(), false)
    AND EXISTS (SELECT FROM search.search_collection
                WHERE physical = target_collection AND mirror = source_collection)
    AND NOT EXISTS (SELECT FROM search.search_migration_errors WHERE physical_table = source_collection)
"""


@statement(f"""
SELECT id::text, kind, status, source_collection, target_collection, schema_version,
       previous_schema_version, phase, rolled_back_by IS NOT NULL AS rolled_back, {_WINDOW_OPEN} AS window_open
FROM search.search_migrations
ORDER BY started_at DESC, id DESC
""")
async def list_migration_runs(connection: Connection) -> list[MigrationRun]:
    """Return all runs, newest first. The list needs no limit, because schema changes are rare."""


class NewRun(NamedTuple):
    """A new run, which replaces the active table `source_collection` with `target_collection`."""

    id: str
    schema_version: str
    previous_schema_version: str
    source_collection: str
    target_collection: str
    started_by: str
    reason: str | None
    total: int


@statement("""
INSERT INTO search.search_migrations
    (id, kind, status, phase, schema_version, previous_schema_version, source_collection, target_collection,
     started_by, reason, total_documents)
VALUES (:id, 'migration', 'in_progress', 'preparing', :schema_version, :previous_schema_version, :source_collection,
        :target_collection, :started_by, :reason, :total)
""")
async def _insert_migration(connection: Connection, run: NewRun) -> None: ...


async def insert_migration(connection: Connection, run: NewRun) -> None:
    """Insert a migration in progress. Raises Conflict if another run is in progress."""
    try:
        await _insert_migration(connection, run)
    except asyncpg.UniqueViolationError:
        raise Conflict("Há uma migração em andamento: espere que termine.", code="migration-running") from None


@statement("""
UPDATE search.search_migrations
SET status = 'failed', error_message = :message, completed_at = clock_timestamp(), lease_until = NULL, worker_id = NULL
WHERE id = :run_id AND status = 'in_progress' AND phase <> 'switching'
RETURNING phase
""")
async def abort_run(connection: Connection, run_id: str, message: str) -> Phase | None:
    """Mark a run as failed and return its phase. Return None if it has ended or started to switch."""


_STATUS_COLUMNS = """
status, schema_version, source_collection, target_collection, backup_collection, started_by,
total_documents, migrated_documents, progress, error_message, status = 'in_progress' AS is_locked,
floor(extract(epoch FROM started_at))::bigint AS started_at,
coalesce(floor(extract(epoch FROM completed_at))::bigint, 0) AS completed_at
"""


@statement(f"SELECT {_STATUS_COLUMNS} FROM search.search_migrations WHERE id = :run_id")
async def read_run_status(connection: Connection, run_id: str) -> MigrationStatus: ...


@statement(f"""
SELECT id::text AS migration_id, {_STATUS_COLUMNS} FROM search.search_migrations
ORDER BY search_migrations.started_at DESC, id DESC LIMIT 1
""")
async def find_newest_status(connection: Connection) -> IdentifiedStatus | None:
    """Return the state of the newest run, or None if there was never a run."""


@statement("SELECT phase, progress::float8 FROM search.search_migrations WHERE status = 'in_progress'")
async def _read_progress(connection: Connection) -> Mapping[str, float]: ...


async def find_progress(connection: Connection) -> Mapping[tuple[str, ...], float]:
    """Return the progress of the running migration in percent, by its phase.

    Return an empty mapping if no migration is running.
    """
    return {(phase,): progress for phase, progress in (await _read_progress(connection)).items()}


class Reports(NamedTuple):
    """The results of the checks in a run."""

    verification: Verification | None
    control_queries: ControlReport | None


class StoredRun(NamedTuple):
    """A stored run: its columns and the results of its checks."""

    members: Mapping[str, Any]
    reports: Reports

    @classmethod
    def from_row(cls, row: Row) -> "StoredRun":
        """Read a row with all columns."""
        return cls(row, read_part(Reports, row))


@statement(f"""
SELECT id::text AS migration_id, {_STATUS_COLUMNS}, kind, phase, previous_schema_version, reason,
       rolled_back_by::text, last_key::text, resumes, verification::text, control_queries::text,
       coalesce(floor(extract(epoch FROM rollback_until))::bigint, 0) AS rollback_until
FROM search.search_migrations WHERE id = :run_id
""")
async def _read_run(connection: Connection, run_id: str) -> StoredRun: ...


async def read_run_detail(
    connection: Connection, run_id: str, *, errors: list[RefusedService], rollback_possible: bool
) -> RunDetail:
    """Return all recorded data of an existing run."""
    stored = await _read_run(connection, run_id)
    members = {**stored.members, **stored.reports._asdict()}
    return RunDetail(**members, errors=errors, rollback_possible=rollback_possible)


@statement("""
INSERT INTO search.search_migrations
    (id, kind, status, phase, schema_version, previous_schema_version, source_collection, target_collection,
     backup_collection, started_at, completed_at, started_by, reason, total_documents, migrated_documents, progress)
VALUES (:id, 'rollback', 'rollback', 'done', :schema_version, :previous_schema_version, :source_collection,
        :target_collection, :source_collection, clock_timestamp(), clock_timestamp(), :started_by, :reason, :total,
        :total, 100)
""")
async def insert_rollback(connection: Connection, run: NewRun) -> None:
    """Insert a finished rollback."""


@statement("UPDATE search.search_migrations SET rolled_back_by = :rollback_id WHERE id = :run_id")
async def mark_rolled_back(connection: Connection, run_id: str, rollback_id: str) -> None: ...


@statement("""
SELECT mirror FROM search.search_collection
WHERE mirror IS NOT NULL
  AND NOT EXISTS (SELECT FROM search.search_migrations WHERE status = 'in_progress')
  AND NOT EXISTS (SELECT FROM search.search_migrations
                  WHERE rollback_until > now() AND (source_collection, target_collection)
                        IN ((physical, mirror), (mirror, physical)))
""")
async def find_unneeded_mirror(connection: Connection) -> str | None:
    """Return the mirror if no run is in progress and no rollback can use it any more."""


class ListedRun(NamedTuple):
    """A run on a page, and the number of all runs. If the page is empty, the only row has no run."""

    found: int
    entry: HistoryEntry | None


@statement("""
SELECT counted.found, entry.*
FROM (SELECT count(*) AS found FROM search.search_migrations) AS counted
LEFT JOIN (
    SELECT id::text, status, schema_version, previous_schema_version, started_by, total_documents, error_message,
           floor(extract(epoch FROM started_at))::bigint AS started_at,
           coalesce(floor(extract(epoch FROM completed_at))::bigint, 0) AS completed_at,
           row_number() OVER (ORDER BY search_migrations.started_at DESC, search_migrations.id DESC) AS place
    FROM search.search_migrations
) AS entry ON entry.place > :offset AND entry.place <= :offset + :limit
ORDER BY entry.place
""")
async def _list_history(connection: Connection, offset: int, limit: int) -> list[ListedRun]: ...


async def list_migration_history(connection: Connection, page: int, per_page: int) -> tuple[int, list[HistoryEntry]]:
    """Return the number of all runs and one page, newest first."""
    listed = await _list_history(connection, (page - 1) * per_page, per_page)
    return listed[0].found, [each.entry for each in listed if each.entry is not None]


@statement("SELECT id::text FROM search.search_migrations WHERE kind = 'migration' ORDER BY started_at DESC LIMIT 1")
async def select_newest_migration(connection: Connection) -> str | None: ...
