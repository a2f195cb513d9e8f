"""The operation of the platform over HTTP: its state, rate limits and maintenance (rules: registry 4.16)."""

import asyncio
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import httpx
import pytest

from balcao.core.context.platform import Platform
from balcao.core.imports import store as imports
from balcao.core.live import processes
from tests.support.fixture_types import Ask, Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import until_now
from tests.support.refusals import refusal

BASE = "/registry/v1/admin"
READS = ("/state", "/processes", "/versions", "/jobs/queues", "/imports", "/limits", "/maintenance", "/response-counts")
LIMIT = "/limits/registry.read_preferences"
HOUR = {"rate": "1000/second", "minutes": 60, "reason": "Campanha de vacinação"}
SENTENCE = "Volta às 14h."
CLOSED = {"message": SENTENCE, "minutes": 90, "reason": "Troca de servidor"}


@pytest.fixture
def ask(http: httpx.Client, issuer: Issuer) -> Ask:
    """Return a function that calls as a platform operator who has no other role."""
    token = bearer(issuer.person("90000040207", name="Olga Reis", realm_access={"roles": ["plataforma:operador"]}))
    return lambda method, path, **more: http.request(method, BASE + path, headers=token, **more)


@pytest.fixture(autouse=True)
def _put_back(sql: Sql) -> Iterator[None]:
    yield
    sql("WITH gone AS (DELETE FROM platform.live_change) SELECT pg_notify('balcao_live', '')")


@pytest.mark.cases("registry", "O1")
def test_operation_is_shown_to_who_may_see_it_and_holds_nobodys_data(
    http: httpx.Client, issuer: Issuer, ask: Ask, sql: Sql
) -> None:
    administration = bearer(issuer.person("90000000175", realm_access={"roles": ["rmi:admin"]}))
    for path in READS:
        assert http.get(BASE + path).status_code == 401
        assert http.get(BASE + path, headers=administration).status_code == 403, path
        response = ask("GET", path)
        assert response.status_code == 200, response.text
        assert re.search(r"(?<![\da-f-])\d{11}(?![\da-f])|\d{3}\.\d{3}\.\d{3}", response.text) is None, path
    state = ask("GET", "/state").json()
    assert state["processes"] == {"beating": 1, "silent": 0}
    assert state["identity"][0]["keys"] >= 1
    (process,) = ask("GET", "/processes").json()["data"]
    assert (process["name"], process["beats"]) == ("api-0", True)
    assert "registry" in process["services"]
    versions = ask("GET", "/versions").json()
    assert versions["versions"] == [state["version"]]
    last = sql("SELECT max(name) FROM platform.migration WHERE owner = 'registry' AND name ~ '^[0-9]{4}_'")[0][0]
    assert last in [schema["migration"] for schema in versions["schemas"] if schema["owner"] == "registry"]


def test_every_kind_of_job_is_listed_with_its_numbers_and_the_recurring_ones_with_their_clock(
    ask: Ask, sql: Sql
) -> None:
    sql("TRUNCATE queue.pgqueuer")
    sql(
        "INSERT INTO queue.pgqueuer (priority, status, entrypoint, payload, execute_after) SELECT 0, "
        "status::queue.pgqueuer_status, 'crm_push', '{}', now() - interval '90 seconds' "
        "FROM unnest('{queued,queued,failed}'::text[]) AS status"
    )
    found = ask("GET", "/jobs/queues").json()
    of_kind = {each["kind"]: each for each in found["data"]}
    pushes = of_kind["crm_push"]
    assert (pushes["queued"], pushes["running"], pushes["dead"], found["dead"]) == (2, 0, 1, 1)
    assert pushes["oldest_due_seconds"] >= 90
    assert (of_kind["crm_event"]["queued"], of_kind["crm_event"]["oldest_due_seconds"]) == (0, None)
    assert "platform.chain_audit" in [schedule["kind"] for schedule in found["schedules"]]
    sql("TRUNCATE queue.pgqueuer")


@pytest.mark.cases("registry", "O2")
def test_a_limit_is_changed_for_a_while_and_put_back(ask: Ask, sql: Sql) -> None:
    before = ask("GET", LIMIT).json()
    assert before["rate"] == before["configured"]
    changed = ask("PUT", LIMIT, json=HOUR)
    assert changed.status_code == 200, changed.text
    assert changed.json() == before | {
        "rate": "1000/second",
        "by": "Olga Reis",
        "changed_at": changed.json()["changed_at"],
        "ends_at": changed.json()["ends_at"],
    }
    assert ask("GET", "/limits").json()["data"][0] == changed.json()
    assert ask("GET", "/limits?changed=true").json()["pagination"]["total"] == 1
    assert ask("GET", "/limits?search=READ_PREF&changed=false").json()["data"][0]["by"] is None
    (event,) = sql(
        "SELECT operation, fields, reason, actor_kind FROM platform.audit_event "
        "WHERE operation = 'registry.change_limit'"
    )
    assert tuple(event) == (
        "registry.change_limit",
        ["registry.read_preferences"],
        "1000/second: Campanha de vacinação",
        "staff",
    )
    assert ask("DELETE", LIMIT).status_code == 204
    assert ask("GET", LIMIT).json() == before
    assert refusal(ask("DELETE", LIMIT)) == (409, "limit-not-changed")
    assert refusal(ask("GET", "/limits?changed=perhaps")) == (400, "changed-invalid")


