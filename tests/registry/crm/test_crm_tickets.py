"""Tests for the citizen's CRM tickets over HTTP, against the sandbox CRM (rules: registry 2.11, 4.11)."""

import itertools
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from balcao import app
from balcao.core.values.cpf import Cpf
from balcao.settings import Settings
from tests.support.body_shapes import INSTANT, Optional, differences
from tests.support.crm import RunningCrm
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import size
from tests.support.refusals import refusal
from tests.support.server import RunningServer

BASE = "/registry/v1/crm/chamados"
CARLA, DAVI, BRUNO = "90000000337", "90000000418", "90000000256"
NUMBER = "PA-2026-00000337"
STEP = {"data": Optional(INSTANT), "descricao": Optional(str)}
ORDER = {
    "numero": str,
    "status": Optional(str),
    "dataAbertura": Optional(INSTANT),
    "dataFechamento": Optional(INSTANT),
    "endereco": Optional(str),
    "previsaoSLA": Optional(str),
    "andamentos": [STEP],
}
TICKET = {
    "protocolo": str,
    "categoria": Optional(str),
    "subcategoria": Optional(str),
    "dataAbertura": Optional(INSTANT),
    "dataUltimaAtualizacao": Optional(INSTANT),
    "status": Optional(str),
    "origem": Optional(str),
    "ordens_de_servico": [ORDER],
}
Read = Callable[..., httpx.Response]
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def settings(running_crm: RunningCrm) -> Settings:
    return running_crm.settings


@pytest.fixture
def read(http: httpx.Client, issuer: Issuer) -> Read:
    """Return a function that reads tickets with the person's token, unless another token is given."""

    def call(cpf: str = CARLA, number: str | None = None, token: str | None = None, **headers: str) -> httpx.Response:
        path = BASE if number is None else f"{BASE}/{number}"
        return http.get(path, headers=bearer(token or issuer.person(cpf)) | headers)

    return call


@pytest.mark.cases("registry", "K1")
def test_a_citizen_sees_their_tickets_with_orders_and_progress_the_newest_first(read: Read, crm: RunningCrm) -> None:
    answer = read()
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store, private")
    assert differences(answer.json(), {"protocolos": [TICKET]}) == []
    newest, oldest = answer.json()["protocolos"]
    assert (newest["protocolo"], oldest["protocolo"]) == (NUMBER, "PA-2025-00001204")
    [order] = newest["ordens_de_servico"]
    assert (order["numero"], order["dataFechamento"]) == ("OS-2026-00000337", None)
    assert [step["descricao"] for step in order["andamentos"]] == [
        "Ordem aberta para a equipe de iluminação",
        "Visita agendada",
    ]
    assert oldest["ordens_de_servico"][0]["dataFechamento"] == "2025-10-09T10:30:00Z"
    assert read(number=NUMBER).json() == newest
    assert read(**{"If-None-Match": answer.headers["ETag"]}).status_code == 304


@pytest.mark.cases("registry", "K2")
def test_who_has_no_account_has_no_tickets(read: Read, crm: RunningCrm) -> None:
    assert (read(DAVI).status_code, read(DAVI).json()) == (200, {"protocolos": []})


@pytest.mark.cases("registry", "K3")
def test_another_persons_ticket_is_as_unknown_as_one_that_does_not_exist(read: Read, crm: RunningCrm) -> None:
    answers = [read(BRUNO, number) for number in (NUMBER, "PA-2026-99999999", "pa-2026-00000337", "x", "A'--")]
    assert {refusal(answer) for answer in answers} == {(404, "ticket-unknown")}
    assert len({answer.content for answer in answers}) == 1


@pytest.mark.cases("registry", "K3")
def test_a_number_that_no_ticket_can_have_is_not_put_to_the_crm(read: Read, crm: RunningCrm) -> None:
    for number in ("PA-2026-0000033", "PA-2026-00000337x", "P-2026-00000337", "PA-2026-00000337' OR CPF__c = 'x"):
        assert refusal(read(number=number)) == (404, "ticket-unknown")
    assert crm.operations() == []


