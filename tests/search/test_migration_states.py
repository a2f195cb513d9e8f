"""Every call in every state of the collection (rules: search 4.5, cases 56, 57, 64, 65, 69, 70)."""

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import pytest

from balcao.core.context.platform import Platform
from balcao.core.database import pool
from balcao.core.errors import Unavailable
from balcao.search.control_queries import service as control_queries
from balcao.search.control_queries.schemas import ControlQueries
from balcao.search.schema_migrations import service as migrations
from balcao.search.schema_migrations.schemas import AbortBody, RollbackBody, StartBody
from balcao.search.schema_migrations.work import carry_on
from balcao.search.services import service as services
from balcao.search.services.filters import ServiceFilters
from tests.search.conftest import EMPTY
from tests.search.support import act_as_staff, body, migrate, with_v4
from tests.support.issuer import Issuer, bearer

pytestmark = pytest.mark.usefixtures("empty_catalogue")

BASE = "/search/api/v1/admin/migration"
MEMBERS = {
    "backup_collection", "completed_at", "error_message", "is_locked", "migrated_documents", "progress",
    "schema_version", "source_collection", "started_at", "started_by", "status", "target_collection",
    "total_documents",
}  # fmt: skip

# What each call answers in each state: the status code, and the state it leaves.
STATES = ["idle", "in_progress", "window_open", "window_over", "failed", "rollback"]
TABLE: dict[str, list[tuple[int, str]]] = {
    "start": [
        (200, "in_progress"), (409, "in_progress"), (200, "in_progress"), (200, "in_progress"), (200, "in_progress"),
        (200, "in_progress"),
    ],
    "dry_run": [
        (200, "idle"), (409, "in_progress"), (200, "completed"), (200, "completed"), (200, "failed"), (200, "rollback"),
    ],
    "roll_back": [
        (404, "idle"), (409, "in_progress"), (200, "rollback"), (409, "completed"), (404, "failed"), (404, "rollback"),
    ],
    "roll_back_newest": [
        (404, "idle"), (409, "in_progress"), (200, "rollback"), (409, "completed"), (409, "failed"), (409, "rollback"),
    ],
    "roll_back_unknown": [
        (404, "idle"), (409, "in_progress"), (404, "completed"), (404, "completed"), (404, "failed"), (404, "rollback"),
    ],
    "roll_back_broken": [
        (400, "idle"), (400, "in_progress"), (400, "completed"), (400, "completed"), (400, "failed"), (400, "rollback"),
    ],
    "abort": [
        (409, "idle"), (200, "failed"), (409, "completed"), (409, "completed"), (409, "failed"), (409, "rollback"),
    ],
    "abort_unknown": [
        (404, "idle"), (404, "in_progress"), (404, "completed"), (404, "completed"), (404, "failed"), (404, "rollback"),
    ],
}  # fmt: skip


@pytest.fixture
def admin(http: httpx.Client, issuer: Issuer) -> Callable[..., httpx.Response]:
    """A call of an administrator, as method and path below the migrations'."""

    def run(method: str, path: str, **sent: Any) -> httpx.Response:
        return http.request(method, f"{BASE}/{path}", headers=bearer(issuer.admin(name="Marina Sales")), **sent)

    return run


async def arrive_at(state: str, platform: Platform, owner: asyncpg.Connection) -> str:
    """Bring a new installation into this state and return the id of the newest migration."""
    if state == "idle":
        return str(uuid4())
    if state in ("in_progress", "failed"):
        started = await migrations.start(act_as_staff(platform), StartBody("v2"))
        if state == "failed":
            await migrations.abort(act_as_staff(platform), AbortBody())
        assert started.migration_id
        return started.migration_id
    completed = await migrate(platform, "v2")
    assert completed.migration_id
    if state == "window_over":
        await owner.execute("UPDATE search.search_migrations SET rollback_until = now()")
    if state == "rollback":
        await migrations.roll_back(act_as_staff(platform), RollbackBody())
    return completed.migration_id


def call(admin: Callable[..., httpx.Response], name: str, newest: str) -> httpx.Response:
    match name:
        case "start":
            return admin("POST", "start", json={"schema_version": "v1", "async": True})
        case "dry_run":
            return admin("POST", "start", json={"schema_version": "v1", "dry_run": True})
        case "roll_back":
            return admin("POST", "rollback")
        case "roll_back_newest":
            return admin("POST", "rollback", json={"migration_id": newest})
        case "roll_back_unknown":
            return admin("POST", "rollback", json={"migration_id": str(uuid4())})
        case "roll_back_broken":
            return admin("POST", "rollback", content=b'{"migration_id":')
        case "abort":
            return admin("POST", "abort")
        case _:
            return admin("POST", "abort", json={"migration_id": str(uuid4())})