@pytest.mark.cases("registry", "O3")
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"rate": "1/hour"}, "rate-out-of-bounds"),
        ({"rate": "10000000/second"}, "rate-out-of-bounds"),
        ({"rate": "18000000/hour"}, "rate-period-too-long"),
        ({"rate": "muitas"}, "rate-invalid"),
        ({"minutes": 0}, "body-invalid"),
        ({"minutes": 1441}, "body-invalid"),
        ({"reason": "x"}, "body-invalid"),
        ({"reason": "pedido de 900.000.001-75"}, "reason-personal"),
    ],
)
def test_a_limit_can_shut_nobody_out(ask: Ask, change: dict[str, Any], code: str) -> None:
    assert refusal(ask("PUT", LIMIT, json=HOUR | change)) == (400, code)
    assert ask("GET", LIMIT).json()["by"] is None
    assert refusal(ask("PUT", "/limits/registry.nothing", json=HOUR)) == (404, "limit-unknown")


@pytest.mark.cases("registry", "O4")
def test_a_maintenance_is_ended_the_way_it_was_begun(http: httpx.Client, issuer: Issuer, ask: Ask, sql: Sql) -> None:
    admin = bearer(issuer.admin())
    for name in ("registry", "access"):
        begun = ask("PUT", f"/maintenance/{name}", json=CLOSED)
        assert begun.status_code == 200, begun.text
        assert (begun.json()["by"], begun.json()["message"]) == ("Olga Reis", SENTENCE)
    paths = ("/registry/v1/admin/crm/status", "/access/api/v1/actions/")
    until_now(lambda: {http.get(path, headers=admin).status_code for path in paths} == {503})
    for path in READS:
        assert ask("GET", path).status_code == 200, path
    assert http.get("/access/api/v1/users/me/actions", headers=admin).status_code == 200
    assert [each["service"] for each in ask("GET", "/maintenance").json()["data"]] == ["access", "registry"]
    assert ask("GET", "/state").json()["maintenance"] == ["access", "registry"]
    for name in ("registry", "access"):
        assert ask("DELETE", f"/maintenance/{name}").status_code == 204
    until_now(lambda: {http.get(path, headers=admin).status_code for path in paths} == {200})
    assert refusal(ask("DELETE", "/maintenance/registry")) == (409, "not-in-maintenance")
    events = sql("SELECT reason FROM platform.audit_event WHERE operation = 'registry.begin_maintenance'")
    assert {event[0] for event in events} == {"Troca de servidor"}


@pytest.mark.cases("registry", "O5")
def test_nobody_begins_a_maintenance_without_the_action_or_without_an_end(
    http: httpx.Client, issuer: Issuer, ask: Ask
) -> None:
    for roles in ([], ["rmi:admin"], ["acessos:leitor"]):
        stranger = bearer(issuer.person("90000000175", realm_access={"roles": roles}))
        for method, path, body in (
            ("PUT", "/maintenance/search", CLOSED),
            ("DELETE", "/maintenance/search", None),
            ("PUT", LIMIT, HOUR),
            ("DELETE", LIMIT, None),
        ):
            assert http.request(method, BASE + path, json=body, headers=stranger).status_code == 403
    assert refusal(ask("PUT", "/maintenance/nothing", json=CLOSED)) == (404, "service-unknown")
    assert refusal(ask("PUT", "/maintenance/search", json=CLOSED | {"minutes": 10_081})) == (400, "body-invalid")
    assert refusal(ask("PUT", "/maintenance/search", json=CLOSED | {"message": "  "})) == (400, "message-length")
    assert ask("PUT", "/maintenance/search", json={"message": SENTENCE, "reason": "Troca"}).status_code == 400
    assert ask("GET", "/maintenance").json()["data"] == []


@pytest.mark.long
@pytest.mark.cases("registry", "O9")
def test_a_planned_maintenance_is_announced_and_given_up(http: httpx.Client, issuer: Issuer, ask: Ask) -> None:
    tomorrow = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    for begin in (tomorrow + timedelta(hours=2), tomorrow):  # the later plan replaces the earlier one
        found = ask("PUT", "/maintenance/search", json=CLOSED | {"begins_at": begin.isoformat()})
        assert found.status_code == 200, found.text
    assert datetime.fromisoformat(found.json()["begins_at"]) == tomorrow
    assert datetime.fromisoformat(found.json()["ends_at"]) == tomorrow + timedelta(minutes=90)
    listed = ask("GET", "/maintenance").json()
    assert (listed["data"], listed["planned"]) == ([], [found.json()])
    assert ask("GET", "/state").json()["maintenance"] == []
    assert http.get("/search/api/v1/categories").status_code == 200
    until_now(lambda: SENTENCE in http.get("/status").text)
    assert ask("DELETE", "/maintenance/search").status_code == 204
    assert ask("GET", "/maintenance").json()["planned"] == []
    assert refusal(ask("DELETE", "/maintenance/search")) == (409, "not-in-maintenance")


