"""The steps of a migration worker while writers and other workers are active (rules: search 4.4)."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import pytest

from balcao.core.context.platform import Platform
from balcao.core.errors import Conflict
from balcao.search.collection.store import read_alias
from balcao.search.schema_migrations import service as migrations
from balcao.search.schema_migrations import store, work, work_store
from balcao.search.schema_migrations.jobs import continue_migration
from balcao.search.schema_migrations.schemas import AbortBody, RollbackBody, StartBody
from balcao.search.schema_migrations.work import MigrationWorker, carry_on
from balcao.search.services import service as services
from balcao.search.services.schemas import StaffService
from tests.search.support import act_as_staff, body, migrate, with_v4
from tests.support.issuer import Issuer, bearer
from tests.support.proof_sizes import size

pytestmark = [pytest.mark.usefixtures("empty_catalogue"), pytest.mark.long]

LEASE = timedelta(seconds=30)
WINDOW = timedelta(days=7)
OVERDUE = "UPDATE search.search_migrations SET lease_until = now() - interval '1 second' WHERE lease_until IS NOT NULL"


class Run:
    """A migration run in progress, and the workers that claim it."""

    def __init__(self, platform: Platform, owner: asyncpg.Connection, run_id: str) -> None:
        self.id = run_id
        self._platform = platform
        self._owner = owner

    @asynccontextmanager
    async def worker(self) -> AsyncIterator[MigrationWorker]:
        """Expire the former worker's lease, and let a new worker claim the run."""
        await self._owner.execute(OVERDUE)
        async with self._platform.database.connection() as connection:
            run = await work_store.claim_run(connection, self.id, self.id, LEASE)
            assert run is not None
            yield MigrationWorker(connection, run, LEASE, WINDOW)

    async def row(self) -> asyncpg.Record:
        return await self._owner.fetchrow("SELECT * FROM search.search_migrations WHERE id = $1", self.id)

    async def reach(self, worker: MigrationWorker, phase: str) -> None:
        """Run the worker's steps until the run is in this phase."""
        while (await self.row())["phase"] != phase:
            assert await worker.step()

    async def finish(self, worker: MigrationWorker) -> str:
        while await worker.step():
            continue
        return str((await self.row())["status"])


async def start(platform: Platform, owner: asyncpg.Connection, version: str = "v2") -> Run:
    started = await migrations.start_migration(act_as_staff(platform), StartBody(version))
    assert started.migration_id
    return Run(platform, owner, started.migration_id)


async def create(platform: Platform, count: int, **members: Any) -> list[StaffService]:
    made = [await services.create_service(act_as_staff(platform), body(**members)) for _ in range(count)]
    return sorted(made, key=lambda service: service.id)


async def differences(owner: asyncpg.Connection) -> list[Any]:
    physical, mirror = await owner.fetchrow("SELECT physical, mirror FROM search.search_collection")
    assert mirror is not None
    found: list[Any] = await owner.fetchval(
        "SELECT differing FROM search.compare_chunk($1, $2, NULL, NULL)", physical, mirror
    )
    return found


@pytest.mark.cases("search", "59")
async def test_what_is_written_between_two_chunks_is_in_both_tables(
    platform: Platform, owner: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "FIRST_CHUNK", 2)
    monkeypatch.setattr(work, "FAST_CHUNK", timedelta(0))
    staff = act_as_staff(platform)
    made = await create(platform, 7)
    run = await start(platform, owner)
    async with run.worker() as worker:
        await run.reach(worker, "back_fill")
        await worker.step()
        assert (await run.row())["migrated_documents"] == 2
        # Change, delete and create services before, at and after the key that was copied last.
        for place in (0, 1, 2, 5):
            await services.update_service(staff, made[place].id, body(nome_servico=f"Mudado {place}"))
        for place in (0, 3, 6):
            await services.delete_service(staff, made[place].id)
        await services.create_service(staff, body(), service_id="00000000-0000-4000-8000-000000000000")
        await services.create_service(staff, body(), service_id="ffffffff-ffff-4fff-bfff-ffffffffffff")
        assert await run.finish(worker) == "completed"
    assert await differences(owner) == []
    target = (await run.row())["target_collection"]
    names = await owner.fetch(f"SELECT doc ->> 'nome_servico' AS name FROM search.{target} ORDER BY id")
    kept = ["Poda de árvore", "Mudado 1", "Mudado 2", "Poda de árvore", "Mudado 5", "Poda de árvore"]
    assert [row["name"] for row in names] == kept


