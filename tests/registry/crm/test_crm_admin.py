"""The CRM integration's status, events, and fields with a date in the future (rules: registry 2.10)."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from balcao import app
from balcao.crm.circuit import IN_A_ROW
from balcao.settings import Settings
from tests.support.body_shapes import INSTANT, OneOf, Optional, differences
from tests.support.crm import RunningCrm, crm_settings
from tests.support.fixture_types import Ask, Drain, Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE
from tests.support.refusals import refusal
from tests.support.server import RunningServer

BASE = "/registry/v1/admin/crm"
ANA, BRUNO, CARLA, DAVI = "90000000175", "90000000256", "90000000337", "90000000418"
STATUS = {
    "configured": bool,
    "circuit": {"state": OneOf("closed", "open", "half_open"), "failures": int, "until": Optional(INSTANT)},
    "push": {"queued": int, "running": int, "dead": int, "oldest_age_s": Optional(int)},
    "events": {"pending": int, "oldest_age_s": Optional(int), "applied_24h": int, "dead": int},
    "future_registers": int,
}
EVENT = {
    "id": str,
    "cpf": str,
    "evento": OneOf("atualizacao", "anonimizacao"),
    "event_at": INSTANT,
    "has_updated_at": bool,
    "accepted_at": INSTANT,
    "azp": str,
    "request_id": str,
    "repeated_at": Optional(INSTANT),
    "applied_at": Optional(INSTANT),
    "result": Optional(str),
}


@pytest.fixture(autouse=True)
def _no_events(sql: Callable[..., Any]) -> None:
    sql("TRUNCATE queue.pgqueuer, queue.pgqueuer_log, registry.crm_event")


@pytest.fixture
def ask(http: httpx.Client, issuer: Issuer) -> Callable[..., httpx.Response]:
    token = bearer(issuer.admin())
    return lambda path, method="GET", **query: http.request(method, BASE + path, headers=token, params=query)


@pytest.fixture
def send(http: httpx.Client, issuer: Issuer) -> Callable[..., str]:
    """Return a function that sends an event and returns the request id."""

    def post(cpf: str, dados: dict[str, Any], **more: Any) -> str:
        body = {"cpf": cpf, "dados": dados} | more
        headers = bearer(issuer.machine("crm-sandbox"))
        answer = http.post("/registry/v1/webhooks/crm/cidadao", json=body, headers=headers)
        assert answer.status_code == 202
        return answer.headers["X-Request-ID"]

    return post


def test_the_status_counts_what_waits_what_was_done_and_what_is_dead(
    ask: Ask, send: Callable[..., str], drain: Drain, sql: Sql
) -> None:
    before = ask("/status").json()
    assert differences(before, STATUS) == []
    assert before["circuit"] == {"state": "closed", "failures": 0, "until": None}
    assert before["events"] == {"pending": 0, "oldest_age_s": None, "applied_24h": 0, "dead": 0}
    send(ANA, {"email": "a@casa.example"})
    drain()
    send(ANA, {"email": "b@casa.example"}, updatedAt="2099-01-01T00:00:00Z")
    send(BRUNO, {"email": "c@casa.example"})
    sql("UPDATE registry.crm_event SET accepted_at = now() - interval '1 hour' WHERE applied_at IS NULL")
    sql("UPDATE queue.pgqueuer SET status = 'failed' WHERE id = (SELECT max(id) FROM queue.pgqueuer)")
    events = ask("/status").json()["events"]
    assert (events["pending"], events["applied_24h"], events["dead"]) == (1, 1, 1)
    assert 3_600 <= events["oldest_age_s"] < 7_200
    sql("UPDATE queue.pgqueuer SET status = 'failed'")
    assert ask("/status").json()["events"]["oldest_age_s"] is None
    sql("UPDATE queue.pgqueuer SET status = 'queued' WHERE id <> (SELECT max(id) FROM queue.pgqueuer)")
    drain()
    assert ask("/status").json()["future_registers"] == before["future_registers"] + 1


def test_the_status_counts_pushes(ask: Ask, sql: Sql) -> None:
    sql("INSERT INTO registry.mirror_head (cpf) VALUES ($1) ON CONFLICT DO NOTHING", CARLA)
    sql(
        "INSERT INTO registry.outbox (cpf, id, dirty, version, first_change_at, job, request_id)"
        " VALUES ($1, gen_random_uuid(), '{}', 1, now() - interval '1 hour', 1, 'r')",
        CARLA,
    )
    states = ["queued", "queued", "picked", "failed"]
    for status in states:
        sql(
            "INSERT INTO queue.pgqueuer (entrypoint, status, priority)"
            " VALUES ('crm_push', $1::text::queue.pgqueuer_status, 0)",
            status,
        )
    push = ask("/status").json()["push"]
    assert (push["queued"], push["running"], push["dead"], push["oldest_age_s"] // 3_600) == (2, 1, 1, 1)
    sql("DELETE FROM registry.outbox")


@pytest.mark.long
def test_the_status_shows_the_circuit_of_the_process(
    settings: Settings, database_url: str, issuer: Issuer, tmp_path: Any
) -> None:
    with RunningCrm(crm_settings(tmp_path, auth_issuer=issuer.address)) as crm:
        crm.faults({"mode": "error", "operation": "query"})
        with RunningServer(app.build_application(crm.settings, database_url, ["registry"])) as running:
            for _ in range(IN_A_ROW):
                url = f"{running.url}/registry/v1/crm/cidadao/{ANA}"
                failed = httpx.get(url, headers=bearer(issuer.person(ANA)), timeout=PATIENCE)
                assert (failed.status_code, failed.headers["Error-Code"]) == (502, "crm-away")
            circuit = httpx.get(f"{running.url}{BASE}/status", headers=bearer(issuer.admin()), timeout=PATIENCE).json()[
                "circuit"
            ]
            refused = httpx.get(url, headers=bearer(issuer.person(ANA)), timeout=PATIENCE)
    assert (circuit["state"], circuit["failures"]) == ("open", IN_A_ROW)
    assert differences(circuit["until"], INSTANT) == []
    assert (refused.status_code, refused.headers["Error-Code"]) == (502, "crm-circuit-open")
    assert int(refused.headers["Retry-After"]) > 0


def test_events_are_listed_by_person_request_and_time_without_their_data(
    ask: Ask, send: Callable[..., str], drain: Drain, sql: Sql
) -> None:
    requests = [send(cpf, {"email": f"{cpf}@casa.example", "raca": "Parda"}) for cpf in (ANA, BRUNO, ANA)]
    drain()
    send(BRUNO, {}, evento="anonimizacao", updatedAt="2026-07-01T10:00:00Z")
    listed = ask("/events")
    assert [differences(event, EVENT) for event in listed.json()["data"]] == [[]] * 4
    assert [event["request_id"] for event in listed.json()["data"][1:]] == requests[::-1]
    assert not any(value in listed.text for value in ("casa.example", "Parda", ANA, BRUNO, "dados"))
    newest = listed.json()["data"][0]
    assert (newest["evento"], newest["cpf"], newest["has_updated_at"], newest["result"]) == (
        "anonimizacao",
        "***.000.002-**",
        True,
        None,
    )

    def total(**query: Any) -> int:
        count: int = ask("/events", **query).json()["pagination"]["total"]
        return count

    assert (total(cpf=ANA), total(cpf=CARLA), total(request_id=requests[1]), total(request_id="x")) == (2, 0, 1, 0)
    sql("UPDATE registry.crm_event SET accepted_at = '2026-07-01T12:00:00Z' WHERE request_id = $1", requests[0])
    assert total(**{"from": "2026-07-01", "to": "2026-07-01"}) == 1
    assert total(**{"from": "2026-07-01T12:00:00Z", "to": "2026-07-01T12:00:00Z"}) == 1
    assert total(**{"from": "2026-07-02"}) == 3
    assert total(to="2026-06-30") == 0
    page = ask("/events", page=2, per_page=3).json()
    assert ([event["request_id"] for event in page["data"]], page["pagination"]["total_pages"]) == ([requests[0]], 2)
    seen = sql("SELECT subject FROM platform.audit_event WHERE operation = 'registry.list_crm_events'")
    assert {row["subject"] for row in seen} == {None, "***.000.001-**", "***.000.003-**"}


def test_an_event_that_came_again_is_found_by_the_call_that_repeated_it(ask: Ask, send: Callable[..., str]) -> None:
    """A sender that searches for its own request id finds the event, even if its request was a repetition."""

    def find(request_id: str) -> list[tuple[str, bool]]:
        page = ask("/events", request_id=request_id).json()
        return [(found["request_id"], found["repeated_at"] is not None) for found in page["data"]]

    first, second, third = (send(ANA, {"raca": "Parda"}, updatedAt="2026-07-01T10:00:00Z") for _ in range(3))
    assert find(first) == find(third) == [(first, True)]
    # Only the last repetition is stored, so a sender in an endless loop cannot fill the table.
    assert find(second) == []
    once = send(ANA, {"raca": "Parda"}, updatedAt="2026-07-02T10:00:00Z")
    assert find(once) == [(once, False)]


@pytest.mark.parametrize(
    "query",
    [
        {"cpf": "123"},
        {"from": "ontem"},
        {"to": "2026-07-01T10:00:00"},
        {"request_id": "a\0"},
        {"page": "x"},
        {"per_page": "101"},
    ],
    ids=str,
)
def test_a_filter_that_is_none_is_refused_by_its_name(ask: Ask, query: dict[str, str]) -> None:
    answer = ask("/events", **query)
    assert (answer.status_code, set(answer.json())) == (400, {"error"})
    assert next(iter(query)) in answer.json()["error"]


@pytest.mark.cases("registry", "C7")
def test_what_lies_ahead_of_the_clock_is_released_and_ordinary_events_win_again(
    ask: Ask, send: Callable[..., str], drain: Drain, http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    def gender() -> Any:
        return http.get(f"/registry/v1/citizen/{DAVI}", headers=bearer(issuer.person(DAVI))).json()["genero"]

    send(DAVI, {"genero": "Homem_cisgenero", "email": "d@casa.example"}, updatedAt="2099-01-01T00:00:00Z")
    drain()
    put: dict[str, Any] = {"json": {"valor": "livre"}, "headers": bearer(issuer.person(DAVI))}
    assert http.put(f"/registry/v1/citizen/{DAVI}/gender", **put).status_code == 200
    assert gender() == "livre"
    send(DAVI, {"genero": "Mulher_cisgenero"})
    drain()
    assert gender() == "livre"
    answer = ask(f"/mirrors/{DAVI}/release-future", "POST")
    assert (answer.status_code, answer.json()) == (200, {"released": 2})
    assert gender() == "livre"
    send(DAVI, {"genero": "Mulher_cisgenero"})
    drain()
    assert gender() == "Mulher cisgênero"
    assert ask(f"/mirrors/{DAVI}/release-future", "POST").json() == {"released": 0}
    trail = sql("SELECT fields FROM platform.audit_event WHERE operation = 'registry.release_future_registers'")
    assert sorted(row["fields"] for row in trail) == [[], ["email", "genero"]]
    send(DAVI, {}, evento="anonimizacao")
    drain()
    assert sql("SELECT FROM registry.wording WHERE cpf = $1", DAVI) == []


def test_a_release_needs_a_mirror_and_a_cpf(ask: Ask) -> None:
    assert refusal(ask("/mirrors/90000001147/release-future", "POST")) == (404, "mirror-unknown")
    assert refusal(ask("/mirrors/123/release-future", "POST")) == (400, "cpf-invalid")


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/status"), ("GET", "/events"), ("POST", f"/mirrors/{ANA}/release-future")]
)
def test_who_may(http: httpx.Client, issuer: Issuer, method: str, path: str) -> None:
    statuses = [
        http.request(method, BASE + path, headers=headers).status_code
        for headers in ({}, bearer(issuer.person(ANA)), bearer(issuer.machine("crm-sandbox")))
    ]
    assert statuses == [401, 403, 403]
