"""Tests for the reconciliation with the CRM over HTTP, against the sandbox CRM (rules: registry 2.11, 4.12)."""

import itertools
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from balcao import app
from balcao.core.audit import retention
from balcao.core.values.cpf import Cpf
from balcao.crm.changes import PAGE
from balcao.crm.fields import FieldMap
from balcao.registry.crm.reconciliation import service
from balcao.registry.crm.reconciliation.api import FEATURE
from balcao.registry.mirror.fields import FIELDS
from balcao.registry.mirror.writes import parse_delta
from balcao.settings import Settings
from tests.registry.conftest import Own
from tests.registry.crm.crm_changes import change, draw_change
from tests.support.crm import RunningCrm
from tests.support.demo_people import KLEBER
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import Issuer, bearer
from tests.support.operator_calls import acting
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import size
from tests.support.refusals import refusal
from tests.support.rules import read_values
from tests.support.server import RunningServer

PATH = "/registry/v1/admin/crm/reconcile"
WEBHOOK = "/registry/v1/webhooks/crm/cidadao"
BRUNO, CARLA, DAVI, JOAO = "90000000256", "90000000337", "90000000418", "90000001066"
ADMIN_CPF = KLEBER
LONG_AGO = "2025-01-01T00:00:00Z"
Reconcile = Callable[..., httpx.Response]
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def settings(running_crm: RunningCrm) -> Settings:
    return running_crm.settings.model_copy(update={"crm_push": False})


@pytest.fixture
def reconcile(http: httpx.Client, issuer: Issuer) -> Reconcile:
    """Return a function that starts a reconciliation, as an administrator unless another token is given."""

    def call(token: str | None = None, **body: Any) -> httpx.Response:
        return http.post(PATH, json=body, headers=bearer(token or issuer.admin()))

    return call


@pytest.fixture
def event(http: httpx.Client, issuer: Issuer) -> Callable[[dict[str, Any]], None]:
    def send(body: dict[str, Any]) -> None:
        answer = http.post(WEBHOOK, json=body, headers=bearer(issuer.machine("crm-sandbox")))
        assert answer.status_code == 202, answer.text

    return send


@pytest.fixture
def mirrored(sql: Sql) -> Callable[[str], dict[str, Any]]:
    """Return a function that reads a person's mirrored fields. Empty fields and the account id are left out."""

    def read(cpf: str) -> dict[str, Any]:
        rows = sql("SELECT field, value::text FROM registry.register WHERE cpf = $1", cpf)
        values = {row["field"]: msgspec.json.decode(row["value"]) for row in rows}
        return {field: value for field, value in values.items() if value and field != "accountId"}

    return read


@pytest.fixture
def consented(sql: Sql) -> Callable[[str], dict[tuple[str, str], str]]:
    def read(cpf: str) -> dict[tuple[str, str], str]:
        rows = sql("SELECT categoria, canal, status FROM registry.crm_consentimentos WHERE cpf = $1", cpf)
        return {(row["categoria"], row["canal"]): row["status"] for row in rows}

    return read


def in_crm(crm: RunningCrm, cpf: str) -> tuple[dict[str, Any], dict[tuple[str, str], str]]:
    """Return a person's data in the CRM, in the format that `mirrored` and `consented` return."""
    [account] = crm.accounts(cpf)
    values = parse_delta(FieldMap.load().to_dados(account)).fields
    consents = {(one["Categoria__c"], one["Canal__c"] or ""): one["Status__c"] for one in account["consents"]}
    return {field: value for field, value in values.items() if value and field != "accountId"}, consents


def new_cpf() -> str:
    return Cpf.with_stem(f"96{next(_numbers):07}").digits


def now() -> str:
    return (datetime.now(UTC) - timedelta(seconds=1)).isoformat()


# --- events lost, repeated or out of order ----------------------------------------------------------------------------


