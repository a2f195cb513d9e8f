"""Starts, aborts and rolls back migrations of the schema version (rules: search 4.4, 4.5)."""

import asyncio
import time
from typing import Any

from msgspec.structs import asdict

from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.context.reasons import refuse_personal_data
from balcao.core.database.faults import Locked
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid, NotFound, Unavailable
from balcao.core.jobs.worker import enqueue
from balcao.core.values.ids import is_uuid, new_id
from balcao.core.values.text import clean_text
from balcao.search.collection import service as collection
from balcao.search.collection.row import RefusedRow
from balcao.search.collection.store import (
    count_collection_rows,
    create_collection_table,
    list_refused_rows,
    list_schema_versions,
    lock_runs,
    read_alias,
    swap_tables,
)
from balcao.search.conventions import describe_event, name_actor
from balcao.search.schema_migrations import states, store
from balcao.search.schema_migrations.rehearsal import rehearse_migration
from balcao.search.schema_migrations.schemas import (
    AbortBody,
    History,
    IdentifiedStatus,
    MigrationStatus,
    RefusedService,
    RollbackBody,
    RunDetail,
    SchemaVersions,
    StartBody,
    StartedMigration,
)
from balcao.search.schema_migrations.store import NewRun
from balcao.search.schema_migrations.work import WORK_JOB, abandon_target

# How long a rollback retries the switch while writers hold the lock (rules: search 2.1).
SWITCH_SECONDS = 10.0
PAUSE_SECONDS = 0.5


async def start_migration(call: Call, body: StartBody) -> StartedMigration:
    """Start a migration that a worker then runs, or do a dry run.

    Raises Invalid for an unknown schema version, and Conflict while a run is in progress.
    """
    reason = _clean_reason(body.reason)
    async with call.platform.database.transaction() as connection:
        known = await list_schema_versions(connection)
        if body.schema_version not in known:
            raise Invalid(f"O campo `schema_version` deve ser um de: {', '.join(known)}.", code="schema-unknown")
        if not body.dry_run:
            return await _start(connection, call, body.schema_version, reason)
        states.require_none_running(await store.list_migration_runs(connection))
        event = describe_event(dry_run=body.schema_version)
        await call.platform.audit.record(connection, call, "event", fields=event)
    return await rehearse_migration(call, body.schema_version)


async def _start(connection: Connection, call: Call, schema_version: str, reason: str | None) -> StartedMigration:
    await lock_runs(connection)
    states.require_none_running(await store.list_migration_runs(connection))
    alias = await read_alias(connection)
    target = await collection.find_reusable_mirror(connection, alias, schema_version)
    target = target or await create_collection_table(connection, schema_version)
    total = await count_collection_rows(connection, alias.physical)
    run_id = new_id()
    run = NewRun(run_id, schema_version, alias.schema_version, alias.physical, target, name_actor(call), reason, total)
    await store.insert_migration(connection, run)
    await enqueue(connection, WORK_JOB, {"run": run_id})
    event = describe_event(migration=run_id, schema=schema_version)
    await call.platform.audit.record(connection, call, "event", fields=event)
    return StartedMigration(**await _to_members(connection, run_id))


async def abort_migration(call: Call, body: AbortBody) -> IdentifiedStatus:
    """Mark the running migration as failed. The collection does not change.

    Raises Invalid for a bad reason, and the errors of `states.choose_abortable`.
    """
    reason = _clean_reason(body.reason)
    async with call.platform.database.transaction() as connection:
        await lock_runs(connection)
        run = states.choose_abortable(await store.list_migration_runs(connection), _clean_id(body.migration_id))
        message = f"Abortada por {name_actor(call)}" + (f": {reason}" if reason else ".")
        phase = await store.abort_run(connection, run.id, message)
        if phase is None:
            raise Conflict("A migração terminou ou já está na troca.", code="migration-switching")
        await abandon_target(connection, run.target_collection, phase)
        await call.platform.audit.record(connection, call, "event", fields=describe_event(migration=run.id, abort=True))
        return IdentifiedStatus(**await _to_members(connection, run.id))


async def _to_members(connection: Connection, run_id: str) -> dict[str, Any]:
    return asdict(await store.read_run_status(connection, run_id)) | {"migration_id": run_id}