@pytest.mark.cases("registry", "O9")
def test_a_maintenance_is_planned_for_what_is_to_come_alone(ask: Ask) -> None:
    now = datetime.now(UTC)
    for begin in (now - timedelta(minutes=1), now + timedelta(days=91)):
        planned = CLOSED | {"begins_at": begin.isoformat()}
        assert refusal(ask("PUT", "/maintenance/search", json=planned)) == (400, "begins-at-range")
    planned = CLOSED | {"begins_at": (now + timedelta(days=1)).isoformat()}
    assert refusal(ask("PUT", "/maintenance/search", json=CLOSED | {"begins_at": "2031-01-01T10:00:00"}))[0] == 400
    assert ask("PUT", "/maintenance/search", json=planned).status_code == 200
    assert ask("PUT", "/maintenance/search", json=CLOSED).json()["begins_at"] is None  # it begins immediately
    assert ask("GET", "/maintenance").json()["planned"] == []
    assert refusal(ask("PUT", "/maintenance/search", json=planned)) == (409, "in-maintenance")


@pytest.mark.cases("registry", "O6")
async def test_a_process_notes_itself_and_takes_its_note_away(platform: Platform) -> None:
    async def count() -> int:
        async with platform.database.connection() as connection:
            return len(await processes.list_processes(connection))

    before = await count()
    async with processes.maintain_note(platform, ["search"]):
        assert await count() == before + 1
    assert await count() == before


@pytest.mark.cases("registry", "O6")
def test_a_process_that_was_killed_is_shown_as_silent(ask: Ask, sql: Sql) -> None:
    sql(
        "INSERT INTO platform.process (id, name, host, version, services, beat_at) VALUES "
        "(gen_random_uuid(), 'api-7', 'outra', '0.9-silent', '{}', clock_timestamp() - interval '2 minutes')"
    )
    (found,) = [each for each in ask("GET", "/processes").json()["data"] if each["name"] == "api-7"]
    assert (found["host"], found["beats"]) == ("outra", False)
    assert ask("GET", "/state").json()["processes"] == {"beating": 1, "silent": 1}
    assert "0.9-silent" not in ask("GET", "/versions").json()["versions"]
    sql("DELETE FROM platform.process WHERE name = 'api-7'")


@pytest.mark.cases("registry", "O7")
def test_an_import_is_under_way_interrupted_or_done(ask: Ask, sql: Sql, database_url: str) -> None:
    sql(
        "INSERT INTO platform.import (kind, sha256, size, source, byte_offset, lines, changed, unchanged, refused, "
        "finished_at) SELECT kind, '', 1000, '/home/ana/90000000175.jsonl', 400, 4, 3, 1, 0, finished_at FROM (VALUES "
        "('citizens', NULL), ('pets', NULL), ('vehicles', now())) AS each (kind, finished_at)"
    )

    async def ask_while_one_runs() -> httpx.Response:
        connection = await asyncpg.connect(database_url)
        try:
            await imports.lock_kind(connection, "citizens")
            return await asyncio.to_thread(ask, "GET", "/imports")
        finally:
            await connection.close()

    found = asyncio.run(ask_while_one_runs())
    states = {each["kind"]: each["state"] for each in found.json()["data"]}
    assert states == {"citizens": "running", "pets": "interrupted", "vehicles": "done"}
    assert found.json()["data"][-1]["kind"] == "vehicles"
    assert "90000000175" not in found.text
    sql("DELETE FROM platform.import")


@pytest.mark.cases("registry", "O8")
def test_what_the_services_answered_is_added_up_five_minutes_by_five_minutes(ask: Ask, sql: Sql) -> None:
    sql("DELETE FROM platform.response_count")
    sql(
        "INSERT INTO platform.response_count SELECT '5m', date_trunc('hour', now()) - each.ago, each.service, 100, 7, "
        "1, 2, 0.5, '{90, 8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0}' "
        "FROM (VALUES (interval '1 hour', 'registry'), ('2 hours', 'registry'), ('1 hour', 'search'), "
        "('30 hours', 'registry')) AS each (ago, service)"
    )
    found = ask("GET", "/response-counts").json()
    counted = {each["service"]: each["points"] for each in found["data"]}
    assert [len(counted[service]) for service in ("registry", "search")] == [2, 1]
    assert counted["search"][0] == {
        "starts_at": counted["registry"][1]["starts_at"],
        "responses": 100,
        "refusals": 7,
        "faults": 1,
        "slow": 2,
        "mean_ms": 5.0,
        "times": [90, 8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0],
    }
    assert found["bounds_ms"] == [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000]
    longer = ask("GET", "/response-counts?hours=48").json()["data"]
    assert [len(each["points"]) for each in longer if each["service"] == "registry"] == [3]
    assert refusal(ask("GET", "/response-counts?hours=169")) == (400, "hours-invalid")
    sql("DELETE FROM platform.response_count")