# No shrinking, because a smaller seed is not a simpler example.
@pytest.mark.long
@pytest.mark.cases("registry", "Q1")
@examples(max_examples=size(2, 60), suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(seed=st.integers(0, 2**32), one_by_one=st.booleans())
def test_whatever_events_were_lost_repeated_or_late_the_mirror_becomes_what_the_crm_has(
    reconcile: Reconcile,
    event: Callable[[dict[str, Any]], None],
    running_crm: RunningCrm,
    drain: Drain,
    mirrored: Callable[[str], dict[str, Any]],
    consented: Callable[[str], dict[tuple[str, str], str]],
    seed: int,
    one_by_one: bool,
) -> None:
    """Before the reconciliation, each event arrives zero to two times in any order.

    It may arrive once more afterwards.
    """
    chance, since = random.Random(seed), now()
    people = [new_cpf() for _ in range(20)]
    for cpf in people:
        running_crm.insert("Account", CPF__c=cpf, LastName="Alguém")
    before, after = [], []
    for cpf in people * 4:
        body = change(running_crm, cpf, *draw_change(chance))
        before += [body] * chance.randint(0, 2)
        after += [body] * chance.randint(0, 1)
    chance.shuffle(before)
    for body in before:
        event(body)
    drain()
    for scope in [{"cpf": cpf} for cpf in people] if one_by_one else [{"since": since}]:
        answer = reconcile(**scope)
        assert answer.status_code == 202, answer.text
    drain()
    expected = [in_crm(running_crm, cpf) for cpf in people]
    assert [(mirrored(cpf), consented(cpf)) for cpf in people] == expected
    for body in after:
        event(body)
    drain()
    assert [(mirrored(cpf), consented(cpf)) for cpf in people] == expected


def test_a_whole_account_is_told_with_every_mirrored_field(crm: RunningCrm) -> None:
    [account] = crm.accounts(CARLA)
    assert set(parse_delta(FieldMap.load().to_dados(account)).fields) == set(FIELDS)


# --- a run ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def many(crm: RunningCrm) -> list[str]:
    """Create the accounts of more people than fit on two pages. Return the people's CPFs."""
    people = [new_cpf() for _ in range(2 * PAGE + 5)]
    for cpf in people:
        crm.insert("Account", CPF__c=cpf, LastName="Alguém", PersonEmail=f"p{cpf}@x.example")
    crm.switch.delete("/requests")
    return people


DUE = "UPDATE queue.pgqueuer SET execute_after = now() WHERE entrypoint = 'crm_reconcile' AND status = 'queued'"
EMAILS = "SELECT cpf, value #>> '{}' AS email FROM registry.register WHERE field = 'email' AND cpf = ANY ($1)"


@pytest.mark.long
@pytest.mark.cases("registry", "Q2")
def test_a_run_that_fails_in_the_middle_goes_on_where_it_was(
    reconcile: Reconcile, many: list[str], crm: RunningCrm, http: httpx.Client, issuer: Issuer, drain: Drain, sql: Sql
) -> None:
    four_queries_of_the_first_page = {"mode": "latency", "operation": "query", "ms": 0, "times": 4}
    crm.faults(four_queries_of_the_first_page, {"mode": "error", "operation": "query", "status": 400, "times": 1})
    run = reconcile(since=LONG_AGO).json()
    assert (run["state"], run["people"], run["finished_at"]) == ("running", 0, None)
    drain()
    second = reconcile(since=LONG_AGO)
    assert (second.status_code, second.headers["Error-Code"]) == (409, "reconcile-running")
    read = f"{PATH}/{run['id']}"
    shown = http.get(read, headers=bearer(issuer.admin())).json()
    assert (shown["state"], shown["people"]) == ("running", PAGE - 1)  # two accounts belong to one person
    crm.switch.delete("/requests")
    sql(DUE)
    drain()
    assert len(crm.operations()) == 4 + 4 + 4 + 1  # 2 pages of accounts, 1 of consents, no requests
    done = http.get(read, headers=bearer(issuer.admin())).json()
    assert (done["state"], done["refused"]) == ("done", 0)
    assert done["people"] >= len(many)
    assert {row["cpf"]: row["email"] for row in sql(EMAILS, many)} == {cpf: f"p{cpf}@x.example" for cpf in many}


@pytest.mark.long
@pytest.mark.cases("registry", "Q3")
def test_a_page_whose_job_runs_again_after_a_kill_feeds_nothing_twice(
    reconcile: Reconcile, many: list[str], settings: Settings, database_url: str, sql: Sql, drain: Drain
) -> None:
    """The worker died after the page's commit and before it updated the queue.

    A second worker then processed the page again.
    """
    run = reconcile(since=LONG_AGO).json()["id"]
    sql("UPDATE queue.pgqueuer SET execute_after = now() + interval '1 hour' WHERE entrypoint = 'crm_reconcile'")
    place = "SELECT page, people, events, state FROM registry.crm_reconciliation WHERE id = $1::text::uuid"
    jobs = "SELECT count(*) FROM queue.pgqueuer WHERE entrypoint = 'crm_reconcile' AND status = 'queued'"
    with acting(settings, database_url, "test.reconciliation") as act:
        for page in range(2):
            waiting = sql(jobs)[0][0]
            act(lambda call, page=page: service.reconcile_page(call.platform, run, page))
            after = sql(place, run)
            assert (after[0]["page"], sql(jobs)[0][0]) == (page + 1, waiting + 1)
            act(lambda call, page=page: service.reconcile_page(call.platform, run, page))
            assert (sql(place, run), sql(jobs)[0][0]) == (after, waiting + 1)
    sql(DUE)
    drain()
    assert sql(place, run)[0]["state"] == "done"
    assert len(sql(EMAILS, many)) == len(many)
    again = reconcile(since=LONG_AGO).json()["id"]
    drain()
    assert tuple(sql(place, again)[0])[2:] == (0, "done")  # the second run created no events


@pytest.mark.cases("registry", "Q4")
def test_a_run_that_an_operator_drops_ends_and_another_may_begin(
    reconcile: Reconcile, crm: RunningCrm, sql: Sql, drain: Drain, http: httpx.Client, issuer: Issuer
) -> None:
    run = reconcile(since=LONG_AGO).json()["id"]
    sql("UPDATE queue.pgqueuer SET status = 'failed' WHERE entrypoint = 'crm_reconcile'")
    letters = http.get(
        "/registry/v1/admin/jobs/dead-letters?kind=crm_reconcile", headers=bearer(issuer.admin())
    ).json()["data"]
    for letter in letters:
        path = f"/registry/v1/admin/jobs/dead-letters/{letter['id']}?reason=desistimos"
        assert http.delete(path, headers=bearer(issuer.admin())).status_code == 204
    shown = http.get(f"{PATH}/{run}", headers=bearer(issuer.admin())).json()
    assert shown["state"] == "abandoned"
    assert reconcile(since=now()).status_code == 202
    drain()


# --- one person -------------------------------------------------------------------------------------------------------


def test_one_person_is_compared_at_once_and_a_second_time_nothing_is_new(
    reconcile: Reconcile, crm: RunningCrm, drain: Drain, mirrored: Callable[[str], dict[str, Any]], sql: Sql
) -> None:
    first = reconcile(cpf=CARLA)
    assert (first.status_code, first.headers["Cache-Control"]) == (202, "no-store, private")
    assert {name: first.json()[name] for name in ("id", "since", "state", "people", "refused")} == {
        "id": None,
        "since": None,
        "state": "done",
        "people": 1,
        "refused": 0,
    }
    drain()
    assert mirrored(CARLA)["genero"] == "Mulher_cisgenero"
    assert reconcile(cpf=CARLA).json()["events"] == 0
    traces = "SELECT actor_kind, \"grant\" FROM platform.audit_event WHERE operation = 'registry.reconcile_crm'"
    assert ("staff", "crm:write") in {tuple(row) for row in sql(traces)}


@pytest.mark.cases("registry", "Q6")
def test_a_consent_that_was_deleted_in_the_crm_goes(
    reconcile: Reconcile,
    event: Callable[[dict[str, Any]], None],
    crm: RunningCrm,
    drain: Drain,
    consented: Callable[[str], dict[tuple[str, str], str]],
) -> None:
    entry = {"categoria": "extinta", "status": "IN"}
    event({"cpf": CARLA, "updatedAt": "2026-01-01T00:00:00Z", "dados": {"consentimento": [entry]}})
    drain()
    assert ("extinta", "") in consented(CARLA)
    assert reconcile(cpf=CARLA).status_code == 202
    drain()
    assert consented(CARLA) == in_crm(crm, CARLA)[1]


@pytest.mark.cases("registry", "Q6")
def test_an_anonymisation_whose_event_was_lost_is_caught_up_with(
    reconcile: Reconcile, crm: RunningCrm, own: Own, drain: Drain, sql: Sql
) -> None:
    person = new_cpf()
    own(person, genero="Nao_binario")
    account = crm.insert("Account", CPF__c=person, LastName="Alguém")
    change(crm, person, "anonymise", None)
    assert [one["Id"] for one in crm.accounts(person)] == [account]
    assert reconcile(cpf=person).status_code == 202
    drain()
    head = sql("SELECT anonymised_at FROM registry.mirror_head WHERE cpf = $1", person)
    assert head[0]["anonymised_at"] is not None
    assert sql("SELECT FROM registry.register WHERE cpf = $1", person) == []


@pytest.mark.cases("registry", "Q5")
def test_what_citizens_said_themselves_stays_theirs_when_the_crm_has_it_too(
    reconcile: Reconcile, crm: RunningCrm, own: Own, drain: Drain, sql: Sql
) -> None:
    """Removed values count too. If the CRM's null replaced a removed value, the city's value would reappear."""
    person = new_cpf()
    own(person, genero="Nao_binario", endereco__cep="", email="dela@x.example")
    fields = {"Genero__c": "Nao_binario", "PersonEmail": "outro@x.example", "NomeExibicao__c": "Bia"}
    crm.insert("Account", CPF__c=person, LastName="Alguém", **fields)
    assert reconcile(cpf=person).status_code == 202
    drain()
    rows = sql("SELECT field, value #>> '{}' AS value, origin FROM registry.register WHERE cpf = $1", person)
    held = {row["field"]: (row["value"], row["origin"]) for row in rows}
    assert held["genero"] == ("Nao_binario", "citizen")
    assert held["endereco.cep"] == ("", "citizen")
    assert held["email"] == ("outro@x.example", "crm")  # the CRM's value is newer
    assert held["nomeExibicao"] == ("Bia", "crm")


@pytest.mark.cases("registry", "Q6")
def test_of_several_accounts_the_oldest_counts_in_a_run_too(
    reconcile: Reconcile, crm: RunningCrm, drain: Drain, mirrored: Callable[[str], dict[str, Any]]
) -> None:
    assert reconcile(since=LONG_AGO).status_code == 202
    drain()
    assert mirrored(JOAO)["email"] == "joao.pacheco@correio.example"


def test_what_would_be_refused_of_a_webhook_is_counted_and_the_rest_is_fed(
    reconcile: Reconcile, crm: RunningCrm, drain: Drain, consented: Callable[[str], dict[tuple[str, str], str]]
) -> None:
    person = new_cpf()
    account = crm.insert("Account", CPF__c=person, LastName="Alguém")
    for category, reason in (("a", None), ("b", "x")):
        fields = {"Categoria__c": category, "Status__c": "OUT", "Motivo__c": reason, "CPF__c": person}
        crm.upsert("Consentimento__c", "Chave__c", f"{person}|{category}|", **fields, Conta__c=account)
    answer = reconcile(cpf=person).json()
    assert (answer["events"], answer["refused"]) == (2, 1)
    drain()
    assert consented(person) == {("b", ""): "OUT"}


@pytest.mark.cases("registry", "Q7")
@pytest.mark.parametrize(("body", "code"), read_values("registry", "Q7"))
def test_a_scope_that_is_none_is_refused(reconcile: Reconcile, body: dict[str, Any], code: str, sql: Sql) -> None:
    answer = reconcile(**body)
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, code)
    assert sql("SELECT FROM registry.crm_reconciliation WHERE state = 'running'") == []


