"""Rollbacks of migrations, and the history of migrations (rules: search 4.5)."""

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import pytest

from balcao.core.context.platform import Platform
from balcao.core.errors import Conflict
from balcao.search.collection import store as collection_store
from balcao.search.schema_migrations import service as migrations
from balcao.search.schema_migrations.schemas import StartBody
from balcao.search.services import service as services
from tests.search import support
from tests.search.support import act_as_staff, body, refusal
from tests.support.issuer import Issuer, bearer
from tests.support.rules import read_values

pytestmark = pytest.mark.usefixtures("empty_catalogue")

ROLLBACK = "/search/api/v1/admin/migration/rollback"
HISTORY = "/search/api/v1/admin/migration/history"
MEMBERS = {
    "backup_collection", "completed_at", "error_message", "is_locked", "migrated_documents", "progress",
    "schema_version", "source_collection", "started_at", "started_by", "status", "target_collection",
    "total_documents",
}  # fmt: skip


@pytest.fixture
def roll_back(http: httpx.Client, issuer: Issuer) -> Callable[..., httpx.Response]:
    """Return a function that rolls back a migration as an administrator. `sent` replaces the body."""

    def run(migration_id: str | None = None, **sent: Any) -> httpx.Response:
        if not sent:
            sent = {"json": {"migration_id": migration_id}} if migration_id else {}
        return http.post(ROLLBACK, headers=bearer(issuer.admin(name="Marina Sales")), **sent)

    return run


@pytest.fixture
def history(http: httpx.Client, issuer: Issuer) -> Callable[..., dict[str, Any]]:
    def run(**query: Any) -> dict[str, Any]:
        answer = http.get(HISTORY, params=query, headers=bearer(issuer.admin()))
        assert answer.status_code == 200
        return dict(answer.json())

    return run


async def migrate(platform: Platform, version: str = "v2") -> str:
    status = await support.migrate(platform, version)
    assert status.status == "completed", status.error_message
    assert status.migration_id
    return status.migration_id


async def add_run(owner: asyncpg.Connection, status: str) -> str:
    """Insert a migration run that is in progress or failed, and return its id."""
    run_id = str(uuid4())
    await owner.execute(
        "INSERT INTO search.search_migrations (id, kind, status, phase, schema_version, previous_schema_version,"
        " source_collection, target_collection, started_by)"
        " SELECT $1, 'migration', 'in_progress', 'preparing', 'v3', 'v3', physical, physical || '_2', 'x'"
        " FROM search.search_collection",
        run_id,
    )
    if status == "failed":
        await owner.execute(
            "UPDATE search.search_migrations SET status = 'failed', completed_at = now() WHERE id = $1", run_id
        )
    return run_id


async def test_a_rollback_answers_as_specified_and_names_its_run(platform: Platform, roll_back: Any) -> None:
    await services.create_service(act_as_staff(platform), body())
    before = await support.migrate(platform, "v2")
    answer = roll_back()
    assert answer.status_code == 200
    assert (
        answer.headers["X-Migration-ID"]
        == (await migrations.read_history(act_as_staff(platform), 1, 10)).migrations[0].id
    )
    found = answer.json()
    assert set(found) == MEMBERS
    assert found["started_at"] == found["completed_at"] > 1_700_000_000
    assert {name: found[name] for name in MEMBERS - {"started_at", "completed_at"}} == {
        "status": "rollback",
        "progress": 100,
        "is_locked": False,
        "schema_version": "v3",
        "source_collection": before.target_collection,
        "target_collection": before.source_collection,
        "backup_collection": before.target_collection,
        "total_documents": 1,
        "migrated_documents": 1,
        "started_by": "Marina Sales",
        "error_message": "",
    }


@pytest.mark.cases("search", "64")
async def test_without_an_id_the_newest_migration_is_rolled_back_once(platform: Platform, roll_back: Any) -> None:
    assert refusal(roll_back()) == (404, "nothing-to-roll-back")
    await migrate(platform)
    assert roll_back().status_code == 200
    assert refusal(roll_back()) == (404, "nothing-to-roll-back")


