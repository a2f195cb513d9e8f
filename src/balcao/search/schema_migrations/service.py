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
from balcao.search.collection.records import Alias
from balcao.search.conventions import acting, details
from balcao.search.schema_migrations import states, store
from balcao.search.schema_migrations.schemas import History, MigrationStatus, RollbackBody, StartBody

CLOSE_JOB = "search.close_rollback_window"
DROP_JOB = "search.drop_unused_table"

ROLLBACK_WINDOW = timedelta(days=7)
OLD_READERS = timedelta(seconds=60)


async def start(call: Call, order: StartBody) -> tuple[str, MigrationStatus]:
    """The run's id and how it ended: `completed`, or `failed` with everything as before. Raises Invalid, Conflict."""
    reason = _reason(order.reason)
    async with call.platform.database.transaction() as connection:
        known = await collection.schema_versions(connection)
        if order.schema_version not in known:
            raise Invalid(f"O campo `schema_version` deve ser um de: {', '.join(known)}.", code="schema-unknown")
        await collection.lock_runs(connection)
        if any(run.status == "in_progress" for run in await store.runs(connection)):
            raise Conflict("Há uma migração em andamento: espere que termine.", code="migration-running")
        await collection.seize(connection)
        run_id = await _begin(connection, call, order.schema_version, reason)
        await call.platform.audit.record(connection, call, "event", fields=details(migration=run_id))
        return run_id, await store.status(connection, run_id)


async def _begin(connection: Connection, call: Call, schema_version: str, reason: str | None) -> str:
    run_id = new_id()
    alias = await collection.read(connection)
    target = await collection.prepare_target(connection, schema_version)
    versions, tables = (schema_version, alias.schema_version), (alias.physical, target)
    total = await collection.count(connection, alias.physical)
    await store.begin(connection, run_id, versions, tables, acting(call), reason, total)
    copied = await collection.copy_rows(connection, alias.physical, target)
    if fault := await _fault(connection, alias.physical, target):
        phase, message = fault
        await store.fail(connection, run_id, phase, copied, message)
        await collection.drop_physical(connection, target)
    else:
        await _switch_to(connection, alias.mirror, target)
        await store.complete(connection, run_id, copied, ROLLBACK_WINDOW)
        await enqueue(connection, CLOSE_JOB, {"run": run_id}, delay=ROLLBACK_WINDOW + OLD_READERS)
    return run_id


async def _fault(connection: Connection, source: str, target: str) -> tuple[str, str] | None:
    """The phase that failed and the sentence for staff; verified by content, counts alone prove nothing."""
    if refused := await collection.refused_rows(connection, target):
        return "back_fill", _sentence("na cópia", "não puderam ser convertidos", refused)
    if differing := await collection.differing_rows(connection, source, target):
        return "verifying", _sentence("na verificação", "ficaram diferentes", differing)
    return None


def _sentence(phase: str, what: str, ids: list[str]) -> str:
    return f"Falha {phase}: {len(ids)} registro(s) {what} ({', '.join(ids[:5])})."


async def _switch_to(connection: Connection, former_mirror: str | None, target: str) -> None:
    """Ends an older window: there is one mirror."""
    await store.end_windows(connection)
    await collection.set_mirror(connection, target)
    await collection.switch(connection)
    if former_mirror is not None:
        await enqueue(connection, DROP_JOB, {"table": former_mirror}, delay=OLD_READERS)


async def rollback(call: Call, order: RollbackBody) -> tuple[str, MigrationStatus]:
    """The new run's id and its status. Lossless: what was written after the switch is in the old table already.

    Raises Conflict and NotFound as the states say, Unavailable when writers keep the collection busy.
    """
    reason = _reason(order.reason)
    asked = (order.migration_id or "").strip().lower() or None
    async with call.platform.database.transaction() as connection:
        await collection.lock_runs(connection)
        states.revocable(await store.runs(connection), asked)  # a refused call keeps no writer waiting
        await collection.seize(connection)
        undone = states.revocable(await store.runs(connection), asked)  # a mirrored write may have failed meanwhile
        left = await collection.read(connection)
        run_id = await _switch_back(connection, call, undone, left, reason)
        fields = details(migration=undone.id, rollback=run_id)
        await call.platform.audit.record(connection, call, "event", fields=fields)
        return run_id, await store.status(connection, run_id)


async def _switch_back(connection: Connection, call: Call, undone: states.Run, left: Alias, reason: str | None) -> str:
    run_id = new_id()
    active = await collection.switch(connection)
    versions, tables = (active.schema_version, left.schema_version), (left.physical, active.physical)
    total = await collection.count(connection, active.physical)
    await store.add_rollback(connection, run_id, versions, tables, acting(call), reason, total)
    await store.mark_rolled_back(connection, undone.id, run_id)
    return run_id


async def read_history(call: Call, page: int, per_page: int) -> History:
    """A page beyond the end is empty."""
    async with call.platform.database.connection() as connection:
        found, entries = await store.history(connection, page, per_page)
    return History(found=found, migrations=entries, out_of=found, page=page)


async def newest_migration(platform: Platform) -> str | None:
    async with platform.database.connection() as connection:
        return await store.newest_migration(connection)


async def close_window(platform: Platform, run_id: str) -> None:
    """Ends a mirror whose window is over, and lets its table go once old readers have left."""
    async with platform.database.transaction() as connection:
        await collection.lock_runs(connection)
        tables = await store.tables_after_window(connection, run_id)
        if tables is None:
            return
        await collection.seize(connection)
        if unused := await collection.close_mirror(connection, *tables):
            await enqueue(connection, DROP_JOB, {"table": unused}, delay=OLD_READERS)


async def drop_table(platform: Platform, table: str) -> None:
    """Nothing happens to a table that is active or a mirror again."""
    async with platform.database.transaction() as connection:
        await collection.drop_physical(connection, table)


def _reason(text: str | None) -> str | None:
    return clean("reason", text or "", longest=2000, shortest=0, one_line=False) or None