@pytest.mark.cases("registry", "Q7", "Q8")
def test_who_may_not_and_who_is_unknown(
    reconcile: Reconcile, http: httpx.Client, issuer: Issuer, crm: RunningCrm
) -> None:
    assert reconcile(token=issuer.person(CARLA), cpf=CARLA).status_code == 403
    assert reconcile(token=issuer.machine("crm-sandbox"), since=LONG_AGO).status_code == 403
    unknown = reconcile(cpf=DAVI)
    assert (unknown.status_code, unknown.headers["Error-Code"]) == (404, "crm-account-unknown")
    for run in ("x", "0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e6f"):
        assert refusal(http.get(f"{PATH}/{run}", headers=bearer(issuer.admin()))) == (404, "reconcile-unknown")


def test_without_a_crm_no_run_is_opened(settings: Settings, database_url: str, issuer: Issuer, sql: Sql) -> None:
    alone = settings.model_copy(update={"crm_url_override": ""})
    with RunningServer(app.build_application(alone, database_url, ["registry"])) as running:
        for body in ({"since": LONG_AGO}, {"cpf": BRUNO}):
            answer = httpx.post(running.url + PATH, json=body, headers=bearer(issuer.admin()), timeout=PATIENCE)
            assert (*refusal(answer), set(answer.json())) == (503, "crm-not-configured", {"error"})
    assert sql("SELECT FROM registry.crm_reconciliation WHERE state = 'running'") == []


