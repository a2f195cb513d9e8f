"""The exchange of requests with the CRM: no request is lost or duplicated (rules: registry 4.20)."""

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from balcao import app
from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import Worker
from balcao.core.values.clock import format_rfc3339
from balcao.crm.circuit import Circuit
from balcao.crm.client import CrmClient
from balcao.settings import Settings
from tests.registry.requests.conftest import ANSWERS, DUE, Citizen, Staff
from tests.support.crm import RunningCrm
from tests.support.fixture_types import Sql
from tests.support.proof_sizes import FULL
from tests.support.refusals import refusal
from tests.support.sample_files import photo

Work = Callable[..., None]
Citizens = Callable[[], Citizen]
Poll = Callable[[], None]
POLL = "INSERT INTO queue.pgqueuer (priority, entrypoint, status) VALUES (0, 'crm_requests', 'queued')"
DAY = 86_400.0
NEXT = """
SELECT extract(epoch FROM execute_after - now())::float8, status::text FROM queue.pgqueuer
WHERE entrypoint = 'crm_request'
"""
STUCK = "SELECT entrypoint, status FROM queue.pgqueuer"
LEFT = "SELECT count(*) FROM queue.pgqueuer WHERE entrypoint = 'crm_request'"
DEAD = "SELECT count(*) FROM queue.pgqueuer WHERE entrypoint = 'crm_request' AND status = 'failed'"


@pytest.fixture(scope="module")
def settings(running_crm: RunningCrm) -> Settings:
    return running_crm.settings


@pytest.fixture(autouse=True)
def _clean(sql: Sql, crm: RunningCrm) -> None:
    """Start each test without jobs, faults and cases. For a new CRM, the poll starts at its first case."""
    sql("DELETE FROM queue.pgqueuer")
    sql("UPDATE registry.request_poll SET moment = '2000-01-01Z', after_id = ''")


@pytest.fixture
def poll(work: Work, sql: Sql) -> Callable[[], None]:
    def run() -> None:
        sql(POLL)
        work()

    return run


def steps(request: Any) -> list[tuple[str | None, str | None, str]]:
    return [(step["state"], step["text"], step["author"]) for step in request["steps"]]


def test_a_request_becomes_one_case_and_gets_its_protocol(citizen: Citizen, crm: RunningCrm, work: Work) -> None:
    number = citizen.opened(answers=ANSWERS | {"mais": "Perto da padaria."})["number"]
    work()
    (case,) = crm.cases()
    assert (case["NumeroPedido__c"], case["CPF__c"], case["Origin"]) == (number, citizen.cpf, "Portal")
    assert (case["Type"], case["Subcategoria__c"]) == ("Iluminação pública", "Lâmpada apagada")
    assert "Onde fica? Rua das Acácias, 120, Centro" in case["Description"]
    (account,) = crm.accounts(citizen.cpf)
    assert case["AccountId"] == account["Id"]
    read = citizen.read(number).json()
    assert (read["state"], read["protocol"]) == ("sent", case["CaseNumber"])
    assert citizen.list()["data"][0]["id_chamado"] == case["CaseNumber"]
    work()
    assert len(crm.cases()) == 1


def test_a_request_without_login_becomes_a_case_of_no_person(http: httpx.Client, crm: RunningCrm, work: Work) -> None:
    body = {"type": "lampada", "version": 1, "answers": ANSWERS}
    receipt = http.post("/registry/v1/maintenance-requests", json=body).json()
    work()
    (case,) = crm.cases()
    assert (case["NumeroPedido__c"], case["CPF__c"], case["AccountId"]) == (receipt["number"], None, None)
    followed = http.post("/registry/v1/maintenance-requests/follow", json=receipt).json()
    assert followed["state"] == "sent"