@pytest.mark.cases("search", "59")
async def test_a_row_that_is_deleted_while_it_is_copied_does_not_come_back(
    platform: Platform, owner: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "PAUSE_SECONDS", 0)
    made = await create(platform, 3)
    run = await start(platform, owner)
    async with run.worker() as worker:
        await run.reach(worker, "back_fill")
        writer = owner.transaction()
        await writer.start()
        source = (await run.row())["source_collection"]
        await owner.execute(f"DELETE FROM search.{source} WHERE id = $1", made[1].id)
        await worker.step()  # the worker pauses, because a writer has locked the row
        assert (await run.row())["migrated_documents"] == 0
        await writer.commit()
        assert await run.finish(worker) == "completed"
    assert await differences(owner) == []
    assert (await run.row())["total_documents"] == 2


@pytest.mark.cases("search", "61")
async def test_a_worker_that_was_taken_for_dead_commits_nothing(platform: Platform, owner: asyncpg.Connection) -> None:
    await create(platform, 3)
    run = await start(platform, owner)
    for phase in ("preparing", "back_fill", "indexing", "verifying", "switching"):
        async with run.worker() as older:
            await run.reach(older, phase)
            async with run.worker() as newer:
                before = await run.row()
                alias = await owner.fetchrow("SELECT * FROM search.search_collection")
                steps = older._steps[phase]
                with pytest.raises(work.RunLost):
                    await steps()
                assert await older.step() is False
                assert await run.row() == before
                assert await owner.fetchrow("SELECT * FROM search.search_collection") == alias
                if phase == "switching":
                    assert await run.finish(newer) == "completed"
    assert await differences(owner) == []


async def test_a_run_that_was_left_in_any_phase_is_carried_on(platform: Platform, owner: asyncpg.Connection) -> None:
    await create(platform, 3)
    run = await start(platform, owner)
    for phase in ("preparing", "back_fill", "indexing", "verifying", "switching"):
        async with run.worker() as worker:
            await run.reach(worker, phase)
    assert (await run.row())["fence"] == 5
    await owner.execute(OVERDUE)
    assert await carry_on(platform, run.id) is None
    assert (await run.row())["status"] == "completed"
    assert await differences(owner) == []


async def test_a_run_that_keeps_losing_its_workers_fails(platform: Platform, owner: asyncpg.Connection) -> None:
    await create(platform, 1)
    run = await start(platform, owner)
    async with run.worker() as worker:
        await run.reach(worker, "verifying")
    for lost in range(1, work.MOST_RESUMES + 1):
        async with run.worker():
            assert (await run.row())["resumes"] == lost
    await owner.execute(OVERDUE)
    await carry_on(platform, run.id)
    found = await run.row()
    assert (found["status"], found["phase"]) == ("failed", "verifying")
    assert "retomadas" in found["error_message"]
    assert await owner.fetchval("SELECT mirror FROM search.search_collection") is None


async def test_a_second_worker_waits_for_the_first_ones_lease(platform: Platform, owner: asyncpg.Connection) -> None:
    run = await start(platform, owner)
    async with run.worker():
        left = await carry_on(platform, run.id)
        assert left is not None
        assert timedelta(0) < left <= LEASE
        with pytest.raises(Exception, match="migration-held"):
            await continue_migration(platform, {"run": run.id})