@pytest.mark.cases("registry", "Q8")
@pytest.mark.parametrize("mode", ["misdirected", "garbage"])
def test_a_crm_that_answers_with_other_people_or_nonsense_feeds_nothing(
    reconcile: Reconcile, crm: RunningCrm, sql: Sql, mode: str
) -> None:
    crm.faults({"mode": mode, "operation": "query"})
    before = sql("SELECT count(*) FROM registry.crm_event")
    answer = reconcile(cpf=BRUNO)
    assert (answer.status_code, answer.headers["Error-Code"]) == (502, "crm-away")
    assert sql("SELECT count(*) FROM registry.crm_event") == before


def test_runs_are_kept_for_ninety_days(
    reconcile: Reconcile, crm: RunningCrm, drain: Drain, sql: Sql, settings: Settings, database_url: str
) -> None:
    runs = []
    for _ in range(2):
        runs.append(reconcile(since=now()).json()["id"])
        drain()
    age = "UPDATE registry.crm_reconciliation SET finished_at = now() - make_interval(days => $2) WHERE id::text = $1"
    for run, days in zip(runs, (91, 89), strict=True):
        sql(age, run, days)
    with acting(settings, database_url, retention.OPERATION) as act:
        act(retention.run_retention, FEATURE.retention)
    kept = {row["id"] for row in sql("SELECT id::text FROM registry.crm_reconciliation")}
    assert [run in kept for run in runs] == [False, True]