def test_the_text_of_an_answer_ends_with_the_number_of_its_files(
    citizen: Citizen, admin: Staff, crm: RunningCrm, work: Work
) -> None:
    number = citizen.opened()["number"]
    for text in ("Segue.", "x" * 2_000):
        admin.moved(number, "needs_information", "Pode mandar uma foto?")
        sent = {"text": text, "files": [citizen.store(photo(16, 16))]}
        citizen.act(number, "answer", sent).raise_for_status()
    work()
    (case,) = crm.cases()
    added = "\n(1 arquivo)"
    texts = [step["Texto__c"] for step in case["steps"] if step["Autor__c"] == "citizen"]
    assert texts == [f"Segue.{added}", "x" * (2_000 - len(added)) + added]


@pytest.mark.long
def test_the_crm_carries_the_case_to_its_end(citizen: Citizen, crm: RunningCrm, work: Work, poll: Poll) -> None:
    number = citizen.opened()["number"]
    work()
    for status, message in [
        ("Em andamento", None),
        ("Aguardando informação", "Qual é a plaqueta?"),
        ("Aguardando informação", "E a rua?"),
    ]:
        crm.move(number, status, message)
        poll()
        poll()  # a second poll changes nothing
    citizen.act(number, "answer", {"text": "4711, Rua das Acácias."})
    poll()  # the CRM still has the question, and the answer is in flight
    assert citizen.state(number) == "in_progress"
    work()
    (case,) = crm.cases()
    assert case["Status"] == "Em andamento"
    assert [(step["Estado__c"], step["Texto__c"], step["Autor__c"]) for step in case["steps"]] == [
        ("in_progress", "4711, Rua das Acácias.", "citizen")
    ]
    crm.move(number, "Fechado com solução", "Trocada.")
    poll()
    assert steps(citizen.read(number).json()) == [
        ("received", None, "citizen"),
        ("sent", None, "platform"),
        ("in_progress", None, "crm"),
        ("needs_information", "Qual é a plaqueta?", "crm"),
        ("needs_information", "E a rua?", "crm"),
        ("in_progress", "4711, Rua das Acácias.", "citizen"),
        ("done", "Trocada.", "crm"),
    ]
    citizen.act(number, "reopening", {"text": "Apagou de novo."})
    work()
    assert crm.cases()[0]["Status"] == "Aberto"
    crm.move(number, "Em andamento")
    poll()
    assert citizen.state(number) == "in_progress"


def test_what_staff_do_here_reaches_the_crm_once(
    citizen: Citizen, crm: RunningCrm, work: Work, poll: Poll, admin: Staff
) -> None:
    number = citizen.opened()["number"]
    admin.moved(number, "in_progress", "Já vamos.")
    admin.moved(number, "done", "Pronto.")
    work()
    (case,) = crm.cases()
    assert case["Status"] == "Fechado com solução"
    assert [step["Chave__c"] for step in case["steps"]] == [f"{number}|2", f"{number}|3"]
    poll()
    read = citizen.read(number).json()
    assert (read["state"], read["protocol"], len(read["steps"])) == ("done", case["CaseNumber"], 3)


FAULTS: dict[str, dict[str, Any]] = {
    "error": {"mode": "error"},
    "busy": {"mode": "rate_limit", "retry_after": 1},
    "maintenance page": {"mode": "garbage"},
    "lost before": {"mode": "reset", "applied": "before"},
    "lost after": {"mode": "reset", "applied": "after"},
    "duplicates": {"mode": "duplicate", "operation": "upsert"},
    "misdirected": {"mode": "misdirected", "operation": "query"},
    "expired token": {"mode": "expired_token"},
}
SILENT = {"mode": "latency", "ms": 60_000}
DAYS = FAULTS | {"silent": SILENT}


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_no_fault_of_the_crm_loses_or_doubles_a_request(
    citizens: Citizens, crm: RunningCrm, work: Work, sql: Sql, fault: dict[str, Any]
) -> None:
    people = [citizens() for _ in range(3)]
    for place, person in enumerate(people):
        if place < 2:  # the third person has no account yet
            crm.upsert("Account", "CPF__c", person.cpf, LastName="Pessoa")
    made = {person.opened()["number"]: person for person in people}
    crm.faults({**fault, "probability": 0.5, "seed": 7, "times": 8})
    work(12)
    assert not sql(LEFT)[0][0]
    assert sorted(case["NumeroPedido__c"] for case in crm.cases()) == sorted(made)
    for case in crm.cases():
        person = made[case["NumeroPedido__c"]]
        assert case["CPF__c"] == person.cpf
        read = person.read(case["NumeroPedido__c"]).json()
        assert (read["state"], read["protocol"]) == ("sent", case["CaseNumber"])
        assert len(crm.accounts(person.cpf)) == 1