async def test_a_worker_that_stops_hands_the_run_on_at_once(
    platform: Platform, owner: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch, drain: Callable[[], None]
) -> None:
    run = await start(platform, owner)
    monkeypatch.setattr(work, "is_stopping", lambda: True)
    await carry_on(platform, run.id)
    found = await run.row()
    assert (found["status"], found["lease_until"]) == ("in_progress", None)
    monkeypatch.undo()
    await asyncio.to_thread(drain)
    found = await run.row()
    assert (found["status"], found["resumes"]) == ("completed", 0)


@pytest.mark.cases("search", "63")
async def test_one_wrong_row_is_found_though_the_counts_agree(platform: Platform, owner: asyncpg.Connection) -> None:
    made = await create(platform, 3)
    run = await start(platform, owner)
    async with run.worker() as worker:
        await run.reach(worker, "verifying")
        target = (await run.row())["target_collection"]
        await owner.execute(f"UPDATE search.{target} SET carried = '{{\"x\": 1}}' WHERE id = $1", made[1].id)
        assert await run.finish(worker) == "failed"
    found = await run.row()
    assert json.loads(found["verification"]) == {"compared": 3, "differing": 1}
    assert found["error_message"] == f"Falha na verificação: 1 registro(s) ficaram diferentes ({made[1].id})."
    assert (await owner.fetchrow("SELECT physical, mirror FROM search.search_collection")) == (
        found["source_collection"], None,
    )  # fmt: skip


@pytest.mark.parametrize(
    "change", ["DELETE FROM search.{} WHERE id = $1", "UPDATE search.{} SET version = 9 WHERE id = $1"]
)
async def test_a_missing_row_and_a_wrong_version_are_found_too(
    platform: Platform, owner: asyncpg.Connection, change: str
) -> None:
    made = await create(platform, 3)
    run = await start(platform, owner)
    async with run.worker() as worker:
        await run.reach(worker, "verifying")
        await owner.execute(change.format((await run.row())["target_collection"]), made[2].id)
        assert await run.finish(worker) == "failed"


async def test_a_write_that_misses_the_target_fails_the_run_and_not_the_writer(
    platform: Platform, owner: asyncpg.Connection
) -> None:
    staff = act_as_staff(platform)
    [service] = await create(platform, 1)
    for phase in ("back_fill", "verifying", "switching"):
        async with with_v4(owner):
            run = await start(platform, owner, "v4")
            async with run.worker() as worker:
                await run.reach(worker, phase)
                await services.update_service(staff, service.id, body(nome_servico="Quebra", resumo=phase))
                assert await run.finish(worker) == "failed"
            found = await run.row()
            assert service.id in found["error_message"]
            errors = (await migrations.read_run(staff, run.id)).errors
            assert [(error.service_id, error.reason) for error in errors] == [(service.id, "SQLSTATE 22012")]
            await services.update_service(staff, service.id, body(nome_servico="Inteira", resumo=phase))


async def test_a_write_that_misses_the_target_at_the_last_moment_keeps_the_old_table(
    platform: Platform, owner: asyncpg.Connection
) -> None:
    await create(platform, 1)
    run = await start(platform, owner)
    async with run.worker() as worker:
        await run.reach(worker, "switching")
        found = await run.row()
        await owner.execute(
            "INSERT INTO search.search_migration_errors (physical_table, service_id, reason)"
            " VALUES ($1, gen_random_uuid(), 'SQLSTATE 22012')",
            found["target_collection"],
        )
        with pytest.raises(work_store.TablesDiffer):
            await work_store.complete_run(worker._connection, worker.run, WINDOW)
        assert await run.row() == found
        assert await run.finish(worker) == "failed"


async def test_the_table_that_a_rollback_left_is_used_again_without_a_copy(
    platform: Platform, owner: asyncpg.Connection
) -> None:
    staff = act_as_staff(platform)
    [service] = await create(platform, 1)
    first = await migrate(platform, "v2")
    await migrations.roll_back_migration(staff, RollbackBody())
    await services.update_service(staff, service.id, body(nome_servico="Depois da reversão"))
    again = await migrate(platform, "v2")
    assert (again.status, again.target_collection) == ("completed", first.target_collection)
    assert (again.total_documents, again.migrated_documents) == (1, 1)
    assert await differences(owner) == []
    other = await migrate(platform, "v1")
    assert other.target_collection not in (first.target_collection, first.source_collection)