async def test_after_a_rollback_an_older_migration_has_lost_its_window(platform: Platform, roll_back: Any) -> None:
    older = await migrate(platform, "v2")
    newer = await migrate(platform, "v1")
    assert refusal(roll_back(older)) == (409, "migration-not-newest")
    assert roll_back().status_code == 200
    assert refusal(roll_back()) == (409, "migration-window-over")
    assert refusal(roll_back(newer)) == (409, "migration-rolled-back")


@pytest.mark.cases("search", "64")
async def test_ids_of_anything_else_are_refused(platform: Platform, roll_back: Any, owner: asyncpg.Connection) -> None:
    migration = await migrate(platform)
    failed = await add_run(owner, "failed")
    for unknown in (str(uuid4()), "x"):
        assert refusal(roll_back(unknown)) == (404, "migration-unknown")
    assert refusal(roll_back("a\x00b")) == (400, "migration_id-control")
    assert refusal(roll_back(failed)) == (409, "migration-not-newest")
    answer = roll_back(migration.upper())
    assert answer.status_code == 200
    assert refusal(roll_back(answer.headers["X-Migration-ID"])) == (409, "migration-not-newest")
    assert refusal(roll_back(migration)) == (409, "migration-rolled-back")


async def test_after_a_failed_run_the_window_of_the_newest_completed_one_counts(
    platform: Platform, roll_back: Any, owner: asyncpg.Connection
) -> None:
    await add_run(owner, "failed")
    assert refusal(roll_back()) == (404, "nothing-to-roll-back")
    await migrate(platform)
    await add_run(owner, "failed")
    assert roll_back().status_code == 200


async def test_while_a_run_is_under_way_every_rollback_waits_for_it(
    platform: Platform, roll_back: Any, owner: asyncpg.Connection
) -> None:
    migration = await migrate(platform)
    await add_run(owner, "in_progress")
    for asked in (None, migration, str(uuid4())):
        assert refusal(roll_back(asked)) == (409, "migration-running")
    assert refusal(roll_back(content=b'{"migration_id":')) == (400, "body-malformed")
    with pytest.raises(Conflict) as refused:
        await migrations.start_migration(act_as_staff(platform), StartBody("v1"))
    assert refused.value.code == "migration-running"
    assert (await services.create_service(act_as_staff(platform), body())).version == 1


@pytest.mark.cases("search", "65")
@pytest.mark.parametrize(
    ("content", "code"),
    [
        *((json.dumps(body).encode(), code) for body, code in read_values("search", "65")),
        (b'{"migration_id":', "body-malformed"),
        (b'{"reason": "\xff"}', "body-malformed"),
        (b'{"reason": "' + b"x" * 2001 + b'"}', "reason-length"),
    ],
)
async def test_a_body_that_is_no_order_rolls_nothing_back(
    platform: Platform, roll_back: Any, history: Any, content: bytes, code: str
) -> None:
    await migrate(platform)
    answer = roll_back(content=content)
    assert (*refusal(answer), list(answer.json())) == (400, code, ["error"])
    assert [run["status"] for run in history()["migrations"]] == ["completed"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"  ",
        b"{}",
        b'{"migration_id": null, "reason": null}',
        b'{"migration_id": "", "reason": "", "outro": 1}',
        b'{"reason": "' + b"x" * 2000 + b'"}',
    ],
)
async def test_everything_in_the_body_may_be_left_out(platform: Platform, roll_back: Any, content: bytes) -> None:
    await migrate(platform)
    assert roll_back(content=content).status_code == 200


@pytest.mark.cases("search", "66")
async def test_what_was_written_after_the_switch_survives_the_rollback(platform: Platform, roll_back: Any) -> None:
    call = act_as_staff(platform)
    kept, removed = [await services.create_service(call, body()) for _ in range(2)]
    await migrate(platform)
    edited = await services.update_service(call, kept.id, body(nome_servico="Outro nome", sub_categoria="Nova"))
    await services.delete_service(call, removed.id)
    assert roll_back().json()["total_documents"] == 1
    assert await services.update_service(call, kept.id, body(nome_servico="Outro nome", sub_categoria="Nova")) == edited