@pytest.mark.long
def test_a_crm_that_never_answers_in_time_is_asked_again_later(citizen: Citizen, crm: RunningCrm, work: Work) -> None:
    number = citizen.opened()["number"]
    crm.faults({**SILENT, "times": 1, "operation": "query"})
    work(1)
    assert citizen.state(number) == "received"
    work()
    assert (citizen.state(number), len(crm.cases())) == ("sent", 1)


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["error", "maintenance page", "duplicates", "misdirected", "silent"] if FULL else ["error"]
)
async def test_a_request_survives_a_day_of_a_fault_and_is_then_sent(
    citizen: Citizen, crm: RunningCrm, sql: Sql, platform: Platform, name: str
) -> None:
    """The worker computes the real delays, and the test makes each job due immediately.

    The circuit breaker never opens, because a job that waits for it uses no attempt.
    """
    number = await asyncio.to_thread(lambda: citizen.opened()["number"])
    crm.faults(DAYS[name])
    transport = platform.part(CrmClient)._transport
    assert transport is not None
    transport._http.timeout = httpx.Timeout(0.2)  # a silent CRM uses up the whole time limit of every call
    worker, waited, tries = Worker(platform.database, app.list_job_kinds(), platform), 0.0, 0
    while waited < DAY:
        platform.part(CrmClient).circuit = Circuit()
        await asyncio.to_thread(sql, POLL)  # the job that reads the CRM's cases must not be dead-lettered either
        await asyncio.to_thread(sql, DUE)
        await worker.drain()
        ((wait, status),) = await asyncio.to_thread(sql, NEXT)
        assert status == "queued"
        waited, tries = waited + wait, tries + 1
    assert tries > 8
    crm.faults()
    await asyncio.to_thread(sql, DUE)
    await worker.drain()
    assert await asyncio.to_thread(sql, STUCK) == []
    assert await asyncio.to_thread(citizen.state, number) == "sent"
    assert len(crm.cases()) == 1


def test_after_the_last_try_the_job_waits_for_an_operator_and_then_sends(
    citizen: Citizen, crm: RunningCrm, work: Work, sql: Sql, http: httpx.Client, admin: Staff
) -> None:
    number = citizen.opened()["number"]
    crm.faults({"mode": "error", "operation": "upsert", "code": "UNKNOWN_EXCEPTION"})
    work(crm_push_attempts=1)
    assert sql(DEAD)[0][0] == 1
    dead = http.get("/registry/v1/admin/jobs/dead-letters?kind=crm_request", headers=admin.headers).json()["data"]
    assert [one["fields"] for one in dead] == [["requests"]]
    crm.faults()
    http.post(f"/registry/v1/admin/jobs/dead-letters/{dead[0]['id']}/retry", headers=admin.headers).raise_for_status()
    work()
    assert (citizen.state(number), len(crm.cases())) == ("sent", 1)