@pytest.mark.cases("registry", "K4")
def test_a_machine_and_a_login_without_cpf_have_no_tickets_of_their_own(
    read: Read, issuer: Issuer, crm: RunningCrm
) -> None:
    for token in (issuer.machine("balcao-platform"), issuer.login()):
        answer = read(token=token)
        assert (answer.status_code, answer.headers["Error-Code"]) == (401, "token-without-cpf")
    assert crm.operations() == []


FAULTS: dict[str, list[dict[str, Any]]] = {
    "errors": [{"mode": "error", "operation": "query"}],
    "garbage": [{"mode": "garbage", "operation": "query"}],
    "lost connections": [{"mode": "reset", "operation": "query"}],
    "other people's records": [{"mode": "misdirected", "operation": "query"}],
    "a limit for an hour": [{"mode": "rate_limit", "operation": "query", "retry_after": 3600}],
}


@pytest.mark.cases("registry", "K5")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_crm_that_fails_is_502(
    crm: RunningCrm, settings: Settings, database_url: str, issuer: Issuer, fault: str
) -> None:
    """Each fault gets a new server, because a fault opens the server's circuit."""
    crm.faults(*FAULTS[fault])
    with RunningServer(app.build_application(settings, database_url, ["registry"])) as fresh:
        for path in (BASE, f"{BASE}/{NUMBER}"):
            answer = httpx.get(fresh.url + path, headers=bearer(issuer.person(BRUNO)), timeout=PATIENCE)
            assert (answer.status_code, answer.headers["Error-Code"]) == (502, "crm-away"), fault
            assert set(answer.json()) == {"error"}


def test_a_read_of_ones_own_tickets_leaves_no_event_and_stores_nothing(read: Read, crm: RunningCrm, sql: Sql) -> None:
    before = sql("SELECT count(*) FROM platform.audit_event")
    assert read().status_code == 200
    assert sql("SELECT count(*) FROM platform.audit_event") == before


plans = st.lists(
    st.tuples(st.sampled_from([0, 1, 2]), st.lists(st.integers(0, 3), max_size=3)),  # the owner, and each order's steps
    max_size=6,
)


@pytest.mark.long
@pytest.mark.cases("registry", "K6")
@examples(max_examples=size(8, 300), suppress_health_check=list(HealthCheck))
@given(plan=plans)
def test_everybody_sees_exactly_what_the_crm_has_of_them(
    read: Read, running_crm: RunningCrm, plan: list[tuple[int, list[int]]]
) -> None:
    """The plan mixes random tickets, orders and steps of several people."""
    people = [Cpf.with_stem(f"95{next(_numbers):07}").digits for _ in range(3)]
    wanted: dict[str, dict[str, dict[str, int]]] = {cpf: {} for cpf in people}
    for owner, orders in plan:
        cpf, ticket = people[owner], f"PA-2026-{next(_numbers):08}"
        of = {"AccountId": "001", "CPF__c": cpf}
        running_crm.insert("Case", CaseNumber=ticket, Status="Aberto", **of)
        for steps in orders:
            number = f"OS-{next(_numbers)}"
            running_crm.insert("WorkOrder", WorkOrderNumber=number, Protocolo__c=ticket, **of)
            for _ in range(steps):
                step = {"NumeroOrdem__c": number, "Protocolo__c": ticket, "Descricao__c": "x"}
                running_crm.insert("AndamentoOrdem__c", **step, **of)
            wanted[cpf].setdefault(ticket, {})[number] = steps
        wanted[cpf].setdefault(ticket, {})
    for cpf in people:
        shown = read(cpf).json()["protocolos"]
        assert [ticket["protocolo"] for ticket in shown] == list(reversed(wanted[cpf]))
        assert {
            ticket["protocolo"]: {order["numero"]: len(order["andamentos"]) for order in ticket["ordens_de_servico"]}
            for ticket in shown
        } == wanted[cpf]
        for ticket in shown:
            assert read(cpf, ticket["protocolo"]).json() == ticket