@pytest.mark.cases("search", "68")
async def test_after_the_window_the_table_goes_and_nobody_notices(
    platform: Platform, roll_back: Any, owner: asyncpg.Connection
) -> None:
    call = act_as_staff(platform)
    service = await services.create_service(call, body())
    migration = await migrate(platform)
    await migrations.tidy_up(platform)
    former = await owner.fetchval("SELECT mirror FROM search.search_collection")
    assert former is not None
    await owner.execute("UPDATE search.search_migrations SET rollback_until = now() - interval '1 second'")
    for asked in (None, migration):
        assert refusal(roll_back(asked)) == (409, "migration-window-over")
    for _ in range(2):
        await migrations.tidy_up(platform)
    # Readers may still use the former table for up to a minute.
    assert await owner.fetchval("SELECT mirror FROM search.search_collection") is None
    assert await owner.fetchval("SELECT to_regclass('search.' || $1)", former) is not None
    await owner.execute("UPDATE search.physical_tables SET drop_after = drop_after - interval '1 minute'")
    for _ in range(2):
        await migrations.tidy_up(platform)
    assert await owner.fetchval("SELECT to_regclass('search.' || $1)", former) is None
    assert refusal(roll_back()) == (409, "migration-window-over")
    assert (await services.update_service(call, service.id, body(resumo="Novo"))).version == 2


async def test_a_table_that_is_being_read_goes_when_its_reader_has_ended(
    platform: Platform, owner: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection_store, "TABLE_SECONDS", 0.1)
    await migrate(platform)
    former = await owner.fetchval("SELECT mirror FROM search.search_collection")
    await owner.execute("UPDATE search.search_migrations SET rollback_until = now() - interval '1 second'")
    await migrations.tidy_up(platform)
    await owner.execute("UPDATE search.physical_tables SET drop_after = drop_after - interval '1 minute'")
    exists = "SELECT to_regclass('search.' || $1) IS NOT NULL"
    async with owner.transaction():
        await owner.execute(f"LOCK TABLE search.{former} IN ACCESS SHARE MODE")
        await migrations.tidy_up(platform)
        assert await owner.fetchval(exists, former)
    await migrations.tidy_up(platform)
    assert not await owner.fetchval(exists, former)


async def test_a_write_that_could_not_be_mirrored_ends_the_window(
    platform: Platform, roll_back: Any, owner: asyncpg.Connection
) -> None:
    await migrate(platform)
    await owner.execute(
        "INSERT INTO search.search_migration_errors (physical_table, service_id, reason)"
        " SELECT mirror, gen_random_uuid(), 'SQLSTATE 22012' FROM search.search_collection"
    )
    assert refusal(roll_back()) == (409, "migration-window-over")


async def test_of_two_rollbacks_at_once_one_is_done(platform: Platform, roll_back: Any, history: Any) -> None:
    migration = await migrate(platform)
    statuses: list[int] = []
    callers = [threading.Thread(target=lambda: statuses.append(roll_back(migration).status_code)) for _ in range(2)]
    for caller in callers:
        caller.start()
    for caller in callers:
        await asyncio.to_thread(caller.join)
    assert sorted(statuses) == [200, 409]
    assert [run["status"] for run in history()["migrations"]] == ["rollback", "completed"]


async def test_writers_that_do_not_end_put_a_rollback_off(
    platform: Platform, roll_back: Any, history: Any, owner: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "SWITCH_SECONDS", 0.1)
    await migrate(platform)
    async with owner.transaction():
        await collection_store.enter_collection(owner)
        answer = await asyncio.to_thread(roll_back)
    assert (*refusal(answer), answer.headers["Retry-After"]) == (503, "switch-lock", "2")
    assert [run["status"] for run in history()["migrations"]] == ["completed"]
    assert roll_back().status_code == 200


_DIES = "PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(10)"


@pytest.mark.parametrize("table", ["search.search_migrations", "platform.audit_event"])
async def test_a_backend_that_dies_in_the_middle_leaves_the_collection_as_it_was(
    platform: Platform, roll_back: Any, owner: asyncpg.Connection, table: str
) -> None:
    await migrate(platform)
    before = await owner.fetch("SELECT * FROM search.search_collection, search.search_migrations")
    await owner.execute(f"""
        CREATE FUNCTION public.break_off() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
            $$ BEGIN {_DIES}; RETURN NEW; END $$;
        CREATE TRIGGER break_off BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION public.break_off();
    """)
    try:
        assert roll_back().status_code == 503
    finally:
        await owner.execute("DROP FUNCTION public.break_off CASCADE")
    assert await owner.fetch("SELECT * FROM search.search_collection, search.search_migrations") == before
    assert roll_back().status_code == 200


