"""Dead letters over HTTP: jobs of every kind, the people they concern, retry and drop (rules: registry 2.10)."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import pytest

from balcao.core.audit import platform_data, retention
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import enqueue
from tests.support.body_shapes import INSTANT, OneOf, Optional, differences
from tests.support.fixture_types import Ask, Drain, Sql
from tests.support.issuer import Issuer, bearer
from tests.support.refusals import refusal

BASE = "/registry/v1/admin/jobs/dead-letters"
ANA, BRUNO, CARLA = "90000000175", "90000000256", "90000000337"
OTHER_KIND = "search.continue_migration"
LETTER = {
    "id": str,
    "kind": str,
    "cpf": Optional(str),
    "fields": [str],
    "attempts": int,
    "first_failed_at": Optional(INSTANT),
    "last_failed_at": Optional(INSTANT),
    "http_status": Optional(int),
    "error_code": Optional(str),
    "state": OneOf("queued", "running", "dead"),
    "request_id": Optional(str),
}
TRY = {"time": INSTANT, "status": Optional(int), "code": Optional(str), "duration": Optional(float)}


@pytest.fixture(autouse=True)
def _empty_queue(sql: Callable[..., Any]) -> None:
    sql("TRUNCATE queue.pgqueuer, queue.pgqueuer_log, registry.crm_event, registry.outbox")


@pytest.fixture
def ask(http: httpx.Client, issuer: Issuer) -> Callable[..., httpx.Response]:
    token = bearer(issuer.admin())
    return lambda method, path="", **more: http.request(method, BASE + path, headers=token, **more)


@pytest.fixture
def dead_event(http: httpx.Client, issuer: Issuer, sql: Callable[..., Any], drain: Callable[[], None]) -> Any:
    """Return a function that accepts an event, makes it fail at every attempt, and returns the number of its job."""

    def make(cpf: str = ANA) -> str:
        body = {"cpf": cpf, "dados": {"email": "segredo@casa.example", "genero": "Nao_binario"}}
        headers = bearer(issuer.machine("crm-sandbox"))
        assert http.post("/registry/v1/webhooks/crm/cidadao", json=body, headers=headers).status_code == 202
        sql("UPDATE queue.pgqueuer SET attempts = 998 WHERE status = 'queued'")
        sql("REVOKE UPDATE ON registry.crm_event FROM balcao_app")
        try:
            drain()
            sql("UPDATE queue.pgqueuer SET execute_after = now() WHERE status = 'queued'")
            drain()
        finally:
            sql("GRANT UPDATE ON registry.crm_event TO balcao_app")
        return str(sql("SELECT max(id) FROM queue.pgqueuer")[0][0])

    return make


@pytest.fixture
def dead_job(database_url: str) -> Callable[..., str]:
    """Return a function that creates a dead-lettered job of any kind. The job has failed with this code."""

    def make(kind: str = OTHER_KIND, code: str = "store-away", **payload: Any) -> str:
        async def once() -> str:
            connection = await asyncpg.connect(database_url)
            number = await enqueue(connection, kind, payload)
            await connection.execute("UPDATE queue.pgqueuer SET status = 'failed', attempts = 7 WHERE id = $1", number)
            await connection.execute(
                "INSERT INTO queue.pgqueuer_log (job_id, status, priority, entrypoint, traceback)"
                " VALUES ($1, 'failed', 0, $2, jsonb_build_object('exception_message', $3::text))",
                number,
                kind,
                code,
            )
            await connection.close()
            return str(number)

        return asyncio.run(once())

    return make


@pytest.fixture
def dead_push(sql: Callable[..., Any], dead_job: Callable[..., str]) -> Callable[[str], str]:
    """Return a function that creates a dead-lettered push, which the CRM has rejected."""

    def make(cpf: str) -> str:
        row = str(uuid4())
        number = dead_job("crm_push", "STRING_TOO_LONG", outbox=row)
        sql("INSERT INTO registry.mirror_head (cpf) VALUES ($1) ON CONFLICT DO NOTHING", cpf)
        log = '[{"time": "2026-07-01T10:00:00Z", "status": 500, "code": "UNKNOWN_EXCEPTION", "duration": 0.5},'
        log += ' {"time": "2026-07-01T11:00:00Z", "status": 400, "code": "STRING_TOO_LONG", "duration": 0.25}]'
        sql(
            "INSERT INTO registry.outbox (cpf, id, dirty, version, first_change_at, job, attempts_log, request_id)"
            """ VALUES ($1, $2, '{"genero": 1, "email": 2}', 2, now(), $3, $4::jsonb, 'request-1')""",
            cpf,
            row,
            int(number),
            log,
        )
        return number

    return make


def audited(sql: Callable[..., Any]) -> list[tuple[Any, ...]]:
    rows = sql("SELECT action, subject, fields, reason FROM platform.audit_event WHERE operation LIKE '%dead_letter%'")
    return [tuple(row) for row in rows]


def test_an_event_that_could_not_be_applied_is_listed_without_a_value(ask: Ask, dead_event: Any, sql: Sql) -> None:
    number = dead_event()
    answer = ask("GET")
    assert (answer.status_code, answer.json()["pagination"]["total"]) == (200, 1)
    [letter] = answer.json()["data"]
    assert differences(letter, LETTER) == []
    assert (letter["id"], letter["kind"], letter["cpf"], letter["state"]) == (
        number,
        "crm_event",
        "***.000.001-**",
        "dead",
    )
    assert (letter["fields"], letter["attempts"]) == (["email", "genero"], 1000)
    assert letter["first_failed_at"] < letter["last_failed_at"]
    detail = ask("GET", f"/{number}")
    assert differences(detail.json(), LETTER | {"attempts_log": [TRY]}) == []
    assert [tried["code"] for tried in detail.json()["attempts_log"]] == [letter["error_code"]] * 2
    for said in (answer.text, detail.text):
        assert not any(value in said for value in ("segredo", ANA, "Nao_binario"))


@pytest.mark.cases("registry", "X9")
def test_an_event_is_applied_after_a_retry(ask: Ask, dead_event: Any, drain: Drain, sql: Sql) -> None:
    number = dead_event()
    answer = ask("POST", f"/{number}/retry")
    assert (answer.status_code, differences(answer.json(), LETTER)) == (200, [])
    assert (answer.json()["state"], answer.json()["attempts"], answer.json()["error_code"]) == ("queued", 0, None)
    again = ask("POST", f"/{number}/retry")
    assert (refusal(again), set(again.json())) == ((409, "job-not-dead"), {"error"})
    assert refusal(ask("DELETE", f"/{number}", params={"reason": "Sem uso"})) == (409, "job-not-dead")
    drain()
    assert sql("SELECT result FROM registry.crm_event")[0][0] == "applied"
    assert refusal(ask("GET", f"/{number}")) == (404, "job-unknown")


@pytest.mark.cases("registry", "X9")
def test_a_dropped_event_has_no_effect_and_its_values_are_gone(ask: Ask, dead_event: Any, sql: Sql) -> None:
    number = dead_event(BRUNO)
    for reason in ({}, {"reason": "ab"}, {"reason": " a "}, {"reason": "x" * 201}):
        assert refusal(ask("DELETE", f"/{number}", params=reason)) == (400, "reason-length")
    answer = ask("DELETE", f"/{number}", params={"reason": "Evento de teste"})
    assert (answer.status_code, answer.content) == (204, b"")
    assert refusal(ask("DELETE", f"/{number}", params={"reason": "Evento de teste"})) == (404, "job-unknown")
    assert [tuple(row) for row in sql("SELECT dados, result FROM registry.crm_event")] == [(None, "no_effect")]
    assert ("delete", "***.000.002-**", ["job:crm_event"], "Evento de teste") in audited(sql)


def test_a_push_shows_its_fields_and_the_crms_answers(ask: Ask, dead_push: Callable[[str], str], sql: Sql) -> None:
    number = dead_push(CARLA)
    letter = ask("GET", f"/{number}").json()
    assert differences(letter, LETTER | {"attempts_log": [TRY]}) == []
    assert (letter["fields"], letter["http_status"], letter["request_id"]) == (["email", "genero"], 400, "request-1")
    assert (letter["error_code"], letter["cpf"]) == ("STRING_TOO_LONG", "***.000.003-**")
    assert [tried["status"] for tried in letter["attempts_log"]] == [400, 500]
    queued = ask("POST", f"/{number}/retry").json()
    assert [queued[name] for name in ("attempts", "last_failed_at", "http_status", "error_code")] == [
        0,
        None,
        None,
        None,
    ]
    sql("DELETE FROM registry.outbox")


def test_a_dropped_push_leaves_nothing_to_send(ask: Ask, dead_push: Callable[[str], str], sql: Sql) -> None:
    number = dead_push(CARLA)
    assert ask("DELETE", f"/{number}", params={"reason": "Corrigido no CRM"}).status_code == 204
    assert sql("SELECT FROM registry.outbox") == []


def test_a_code_that_could_not_be_sent_is_its_persons_and_goes_with_its_job(
    ask: Ask, dead_job: Callable[..., str], sql: Sql
) -> None:
    row = str(uuid4())
    sql(
        "INSERT INTO registry.phone_verification"
        " (cpf, id, ddi, ddd, valor, code_hash, sealed_code, sent_at, expires_at)"
        " VALUES ($1, $2, '55', '21', '977776666', '', 'sealed', now(), now() + interval '1 hour')",
        BRUNO,
        row,
    )
    number = dead_job("phone_code", "gateway-away", verification=row)
    [letter] = ask("GET", params={"cpf": BRUNO}).json()["data"]
    assert (letter["id"], letter["cpf"], letter["fields"]) == (number, "***.000.002-**", ["telefonePrincipal"])
    assert ask("DELETE", f"/{number}", params={"reason": "Código vencido"}).status_code == 204
    assert sql("SELECT sealed_code FROM registry.phone_verification")[0][0] is None
    sql("DELETE FROM registry.phone_verification")


def test_lists_are_filtered_and_paged_and_looks_are_audited(
    ask: Ask, dead_job: Callable[..., str], dead_push: Callable[[str], str], sql: Sql
) -> None:
    pushes = [dead_push(cpf) for cpf in (BRUNO, CARLA)]
    others = [dead_job(run=str(uuid4())) for _ in range(3)]

    def numbers(**query: Any) -> list[str]:
        return [letter["id"] for letter in ask("GET", params=query).json()["data"]]

    assert numbers() == [*pushes, *others]
    assert numbers(kind="crm_push") == pushes
    assert numbers(kind="unknown") == []
    assert numbers(cpf=CARLA) == [pushes[1]]
    assert numbers(cpf=ANA) == []
    assert numbers(cpf=CARLA, kind=OTHER_KIND) == []
    assert numbers(page=2, per_page=2) == others[:2]
    assert ask("GET", params={"page": 9}).json() == {
        "data": [],
        "pagination": {"page": 9, "per_page": 10, "total": 5, "total_pages": 1},
    }
    assert ("read", "***.000.003-**", ["jobs"], None) in audited(sql)
    for wrong, code in (
        ({"cpf": "123"}, "cpf-invalid"),
        ({"cpf": ""}, "cpf-invalid"),
        ({"kind": "a\0b"}, "kind-control"),
        ({"kind": "x" * 101}, "kind-length"),
        ({"kind": "a" + "\u0301" * 31}, "kind-marks"),
        ({"page": 0}, "page-invalid"),
        ({"per_page": 101}, "per_page-invalid"),
    ):
        answer = ask("GET", params=wrong)
        assert (refusal(answer), next(iter(wrong)) in answer.json()["error"]) == ((400, code), True)


def test_many_are_tried_again_by_kind_and_code_the_oldest_first(ask: Ask, dead_job: Callable[..., str]) -> None:
    away = [dead_job(code="store-away", run=str(uuid4())) for _ in range(3)]
    refused = dead_job(code="refused", run=str(uuid4()))
    other = dead_job("crm_push", "store-away", outbox=str(uuid4()))

    def many(**body: Any) -> Any:
        return ask("POST", "/retry", json={"kind": OTHER_KIND} | body).json()

    assert many(error_code="store-away", limit=2) == {"retried": 2}
    assert [ask("GET", f"/{number}").json()["state"] for number in away] == ["queued", "queued", "dead"]
    assert many() == {"retried": 2}
    assert ask("GET", f"/{refused}").json()["state"] == "queued"
    assert ask("GET", f"/{other}").json()["state"] == "dead"
    assert many() == {"retried": 0}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "body-invalid"),
        ({"kind": 5}, "body-invalid"),
        ({"kind": " "}, "kind-length"),
        ({"kind": "crm_push", "limit": 0}, "limit-invalid"),
        ({"kind": "crm_push", "limit": 1001}, "limit-invalid"),
        ({"kind": "crm_push", "limit": "1"}, "body-invalid"),
        ({"kind": "crm_push", "error_code": 5}, "body-invalid"),
        ({"kind": "crm_push", "error_code": "a\0"}, "error_code-control"),
    ],
    ids=str,
)
def test_what_cannot_be_tried_again_is_refused(ask: Ask, body: dict[str, Any], code: str) -> None:
    answer = ask("POST", "/retry", json=body)
    assert (refusal(answer), set(answer.json())) == ((400, code), {"error"})


@pytest.mark.parametrize("number", ["0", "x", "1" * 30, "-1", str(uuid4()), "999999999"], ids=len)
def test_an_unknown_number_is_not_found(ask: Ask, number: str) -> None:
    answers = [
        ask("GET", f"/{number}"),
        ask("POST", f"/{number}/retry"),
        ask("DELETE", f"/{number}", params={"reason": "Sem uso"}),
    ]
    assert [refusal(answer) for answer in answers] == [(404, "job-unknown")] * 3


def test_two_retries_at_once_are_one(ask: Ask, dead_job: Callable[..., str]) -> None:
    number = dead_job(run=str(uuid4()))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: refusal(ask("POST", f"/{number}/retry")), range(8)))
    assert sorted(answers) == [(200, None)] + [(409, "job-not-dead")] * 7


@pytest.mark.parametrize(
    ("method", "path"), [("GET", ""), ("GET", "/1"), ("POST", "/1/retry"), ("POST", "/retry"), ("DELETE", "/1")]
)
def test_who_may(http: httpx.Client, issuer: Issuer, method: str, path: str) -> None:
    assert refusal(http.request(method, BASE + path)) == (401, "unauthenticated")
    assert refusal(http.request(method, BASE + path, headers=bearer("a.b.c"))) == (401, "token-invalid")
    for token in (issuer.person(ANA), issuer.machine("crm-sandbox")):
        assert refusal(http.request(method, BASE + path, headers=bearer(token))) == (403, "forbidden")


async def test_a_job_that_nobody_looks_after_ends_after_90_days_and_with_it_the_values_behind_it(
    platform: Platform, dead_event: Callable[[], str], sql: Callable[..., Any]
) -> None:
    number = int(await asyncio.to_thread(dead_event))
    age = "UPDATE queue.pgqueuer SET updated = now() - make_interval(days => $2) WHERE id = $1"
    for days, left in ((89, 1), (91, 0)):
        await asyncio.to_thread(sql, age, number, days)
        await retention.run_retention(operator_call(platform, retention.OPERATION), platform_data.RETENTION)
        assert len(await asyncio.to_thread(sql, "SELECT FROM queue.pgqueuer WHERE id = $1", number)) == left
        held = await asyncio.to_thread(sql, "SELECT FROM registry.crm_event WHERE dados IS NOT NULL")
        assert len(held) == left