def test_after_the_last_job_was_dropped_the_crm_changes_the_request_again(
    citizen: Citizen, crm: RunningCrm, work: Work, poll: Poll, sql: Sql, http: httpx.Client, admin: Staff
) -> None:
    number = citizen.opened()["number"]
    work()
    crm.faults({"mode": "error", "operation": "upsert", "code": "UNKNOWN_EXCEPTION"})
    for text in ("Estamos a caminho.", "Chegamos amanhã."):
        admin.step(number, text=text).raise_for_status()
    work(crm_push_attempts=1)
    letters = "/registry/v1/admin/jobs/dead-letters"
    first, second = (
        http.get(letters, params={"kind": "crm_request"}, headers=admin.headers).raise_for_status().json()["data"]
    )
    crm.faults()
    crm.move(number, "Fechado com solução")

    def drop(letter: dict[str, str]) -> str:
        path, reason = f"{letters}/{letter['id']}", {"reason": "O CRM recusa."}
        http.delete(path, params=reason, headers=admin.headers).raise_for_status()
        poll()
        return citizen.state(number)

    assert drop(first) == "sent"  # the other job may be retried, and then sends both steps
    assert drop(second) == "done"
    assert sql(LEFT)[0][0] == 0


def test_two_workers_at_once_make_one_case(
    citizen: Citizen, crm: RunningCrm, work: Work, sql: Sql, admin: Staff
) -> None:
    """Two workers run the same job, as happens when a slow worker has lost its lease."""
    number = citizen.opened()["number"]
    admin.moved(number, "in_progress")
    sql("INSERT INTO queue.pgqueuer (priority, entrypoint, payload, status) SELECT 0, entrypoint, payload, 'queued' "
        "FROM queue.pgqueuer, generate_series(1, 4) WHERE entrypoint = 'crm_request'")  # fmt: skip
    crm.faults({"mode": "latency", "ms": 50})
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (case,) = crm.cases()
    assert len(case["steps"]) == 1
    assert [state for state, _, _ in steps(citizen.read(number).json())] == ["received", "in_progress"]


@pytest.mark.long
@pytest.mark.parametrize("record", [{"CPF__c": "90000000256"}, {"NumeroPedido__c": "PED-1"}])
def test_a_case_of_another_person_or_number_is_never_taken_over(
    citizen: Citizen, crm: RunningCrm, work: Work, poll: Poll, record: dict[str, Any]
) -> None:
    """The CRM confuses its records.

    The case for a request has the CPF of another person or the number of another request.
    """
    number = citizen.opened()["number"]
    work()
    (case,) = crm.cases()
    crm.change("Case", case["Id"], **record)
    crm.change("Case", case["Id"], Status="Fechado com solução", Mensagem__c="Segredo de outra pessoa")
    poll()
    read = citizen.read(number)
    assert read.json()["state"] == "sent"
    assert "Segredo" not in read.text


def test_a_protocol_is_never_replaced(citizen: Citizen, crm: RunningCrm, work: Work, poll: Poll) -> None:
    number = citizen.opened()["number"]
    work()
    (case,) = crm.cases()
    crm.change("Case", case["Id"], CaseNumber="PA-2026-00000001", Status="Fechado com solução")
    poll()
    read = citizen.read(number).json()
    assert (read["state"], read["protocol"]) == ("sent", case["CaseNumber"])


def test_nothing_is_sent_of_an_erased_person(
    citizen: Citizen, crm: RunningCrm, work: Work, http: httpx.Client, sql: Sql
) -> None:
    citizen.opened()
    base = f"/registry/v1/citizen/{citizen.cpf}/anonymisation"
    rehearsal = http.post(base, json={"dry_run": True}, headers=citizen.headers).json()
    body = {"dry_run": False, "confirmation": rehearsal["confirmation"]}
    http.post(base, json=body, headers=citizen.headers).raise_for_status()
    work()
    assert (crm.cases(), sql(LEFT)[0][0]) == ([], 0)


def test_without_a_push_the_requests_wait_and_staff_work_on(
    citizen: Citizen, crm: RunningCrm, work: Work, admin: Staff, sql: Sql
) -> None:
    number = citizen.opened()["number"]
    work(crm_push=False)
    assert (crm.cases(), citizen.state(number)) == ([], "received")
    admin.moved(number, "done")
    work()
    assert [case["Status"] for case in crm.cases()] == ["Fechado com solução"]
    assert citizen.state(number) == "done"