@pytest.mark.parametrize("state", STATES)
async def test_each_call_answers_as_the_table_says(
    platform: Platform, owner: asyncpg.Connection, admin: Callable[..., httpx.Response], state: str
) -> None:
    for name, answers in TABLE.items():
        expected, left = answers[STATES.index(state)]
        await reset(owner)
        newest = await arrive_at(state, platform, owner)
        before = await owner.fetch("SELECT * FROM search.search_migrations")
        answer = call(admin, name, newest)
        assert (name, answer.status_code) == (name, expected), answer.text
        assert admin("GET", "status").json()["status"] == left, name
        if expected >= 400:
            assert list(answer.json()) == ["error"]
            assert await owner.fetch("SELECT * FROM search.search_migrations") == before
        for path in ("history", "schemas", f"runs/{newest}"):
            found = 404 if path.startswith("runs") and state == "idle" else 200
            assert admin("GET", path).status_code == found
        assert (await services.create(act_as_staff(platform), body())).version == 1


async def reset(owner: asyncpg.Connection) -> None:
    for statement in EMPTY:
        await owner.execute(statement)


async def test_the_status_of_a_new_installation_has_all_members(
    owner: asyncpg.Connection, admin: Callable[..., httpx.Response]
) -> None:
    """Case 56."""
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


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b'{"schema_version": "v9"}',
        b'{"schema_version": "V3"}',
        b'{"schema_version": null}',
        b'{"schema_version": 3}',
        b'{"schema_version": "v3", "dry_run": "yes"}',
        b'{"schema_version": "v3", "reason": "' + b"x" * 2001 + b'"}',
    ],
)
def test_a_start_that_names_no_known_version_is_refused(admin: Callable[..., httpx.Response], content: bytes) -> None:
    """Case 57."""
    assert admin("POST", "start", content=content).status_code == 400
    assert admin("GET", "history").json()["found"] == 0


def test_a_refused_start_names_the_known_versions(admin: Callable[..., httpx.Response]) -> None:
    assert "v1, v2, v3" in admin("POST", "start", json={"schema_version": "v9"}).json()["error"]


async def test_a_run_is_shown_from_its_start_to_its_rollback(
    platform: Platform, admin: Callable[..., httpx.Response], drain: Callable[[], None]
) -> None:
    await services.create(act_as_staff(platform), body(status=1))
    await control_queries.replace(act_as_staff(platform), ControlQueries(["poda de árvores", "passaporte"]))
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
    assert [admin("GET", f"runs/{unknown}").status_code for unknown in (uuid4(), "x", "%00")] == [404, 404, 404]


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
    await migrations.start(act_as_staff(platform), StartBody("v1"))
    await owner.execute("UPDATE search.search_migrations SET phase = 'switching', progress = 99")
    assert admin("POST", "abort").status_code == 409
    assert admin("GET", "status").json()["status"] == "in_progress"


async def test_a_dry_run_tries_every_row_and_leaves_nothing(
    platform: Platform, owner: asyncpg.Connection, admin: Callable[..., httpx.Response]
) -> None:
    """Case 70."""
    staff = act_as_staff(platform)
    for number in range(3):
        await services.create(staff, body(nome_servico=f"Serviço {number}", sub_categoria="Uma" if number else None))
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
    made = [await services.create(staff, body(nome_servico=name)) for name in ("Boa", "Quebra", "Perde", "Outra")]
    async with with_v4(owner):
        answer = admin("POST", "start", json={"schema_version": "v4", "dry_run": True}).json()
    report = answer["dry_run"]
    assert (answer["migrated_documents"], answer["total_documents"]) == (2, 4)
    assert (report["checked"], report["failed"]) == (4, 2)
    assert sorted(report["failures"], key=lambda failure: str(failure["reason"])) == [
        {"service_id": made[2].id, "field": None, "reason": "REVERSE"},
        {"service_id": made[1].id, "field": None, "reason": "SQLSTATE 22012"},
    ]
    assert {"field": "custo", "rows": 3} in report["fields_changed"]


async def test_a_dry_run_may_take_longer_than_other_calls(
    platform: Platform, owner: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform.database.is_serving = True
    monkeypatch.setattr(pool, "SERVING_SECONDS", 1.0)
    staff = act_as_staff(platform)
    physical = await owner.fetchval("SELECT physical FROM search.search_collection")
    async with owner.transaction():
        await owner.execute(f"LOCK TABLE search.{physical} IN ACCESS EXCLUSIVE MODE")
        trying = asyncio.create_task(migrations.start(staff, StartBody("v1", dry_run=True)))
        for _ in range(2):  # the second began after the dry run
            with pytest.raises(Unavailable):
                await services.list_services(staff, ServiceFilters.parse({}), 1, 10)
    assert (await trying).dry_run is not None