async def test_a_mirror_that_missed_a_write_is_not_used_again(platform: Platform, owner: asyncpg.Connection) -> None:
    first = await migrate(platform, "v2")
    await migrations.roll_back_migration(act_as_staff(platform), RollbackBody())
    await owner.execute(
        "INSERT INTO search.search_migration_errors (physical_table, service_id, reason)"
        " VALUES ($1, gen_random_uuid(), 'SQLSTATE 22012')",
        first.target_collection,
    )
    assert (await migrate(platform, "v2")).target_collection != first.target_collection


async def test_a_run_that_fails_before_its_mirror_leaves_an_older_window_open(
    platform: Platform, owner: asyncpg.Connection
) -> None:
    staff = act_as_staff(platform)
    older = await migrate(platform, "v2")
    assert older.migration_id
    for version in ("v1", "v3"):  # v3 would reuse the mirror
        await start(platform, owner, version)
        await migrations.abort_migration(staff, AbortBody())
        assert (await migrations.read_run(staff, older.migration_id)).rollback_possible
    run = await start(platform, owner, "v1")
    async with run.worker() as worker:
        await run.reach(worker, "back_fill")
    await migrations.abort_migration(staff, AbortBody())
    assert not (await migrations.read_run(staff, older.migration_id)).rollback_possible
    with pytest.raises(Conflict):
        await migrations.roll_back_migration(staff, RollbackBody())


@pytest.mark.cases("search", "71")
async def test_a_reader_of_the_old_table_ends_on_it(platform: Platform, owner: asyncpg.Connection) -> None:
    made = await create(platform, 3)
    former = await read_alias(owner)
    async with owner.transaction():
        cursor = await owner.cursor(f"SELECT id::text FROM search.{former.physical} ORDER BY id")
        seen = [row["id"] for row in await cursor.fetch(1)]
        assert (await migrate(platform, "v2")).status == "completed"
        seen += [row["id"] for row in await cursor.fetch(9)]
    assert seen == [service.id for service in made]
    assert (await read_alias(owner)).physical != former.physical


async def test_writers_that_do_not_end_are_waited_for(
    platform: Platform, owner: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "PAUSE_SECONDS", 0)
    run = await start(platform, owner)
    async with run.worker() as worker:
        for phase in ("preparing", "switching"):
            await run.reach(worker, phase)
            before = await read_alias(owner)
            async with owner.transaction():
                await owner.execute("SELECT search.enter_collection()")
                assert await worker.step()
                assert (await run.row())["phase"] == phase
            assert await read_alias(owner) == before
        monkeypatch.setattr(work, "LOCK_ATTEMPTS_SECONDS", -1)
        async with owner.transaction():
            await owner.execute("SELECT search.enter_collection()")
            await worker.step()
    assert "gravações que não terminam" in (await run.row())["error_message"]


@pytest.mark.cases("search", "57")
async def test_of_two_starts_at_once_one_begins(platform: Platform, http: httpx.Client, issuer: Issuer) -> None:
    token = bearer(issuer.admin())

    def call() -> int:
        sent = {"schema_version": "v2"}
        return http.post("/search/api/v1/admin/migration/start", json=sent, headers=token).status_code

    for _ in range(size(5, 200)):
        assert sorted(await asyncio.gather(*(asyncio.to_thread(call) for _ in range(2)))) == [200, 409]
        await migrations.abort_migration(act_as_staff(platform), AbortBody())


async def test_the_database_lets_one_run_begin(platform: Platform, owner: asyncpg.Connection) -> None:
    await start(platform, owner)
    tables = ("services_v3_20260101_000000", "services_v1_20260101_000000")
    run = store.NewRun(str(uuid4()), "v1", "v3", *tables, "x", None, 0)
    with pytest.raises(Conflict) as refused:
        await store.insert_migration(owner, run)
    assert refused.value.code == "migration-running"