async def roll_back_migration(call: Call, body: RollbackBody) -> tuple[str, MigrationStatus]:
    """Undo a migration. Return the id and the status of the new run.

    No write is lost, because the mirror of the migration already has the writes since the switch. Raises the errors of
    `states.choose_revocable`, and Unavailable if writers hold the lock for too long.
    """
    reason, migration_id = _clean_reason(body.reason), _clean_id(body.migration_id)
    deadline = time.monotonic() + SWITCH_SECONDS
    while True:
        try:
            async with call.platform.database.transaction() as connection:
                return await _roll_back(connection, call, migration_id, reason)
        except Locked:
            if time.monotonic() >= deadline:
                text = "Há gravações em curso que impedem a troca agora. Nada mudou: tente de novo."
                raise Unavailable(text, code="switch-lock", retry_after=2) from None
        await asyncio.sleep(PAUSE_SECONDS)


async def _roll_back(
    connection: Connection, call: Call, migration_id: str | None, reason: str | None
) -> tuple[str, MigrationStatus]:
    await lock_runs(connection)
    undone = states.choose_revocable(await store.list_migration_runs(connection), migration_id)
    run_id = new_id()
    rollback = NewRun(
        run_id,
        undone.previous_schema_version,
        undone.schema_version,
        undone.target_collection,
        undone.source_collection,
        name_actor(call),
        reason,
        await count_collection_rows(connection, undone.source_collection),
    )
    await store.insert_rollback(connection, rollback)
    await store.mark_rolled_back(connection, undone.id, run_id)
    fields = describe_event(migration=undone.id, rollback=run_id)
    await call.platform.audit.record(connection, call, "event", fields=fields)
    status = await store.read_run_status(connection, run_id)
    # This must be the last statement, because writers wait from here until the commit.
    if not await swap_tables(connection, undone.target_collection, undone.source_collection):
        raise states.window_over()
    return run_id, status


async def read_current_status(call: Call) -> IdentifiedStatus:
    """Return the state of the newest run. Its status is `idle` if there was never a run."""
    async with call.platform.database.connection() as connection:
        found = await store.find_newest_status(connection)
        return found or await _describe_idle(connection)


async def _describe_idle(connection: Connection) -> IdentifiedStatus:
    alias = await read_alias(connection)
    return IdentifiedStatus(
        backup_collection="",
        completed_at=0,
        error_message="",
        is_locked=False,
        migrated_documents=0,
        progress=0,
        schema_version=alias.schema_version,
        source_collection=alias.physical,
        started_at=0,
        started_by="",
        status="idle",
        target_collection="",
        total_documents=0,
        migration_id=None,
    )


async def read_run(call: Call, run_id: str) -> RunDetail:
    """Return all recorded data of a run. Raises NotFound if it does not exist."""
    if not is_uuid(run_id):
        raise NotFound(states.UNKNOWN, code="migration-unknown")
    async with call.platform.database.connection() as connection:
        runs = await store.list_migration_runs(connection)
        run = next((run for run in runs if run.id == run_id.lower()), None)
        if run is None:
            raise NotFound(states.UNKNOWN, code="migration-unknown")
        # A rollback has no refused rows, because its target received every write.
        refused = await list_refused_rows(connection, run.target_collection)
        errors = [_to_refused(row) for row in refused] if run.kind == "migration" else []
        return await store.read_run_detail(
            connection, run.id, errors=errors, rollback_possible=states.is_revocable(runs, run)
        )


def _to_refused(row: RefusedRow) -> RefusedService:
    return RefusedService(service_id=row.service_id, field=row.field, reason=row.reason)


async def list_schemas(call: Call) -> SchemaVersions:
    """Return the current schema version and those that a migration can install."""
    async with call.platform.database.connection() as connection:
        alias = await read_alias(connection)
        known = await list_schema_versions(connection)
    return SchemaVersions(current_version=alias.schema_version, available_versions=known)


async def read_history(call: Call, page: int, per_page: int) -> History:
    """Return a page of the runs. A page beyond the end is empty."""
    async with call.platform.database.connection() as connection:
        found, entries = await store.list_migration_history(connection, page, per_page)
    return History(found=found, migrations=entries, out_of=found, page=page)


async def find_newest_migration(platform: Platform) -> str | None:
    """Return the id of the newest run that is not a rollback, or None."""
    async with platform.database.connection() as connection:
        return await store.select_newest_migration(connection)


async def tidy_up(platform: Platform) -> None:
    """Close the mirror after its rollback window, and drop the tables that are due."""
    async with platform.database.transaction() as connection:
        await lock_runs(connection)
        if unneeded := await store.find_unneeded_mirror(connection):
            await collection.close_mirror(connection, unneeded)
    await collection.drop_overdue_tables(platform)


def _clean_reason(text: str | None) -> str | None:
    reason = clean_text("reason", text or "", longest=2000, shortest=0, one_line=False)
    return refuse_personal_data("reason", reason) or None


def _clean_id(text: str | None) -> str | None:
    return (text or "").strip().lower() or None