@pytest.mark.parametrize(
    "change",
    [
        "status = 'in_progress', completed_at = NULL",
        "status = 'failed'",
        "started_by = 'x'",
        "progress = 1",
    ],
)
async def test_the_database_refuses_to_rewrite_a_finished_run(
    platform: Platform, owner: asyncpg.Connection, change: str
) -> None:
    await migrate(platform)
    with pytest.raises(asyncpg.CheckViolationError):
        await owner.execute(f"UPDATE search.search_migrations SET {change}")


async def test_the_database_knows_one_run_at_a_time_that_never_goes_back(owner: asyncpg.Connection) -> None:
    await add_run(owner, "in_progress")
    with pytest.raises(asyncpg.UniqueViolationError):
        await add_run(owner, "in_progress")
    await owner.execute("UPDATE search.search_migrations SET progress = 50")
    for change in ("progress = 49", "status = 'rollback', kind = 'rollback', completed_at = now()"):
        with pytest.raises(asyncpg.CheckViolationError):
            await owner.execute(f"UPDATE search.search_migrations SET {change}")


async def test_each_call_that_changes_the_schema_is_in_the_audit_trail(
    platform: Platform, roll_back: Any, owner: asyncpg.Connection
) -> None:
    migration = await migrate(platform)
    answer = roll_back(migration)
    newest = "SELECT operation, action, fields FROM platform.audit_event ORDER BY at DESC LIMIT 2"
    assert [tuple(row) for row in await owner.fetch(newest)] == [
        (
            "search.roll_back_migration",
            "event",
            [f"migration={migration}", f"rollback={answer.headers['X-Migration-ID']}"],
        ),
        ("search.test", "event", [f"migration={migration}", "schema=v2"]),
    ]


@pytest.mark.cases("search", "69")
def test_the_history_of_a_new_installation_is_empty(history: Any) -> None:
    empty = {"found": 0, "migrations": [], "out_of": 0, "page": 1}
    for query in ({}, {"page": 0, "per_page": 101}, {"page": "x", "per_page": "null"}, {"page": "9" * 40}):
        assert history(**query) == empty


async def test_the_history_tells_every_run_newest_first(platform: Platform, roll_back: Any, history: Any) -> None:
    migration = await migrate(platform)
    rollback = roll_back(migration).headers["X-Migration-ID"]
    found = history()
    assert (found["found"], found["out_of"], found["page"]) == (2, 2, 1)
    assert [(run["id"], run["status"]) for run in found["migrations"]] == [
        (rollback, "rollback"), (migration, "completed"),
    ]  # fmt: skip
    assert found["migrations"][1] | {"started_at": 0, "completed_at": 0} == {
        "id": migration,
        "status": "completed",
        "schema_version": "v2",
        "previous_schema_version": "v3",
        "started_at": 0,
        "completed_at": 0,
        "started_by": "Jorge Valente",
        "total_documents": 0,
        "error_message": "",
    }
    numbers = (1, 2, 3, 2147483647)
    pages = [history(page=page, per_page=1) for page in numbers]
    assert [[run["id"] for run in page["migrations"]] for page in pages] == [[rollback], [migration], [], []]
    assert [(page["found"], page["page"]) for page in pages] == [(2, number) for number in numbers]


async def test_a_run_under_way_has_no_end_yet(owner: asyncpg.Connection, history: Any) -> None:
    await add_run(owner, "in_progress")
    [run] = history()["migrations"]
    assert (run["status"], run["completed_at"]) == ("in_progress", 0)


@pytest.mark.parametrize(("method", "path"), [("POST", ROLLBACK), ("GET", HISTORY)])
def test_a_citizen_sees_and_changes_nothing(http: httpx.Client, issuer: Issuer, method: str, path: str) -> None:
    answer = http.request(method, path, headers=bearer(issuer.person("90000000175")))
    assert (answer.status_code, list(answer.json())) == (403, ["error"])
