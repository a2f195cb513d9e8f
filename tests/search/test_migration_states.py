"""Every migration call in every state of the collection (rules: search 4.5)."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import pytest

from balcao.core.context.platform import Platform
from balcao.core.database import pool
from balcao.core.errors import Unavailable
from balcao.search.collection import store as collection_store
from balcao.search.collection.store import lock_runs
from balcao.search.control_queries import service as control_queries
from balcao.search.control_queries.schemas import ControlQueries
from balcao.search.schema_migrations import service as migrations
from balcao.search.schema_migrations.schemas import AbortBody, RollbackBody, StartBody
from balcao.search.schema_migrations.work import carry_on
from balcao.search.services import service as services
from balcao.search.services.filters import ServiceFilters
from tests.search.staff import Staff, with_required
from tests.search.support import act_as_staff, body, migrate, refusal, with_v4
from tests.support.issuer import Issuer, bearer
from tests.support.rules import read_table, read_values

pytestmark = pytest.mark.usefixtures("empty_catalogue")

BASE = "/search/api/v1/admin/migration"
MEMBERS = {
    "backup_collection", "completed_at", "error_message", "is_locked", "migrated_documents", "progress",
    "schema_version", "source_collection", "started_at", "started_by", "status", "target_collection",
    "total_documents",
}  # fmt: skip

UNKNOWN = (404, "migration-unknown")

# `STATES` maps each state to the status that it displays. `CALLS` maps each row of the rules' table to a request.
STATES = {
    "idle": "idle",
    "in_progress": "in_progress",
    "completed, window open": "completed",
    "completed, window over": "completed",
    "failed": "failed",
    "rollback": "rollback",
}
CALLS = {
    "start": ("start", '{"schema_version": "v1", "async": true}'),
    "start dry_run": ("start", '{"schema_version": "v1", "dry_run": true}'),
    "rollback, no id": ("rollback", ""),
    "rollback, id of the newest run but a rollback": ("rollback", '{"migration_id": "newest"}'),
    "rollback, unknown id or no UUID": ("rollback", f'{{"migration_id": "{uuid4()}"}}'),
    "rollback, malformed JSON": ("rollback", '{"migration_id":'),
    "abort": ("abort", ""),
    "abort, unknown id": ("abort", f'{{"migration_id": "{uuid4()}"}}'),
}
_ANSWER = re.compile(r"(\d{3})(?: `([\w-]+)`)?(?: (in_progress|failed|rollback)\b)?")


def read_answers() -> Iterator[tuple[str, str, int, str | None, str]]:
    """Yield call, state, response status, error code and the status displayed afterwards, for each table cell."""
    for call, *cells in read_table("search", "Call | idle"):
        for (state, shown), cell in zip(STATES.items(), cells, strict=True):
            if call in CALLS and (answer := _ANSWER.match(cell)):
                yield call, state, int(answer[1]), answer[2], answer[3] or shown


@pytest.fixture
def admin(http: httpx.Client, issuer: Issuer) -> Callable[..., httpx.Response]:
    """Return a function that calls a path of the migrations as an administrator."""

    def run(method: str, path: str, **sent: Any) -> httpx.Response:
        return http.request(method, f"{BASE}/{path}", headers=bearer(issuer.admin(name="Marina Sales")), **sent)

    return run


async def arrive_at(state: str, platform: Platform, owner: asyncpg.Connection) -> str:
    """Bring a new installation into this state, and return the id of the newest migration."""
    if state == "idle":
        return str(uuid4())
    if state in ("in_progress", "failed"):
        started = await migrations.start_migration(act_as_staff(platform), StartBody("v2"))
        if state == "failed":
            await migrations.abort_migration(act_as_staff(platform), AbortBody())
        assert started.migration_id
        return started.migration_id
    completed = await migrate(platform, "v2")
    assert completed.migration_id
    if state == "completed, window over":
        await owner.execute("UPDATE search.search_migrations SET rollback_until = now()")
    if state == "rollback":
        await migrations.roll_back_migration(act_as_staff(platform), RollbackBody())
    return completed.migration_id


@pytest.mark.long
@pytest.mark.parametrize(("name", "state", "status", "code", "left"), list(read_answers()))
async def test_each_call_answers_as_the_table_says(
    platform: Platform,
    owner: asyncpg.Connection,
    admin: Callable[..., httpx.Response],
    name: str,
    state: str,
    status: int,
    code: str | None,
    left: str,
) -> None:
    newest = await arrive_at(state, platform, owner)
    before = await owner.fetch("SELECT * FROM search.search_migrations")
    path, content = CALLS[name]
    answer = admin("POST", path, content=content.replace("newest", newest))
    assert (refusal(answer) if code else (answer.status_code, None)) == (status, code), answer.text
    assert admin("GET", "status").json()["status"] == left
    if code:
        assert list(answer.json()) == ["error"]
        assert await owner.fetch("SELECT * FROM search.search_migrations") == before
    for path in ("history", "schemas", f"runs/{newest}"):
        read = admin("GET", path)
        if path.startswith("runs") and state == "idle":
            assert refusal(read) == UNKNOWN
        else:
            assert read.status_code == 200
    assert (await services.create_service(act_as_staff(platform), body())).version == 1


@pytest.mark.cases("search", "56")
async def test_the_status_of_a_new_installation_has_all_members(
    owner: asyncpg.Connection, admin: Callable[..., httpx.Response]
) -> None:
    active = await owner.fetchval("SELECT physical FROM search.search_collection")
    assert admin("GET", "status").json() == {
        "backup_collection": "",
        "completed_at": 0,
        "error_message": "",
        "is_locked": False,
        "migrated_documents": 0,
        "migration_id": None,
        "progress": 0,
        "schema_version": "v3",
        "source_collection": active,
        "started_at": 0,
        "started_by": "",
        "status": "idle",
        "target_collection": "",
        "total_documents": 0,
    }
    assert admin("GET", "schemas").json() == {"available_versions": ["v1", "v2", "v3"], "current_version": "v3"}


@pytest.mark.cases("search", "57")
@pytest.mark.parametrize(
    ("content", "code"),
    [
        *((json.dumps(body).encode(), code) for body, code in read_values("search", "57")),
        (b"", "body-missing"),
        (b'{"schema_version": "v3", "reason": "' + b"x" * 2001 + b'"}', "reason-length"),
    ],
)
def test_a_start_that_names_no_known_version_is_refused(
    admin: Callable[..., httpx.Response], content: bytes, code: str
) -> None:
    assert refusal(admin("POST", "start", content=content)) == (400, code)
    assert admin("GET", "history").json()["found"] == 0


def test_a_refused_start_names_the_known_versions(admin: Callable[..., httpx.Response]) -> None:
    assert "v1, v2, v3" in admin("POST", "start", json={"schema_version": "v9"}).json()["error"]


async def test_a_run_is_shown_from_its_start_to_its_rollback(
    platform: Platform, admin: Callable[..., httpx.Response], drain: Callable[[], None]
) -> None:
    await services.create_service(act_as_staff(platform), body(status=1))
    await control_queries.replace_control_queries(
        act_as_staff(platform), ControlQueries(["poda de árvores", "passaporte"])
    )
    begun = admin("POST", "start", json={"schema_version": "v2", "reason": "Menos campos"}).json()
    assert set(begun) == MEMBERS | {"migration_id"}
    assert (begun["status"], begun["is_locked"], begun["progress"], begun["completed_at"]) == (
        "in_progress",
        True,
        0,
        0,
    )
    assert (begun["total_documents"], begun["backup_collection"], begun["started_by"]) == (1, "", "Marina Sales")
    assert admin("GET", "status").json() == begun
    await carry_on(platform, begun["migration_id"])
    done = admin("GET", "status").json()
    assert (done["status"], done["is_locked"], done["progress"]) == ("completed", False, 100)
    assert (done["total_documents"], done["migrated_documents"]) == (1, 1)
    assert (done["backup_collection"], done["migration_id"]) == (begun["source_collection"], begun["migration_id"])
    detail = admin("GET", f"runs/{begun['migration_id'].upper()}").json()
    assert {name: detail[name] for name in done} == done
    assert {name: value for name, value in detail.items() if name not in done and name != "rollback_until"} == {
        "kind": "migration",
        "phase": "done",
        "previous_schema_version": "v3",
        "reason": "Menos campos",
        "rolled_back_by": None,
        "last_key": detail["last_key"],
        "resumes": 0,
        "verification": {"compared": 1, "differing": 0},
        "control_queries": {"queries": 2, "overlap": 1.0, "empty": 0.5},
        "errors": [],
        "rollback_possible": True,
    }
    assert detail["rollback_until"] == pytest.approx(done["completed_at"] + 7 * 86_400, abs=2)
    rollback = admin("POST", "rollback").headers["X-Migration-ID"]
    undone = admin("GET", f"runs/{begun['migration_id']}").json()
    assert (undone["rolled_back_by"], undone["rollback_possible"], undone["status"]) == (rollback, False, "completed")
    assert admin("GET", f"runs/{rollback}").json()["kind"] == "rollback"
    assert [refusal(admin("GET", f"runs/{unknown}")) for unknown in (uuid4(), "x", "%00")] == [UNKNOWN] * 3


async def test_an_aborted_run_says_who_ended_it_and_leaves_the_collection_alone(
    platform: Platform, owner: asyncpg.Connection, admin: Callable[..., httpx.Response]
) -> None:
    before = await owner.fetchrow("SELECT * FROM search.search_collection")
    begun = admin("POST", "start", json={"schema_version": "v1"}).json()
    ended = admin("POST", "abort", json={"migration_id": begun["migration_id"], "reason": "Fica para depois"}).json()
    assert set(ended) == MEMBERS | {"migration_id"}
    assert (ended["status"], ended["is_locked"]) == ("failed", False)
    assert ended["error_message"] == "Abortada por Marina Sales: Fica para depois"
    assert await owner.fetchrow("SELECT * FROM search.search_collection") == before
    assert await carry_on(platform, begun["migration_id"]) is None
    assert admin("GET", "status").json() == ended
    await owner.execute("UPDATE search.physical_tables SET drop_after = drop_after - interval '1 day'")
    await migrations.tidy_up(platform)
    assert await owner.fetchval("SELECT array_agg(name) FROM search.physical_tables") == [before["physical"]]


async def test_a_run_that_switches_is_not_aborted(
    platform: Platform, owner: asyncpg.Connection, admin: Callable[..., httpx.Response]
) -> None:
    await migrations.start_migration(act_as_staff(platform), StartBody("v1"))
    await owner.execute("UPDATE search.search_migrations SET phase = 'switching', progress = 99")
    assert refusal(admin("POST", "abort")) == (409, "migration-switching")
    assert admin("GET", "status").json()["status"] == "in_progress"


async def test_a_call_that_waits_too_long_for_the_decision_of_another_one_is_told_to_repeat(
    platform: Platform, owner: asyncpg.Connection, admin: Callable[..., httpx.Response], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert collection_store.DECISION_SECONDS < 2.7  # shorter than the deadline of a call (rules: search 5)
    monkeypatch.setattr(collection_store, "DECISION_SECONDS", 0.1)
    migration = (await migrate(platform, "v2")).migration_id
    async with owner.transaction():
        await lock_runs(owner)
        for path, sent in (("start", {"schema_version": "v1"}), ("abort", {}), ("rollback", {})):
            answer = await asyncio.to_thread(admin, "POST", path, json=sent)
            assert (*refusal(answer), answer.headers["Retry-After"]) == (503, "migration-decision", "2")
    assert [run["id"] for run in admin("GET", "history").json()["migrations"]] == [migration]


async def test_without_a_collection_that_the_program_knows_nothing_is_written(
    owner: asyncpg.Connection, staff: Staff
) -> None:
    service = staff.create()
    path, sent = f"/services/{service['id']}", with_required(resumo="outro")

    def write() -> list[tuple[int, str]]:
        answers = [staff("POST", "/services", json=sent), staff("PUT", path, json=sent), staff("DELETE", path)]
        return [refusal(answer) for answer in answers]

    await owner.execute("CREATE TEMPORARY TABLE kept AS TABLE search.search_collection")
    await owner.execute("UPDATE search.search_collection SET fold_revision = 99")
    try:
        assert write() == [(503, "collection-unknown")] * 3
        await owner.execute("DELETE FROM search.search_collection")
        assert write() == [(503, "collection-missing")] * 3
        assert refusal(staff("GET", "/services")) == refusal(staff("GET", path)) == (503, "collection-missing")
    finally:
        await owner.execute("DELETE FROM search.search_collection")
        await owner.execute("INSERT INTO search.search_collection TABLE kept")
    assert staff("GET", path).json() == service


@pytest.mark.long
@pytest.mark.cases("search", "70")
async def test_a_dry_run_tries_every_row_and_leaves_nothing(
    platform: Platform, owner: asyncpg.Connection, admin: Callable[..., httpx.Response]
) -> None:
    staff = act_as_staff(platform)
    for number in range(3):
        await services.create_service(
            staff, body(nome_servico=f"Serviço {number}", sub_categoria="Uma" if number else None)
        )
    tables = await owner.fetch("SELECT name FROM search.physical_tables")
    answer = admin("POST", "start", json={"schema_version": "v1", "dry_run": True}).json()
    report = answer.pop("dry_run")
    assert set(answer) == MEMBERS | {"migration_id"}
    assert (answer["status"], answer["progress"], answer["migration_id"], answer["is_locked"]) == (
        "idle",
        100,
        None,
        False,
    )
    assert (answer["total_documents"], answer["migrated_documents"]) == (3, 3)
    assert answer["target_collection"].startswith("services_v1_2")
    assert report.pop("estimated_seconds") >= 1
    assert report == {
        "checked": 3,
        "failed": 0,
        "failures": [],
        "fields_changed": [
            {"field": "slug", "rows": 3},
            {"field": "slug_history", "rows": 3},
            {"field": "sub_categoria", "rows": 3},
        ],
    }
    assert await owner.fetch("SELECT name FROM search.physical_tables") == tables
    assert admin("GET", "history").json()["found"] == 0
    assert await owner.fetchval("SELECT to_regclass('pg_temp.rehearsal')") is None


async def test_a_dry_run_names_the_rows_that_cannot_be_taken_over(
    platform: Platform, owner: asyncpg.Connection, admin: Callable[..., httpx.Response]
) -> None:
    staff = act_as_staff(platform)
    made = [
        await services.create_service(staff, body(nome_servico=name)) for name in ("Boa", "Quebra", "Perde", "Outra")
    ]
    async with with_v4(owner):
        answer = admin("POST", "start", json={"schema_version": "v4", "dry_run": True}).json()
    report = answer["dry_run"]
    assert (answer["migrated_documents"], answer["total_documents"]) == (2, 4)
    assert (report["checked"], report["failed"]) == (4, 2)
    assert sorted(report["failures"], key=lambda failure: str(failure["reason"])) == [
        {"service_id": made[2].id, "field": None, "reason": "REVERSE"},
        {"service_id": made[1].id, "field": None, "reason": "SQLSTATE 22012"},
    ]
    assert {"field": "taxa", "rows": 3} in report["fields_changed"]


@pytest.mark.long
async def test_a_dry_run_may_take_longer_than_other_calls(
    platform: Platform, owner: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform.database.is_serving = True
    monkeypatch.setattr(pool, "SERVING_SECONDS", 1.0)
    staff = act_as_staff(platform)
    physical = await owner.fetchval("SELECT physical FROM search.search_collection")
    async with owner.transaction():
        await owner.execute(f"LOCK TABLE search.{physical} IN ACCESS EXCLUSIVE MODE")
        trying = asyncio.create_task(migrations.start_migration(staff, StartBody("v1", dry_run=True)))
        for _ in range(2):  # the second call started after the dry run
            with pytest.raises(Unavailable):
                await services.list_services(staff, ServiceFilters.parse({}), 1, 10)
    assert (await trying).dry_run is not None
