"""Giving the collection another schema version, and taking it back (rules: search 4.4, 4.5).

A migration runs in one transaction while writers wait: right for a small catalogue. The tables, the triggers and the
switch are those of the online method, which only replaces the copy.
"""

from datetime import timedelta

from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid
from balcao.core.jobs.worker import enqueue
from balcao.core.values.ids import new_id
from balcao.core.values.text import clean
from balcao.search.collection import service as collection
from balcao.search.collection.alias import Alias
from balcao.search.conventions import describe_event, name_actor
from balcao.search.schema_migrations import states, store
from balcao.search.schema_migrations.schemas import History, MigrationStatus, RollbackBody, StartBody

CLOSE_JOB = "search.close_rollback_window"
DROP_JOB = "search.drop_unused_table"

# So long every write also goes to the former table (rules: search 4.5).
ROLLBACK_WINDOW = timedelta(days=7)
# So long a reader that took the table's name before a switch may still be reading it.
OLD_READERS = timedelta(seconds=60)


async def start(call: Call, body: StartBody) -> tuple[str, MigrationStatus]:
    """Migrate the collection and return the run's id and how it ended.

    A run that `failed` leaves everything as before. Raises Invalid, Conflict, and Unavailable for busy writers.
    """
    reason = _clean_reason(body.reason)
    async with call.platform.database.transaction() as connection:
        known = await collection.list_schema_versions(connection)
        if body.schema_version not in known:
            raise Invalid(f"O campo `schema_version` deve ser um de: {', '.join(known)}.", code="schema-unknown")
        await collection.lock_runs(connection)
        if any(run.status == "in_progress" for run in await store.list_runs(connection)):
            raise Conflict("Há uma migração em andamento: espere que termine.", code="migration-running")
        await collection.lock_exclusively(connection)
        run_id = await _migrate(connection, call, body.schema_version, reason)
        await call.platform.audit.record(connection, call, "event", fields=describe_event(migration=run_id))
        return run_id, await store.read_status(connection, run_id)


async def _migrate(connection: Connection, call: Call, schema_version: str, reason: str | None) -> str:
    run_id = new_id()
    alias = await collection.read_alias(connection)
    target = await collection.create_table(connection, schema_version)
    versions, tables = (schema_version, alias.schema_version), (alias.physical, target)
    total = await collection.count_rows(connection, alias.physical)
    await store.insert_migration(connection, run_id, versions, tables, name_actor(call), reason, total)
    copied = await collection.copy_rows(connection, alias.physical, target)
    if fault := await _find_fault(connection, alias.physical, target):
        phase, message = fault
        await store.mark_failed(connection, run_id, phase, copied, message)
        await collection.drop_table(connection, target)
    else:
        await _switch_to(connection, alias.mirror, target)
        await store.mark_completed(connection, run_id, copied, ROLLBACK_WINDOW)
        await enqueue(connection, CLOSE_JOB, {"run": run_id}, delay=ROLLBACK_WINDOW + OLD_READERS)
    return run_id


async def _find_fault(connection: Connection, source: str, target: str) -> tuple[str, str] | None:
    """Return the phase that failed and the sentence for staff.

    Verified by content: equal counts alone prove nothing.
    """
    if refused := await collection.list_refused_rows(connection, target):
        return "back_fill", _format_fault("na cópia", "não puderam ser convertidos", refused)
    if differing := await collection.list_differing_rows(connection, source, target):
        return "verifying", _format_fault("na verificação", "ficaram diferentes", differing)
    return None


def _format_fault(phase: str, what: str, ids: list[str]) -> str:
    return f"Falha {phase}: {len(ids)} registro(s) {what} ({', '.join(ids[:5])})."


async def _switch_to(connection: Connection, former_mirror: str | None, target: str) -> None:
    """Make the target the active table; this ends an older window, because there is one mirror."""
    # The swap exchanges active table and mirror, so the target is the mirror first; the former table then becomes it.
    await store.end_windows(connection)
    await collection.set_mirror(connection, target)
    await collection.swap_tables(connection)
    if former_mirror is not None:
        await enqueue(connection, DROP_JOB, {"table": former_mirror}, delay=OLD_READERS)


async def roll_back(call: Call, body: RollbackBody) -> tuple[str, MigrationStatus]:
    """Undo a migration and return the new run's id and its status.

    Lossless: what was written after the switch is in the old table already. Raises Conflict and NotFound as the states
    say, Unavailable when writers keep the collection busy.
    """
    reason = _clean_reason(body.reason)
    migration_id = (body.migration_id or "").strip().lower() or None
    async with call.platform.database.transaction() as connection:
        await collection.lock_runs(connection)
        # Chosen twice: before the lock, so that a refused call keeps no writer waiting, and under it, because a write
        # that failed to reach the mirror meanwhile has ended the window.
        states.choose_revocable(await store.list_runs(connection), migration_id)
        await collection.lock_exclusively(connection)
        undone = states.choose_revocable(await store.list_runs(connection), migration_id)
        left = await collection.read_alias(connection)
        run_id = await _switch_back(connection, call, undone, left, reason)
        fields = describe_event(migration=undone.id, rollback=run_id)
        await call.platform.audit.record(connection, call, "event", fields=fields)
        return run_id, await store.read_status(connection, run_id)


async def _switch_back(
    connection: Connection, call: Call, undone: states.MigrationRun, left: Alias, reason: str | None
) -> str:
    run_id = new_id()
    active = await collection.swap_tables(connection)
    versions, tables = (active.schema_version, left.schema_version), (left.physical, active.physical)
    total = await collection.count_rows(connection, active.physical)
    await store.insert_rollback(connection, run_id, versions, tables, name_actor(call), reason, total)
    await store.mark_rolled_back(connection, undone.id, run_id)
    return run_id


async def read_history(call: Call, page: int, per_page: int) -> History:
    """Return a page of the runs; one beyond the end is empty."""
    async with call.platform.database.connection() as connection:
        found, entries = await store.list_history(connection, page, per_page)
    return History(found=found, migrations=entries, out_of=found, page=page)


async def find_newest_migration(platform: Platform) -> str | None:
    """Return the id of the newest run that is no rollback, or None."""
    async with platform.database.connection() as connection:
        return await store.find_newest_migration(connection)


async def close_window(platform: Platform, run_id: str) -> None:
    """End a mirror whose window is over, and let its table go once old readers have left."""
    async with platform.database.transaction() as connection:
        await collection.lock_runs(connection)
        tables = await store.find_tables_after_window(connection, run_id)
        if tables is None:
            return
        await collection.lock_exclusively(connection)
        if unused := await collection.close_mirror(connection, *tables):
            await enqueue(connection, DROP_JOB, {"table": unused}, delay=OLD_READERS)


async def drop_table(platform: Platform, table: str) -> None:
    """Drop a table unless it is active or a mirror again."""
    async with platform.database.transaction() as connection:
        await collection.drop_table(connection, table)


def _clean_reason(text: str | None) -> str | None:
    return clean("reason", text or "", longest=2000, shortest=0, one_line=False) or None