def test_a_poll_reads_many_pages_and_goes_on_where_it_stopped(
    citizens: Citizens, crm: RunningCrm, work: Work, poll: Poll, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("balcao.crm.cases.PAGE", 2)
    made = [(person, person.opened()["number"]) for person in (citizens() for _ in range(5))]
    work()
    for _, number in made:
        crm.move(number, "Em andamento")
    poll()
    assert {person.state(number) for person, number in made} == {"in_progress"}
    crm.move(made[0][1], "Cancelado")
    poll()
    person, number = made[0]
    assert steps(person.read(number).json())[-1][0] == "refused"
    assert steps(person.read(number).json())[-1][1]
    assert refusal(person.act(number, "answer", {"text": "x"})) == (409, "request-not-asked")


def test_a_poll_that_runs_out_of_pages_resumes_after_its_last_case(
    citizens: Citizens, crm: RunningCrm, work: Work, sql: Sql, poll: Poll, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More cases change within a second than a poll reads, as in a bulk update of the CRM."""
    monkeypatch.setattr("balcao.crm.cases.PAGE", 2)
    monkeypatch.setattr("balcao.registry.requests.lifecycle.polling.MOST_PAGES", 2)
    made = [(person, person.opened()["number"]) for person in (citizens() for _ in range(7))]
    work()
    at = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=5)
    _set_clock(monkeypatch, at)
    for _, number in made:
        crm.move(number, "Em andamento")
    sql("UPDATE registry.request SET crm_changed_at = NULL")  # the sandbox's clock was set back
    sql("UPDATE registry.request_poll SET moment = $1, after_id = ''", at + timedelta(seconds=1))
    for _ in range(4):  # two are enough unless a call to the CRM times out
        poll()
    assert {person.state(number) for person, number in made} == {"in_progress"}
    _set_clock(monkeypatch, at - timedelta(seconds=30))  # a change that became visible late
    crm.move(made[0][1], "Cancelado")
    sql("UPDATE registry.request SET crm_changed_at = NULL")
    poll()
    assert made[0][0].state(made[0][1]) == "refused"


def test_a_poll_does_not_pass_recent_changes_before_it_has_read_the_last(
    citizens: Citizens, crm: RunningCrm, work: Work, sql: Sql, poll: Poll, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change that is older than a case that the poll has read may still become visible."""
    monkeypatch.setattr("balcao.crm.cases.PAGE", 2)
    monkeypatch.setattr("balcao.registry.requests.lifecycle.polling.MOST_PAGES", 1)
    made = [(person, person.opened()["number"]) for person in (citizens() for _ in range(4))]
    work()
    at = datetime.now(UTC) + timedelta(hours=1)  # the clock of the CRM may be ahead, too
    _set_clock(monkeypatch, at)
    for _, number in made[:3]:
        crm.move(number, "Em andamento")
    poll()
    _set_clock(monkeypatch, at - timedelta(seconds=1))
    crm.move(made[3][1], "Em andamento")
    sql("UPDATE registry.request SET crm_changed_at = NULL")
    poll()
    assert made[3][0].state(made[3][1]) == "in_progress"


def _set_clock(monkeypatch: pytest.MonkeyPatch, at: datetime) -> None:
    """Set the time of the sandbox CRM's changes."""
    monkeypatch.setattr("balcao_sandbox.crm.records.Records.now", lambda _: format_rfc3339(at))


@pytest.mark.long
def test_a_failing_poll_loses_no_change(citizen: Citizen, crm: RunningCrm, work: Work, poll: Poll) -> None:
    number = citizen.opened()["number"]
    work()
    crm.move(number, "Em andamento")
    crm.faults({"mode": "misdirected"}, {"mode": "garbage"})
    poll()
    assert citizen.state(number) == "sent"
    crm.faults()
    poll()
    assert citizen.state(number) == "in_progress"
