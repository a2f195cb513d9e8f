"""The registry does not accept another person's record from the CRM (rules: registry 4.6).

With the sandbox's fault `misdirected`, every query returns the records of the first person.
"""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from balcao import app
from balcao.settings import Settings
from tests.registry.conftest import Own
from tests.support.crm import RunningCrm
from tests.support.demo_people import ANA
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import Issuer, bearer
from tests.support.operations import Served, all_operations
from tests.support.polling import PATIENCE, until_now
from tests.support.refusals import refusal
from tests.support.server import RunningServer

# Carla's account is the second in the CRM. Davi has no account.
CARLA, DAVI = "90000000337", "90000000418"
MISDIRECTED = {"mode": "misdirected", "operation": "query"}
CONSENT = {"categoria": "saude", "canal": "whatsapp", "acao": "optout", "motivo": "Mensagens demais"}
# The bodies for the operations that call the CRM while the caller waits.
BODIES: dict[str, Any] = {
    "registry.validate_login": None,
    "registry.read_crm_account": None,
    "registry.change_crm_consent": CONSENT,
    "registry.export_crm_account": None,
    "registry.request_crm_anonymisation": None,
    "registry.read_crm_anonymisation": None,
    "registry.list_crm_tickets": None,
    "registry.read_crm_ticket": None,
    "registry.reconcile_crm": {"cpf": CARLA},
}
CALLING: dict[str, Served] = {one.operation.key: one for one in all_operations() if one.operation.calls_crm}


@pytest.fixture(scope="module")
def settings(running_crm: RunningCrm) -> Settings:
    return running_crm.settings


@pytest.fixture
def fresh(crm: RunningCrm, settings: Settings, database_url: str) -> Iterator[str]:
    """Yield the address of a new server. After a few misdirected responses, a server opens its circuit breaker."""
    with RunningServer(app.build_application(settings, database_url, ["registry"])) as running:
        yield running.url


@pytest.fixture
def crowd(crm: RunningCrm) -> None:
    """Create another person's account, ticket and completed anonymisation request."""
    account = crm.insert("Account", CPF__c=ANA, LastName="Moreira")
    crm.insert("Case", CaseNumber="PA-2026-00000175", CPF__c=ANA, AccountId=account)
    filed = crm.insert("SolicitacaoAnonimizacao__c", Conta__c=account, CPF__c=ANA)
    query = f"SELECT Status__c FROM SolicitacaoAnonimizacao__c WHERE Id = '{filed}'"
    until_now(lambda: crm.query(query)[0]["Status__c"] == "concluido")


@pytest.fixture
def everything(crm: RunningCrm, sql: Sql) -> Callable[[], Any]:
    """Return a function that reads the data of all people in the CRM and the registry."""
    tables = ("mirror_head", "register", "wording", "crm_consentimentos", "crm_event")
    return lambda: (
        crm.switch.get("/accounts").json(),
        [sql(f"SELECT * FROM registry.{table} ORDER BY 1, 2") for table in tables],
    )


def test_every_operation_that_asks_the_crm_is_tried() -> None:
    assert set(CALLING) == set(BODIES)


@pytest.mark.cases("registry", "L10")
@pytest.mark.usefixtures("crowd")
@pytest.mark.parametrize("cpf", [CARLA, pytest.param(DAVI, marks=pytest.mark.long)])
@pytest.mark.parametrize("key", BODIES)
def test_no_operation_shows_or_writes_what_is_somebody_elses(
    fresh: str, crm: RunningCrm, issuer: Issuer, everything: Callable[[], Any], key: str, cpf: str
) -> None:
    crm.switch.delete("/requests")
    crm.faults(MISDIRECTED)
    before = everything()
    path = CALLING[key].filled(cpf=cpf, numero="99999999", protocolo="PA-2026-99999999")
    token = issuer.admin() if key == "registry.reconcile_crm" else issuer.person(cpf, email="nova@casa.example")
    answer = httpx.request(CALLING[key].method, fresh + path, json=BODIES[key], headers=bearer(token), timeout=PATIENCE)
    assert (refusal(answer), set(answer.json())) == ((502, "crm-away"), {"error"})
    assert set(crm.operations()) == {"query"}
    assert everything() == before


@pytest.mark.cases("registry", "L10")
def test_a_push_writes_into_nobodys_account_until_the_crm_answers_of_the_person(
    own: Own, send: Callable[..., None], crm: RunningCrm, sql: Sql
) -> None:
    own(CARLA, nomeExibicao="Carlinha")
    crm.switch.delete("/requests")
    crm.faults(MISDIRECTED)
    before = crm.switch.get("/accounts").json()
    send()
    assert (crm.switch.get("/accounts").json(), set(crm.operations())) == (before, {"query"})
    assert sql("SELECT dirty ? 'nomeExibicao' AS waits FROM registry.outbox WHERE cpf = $1", CARLA)[0]["waits"]
    crm.faults()
    send()
    assert crm.accounts(CARLA)[0]["NomeExibicao__c"] == "Carlinha"


@pytest.mark.cases("registry", "L10")
def test_a_reconciliation_of_all_feeds_nothing_until_the_crm_answers_of_whom_it_asks(
    http: httpx.Client, issuer: Issuer, crm: RunningCrm, drain: Drain, sql: Sql
) -> None:
    """The first query, which lists the changed people, is not misdirected. Only the queries for their data are."""
    crm.insert("Account", CPF__c=ANA, LastName="Moreira")
    crm.faults({"mode": "latency", "operation": "query", "times": 1}, MISDIRECTED)
    run = http.post(
        "/registry/v1/admin/crm/reconcile", json={"since": "2026-02-01T00:00:00Z"}, headers=bearer(issuer.admin())
    )
    assert run.status_code == 202, run.text
    count = "SELECT count(*) FROM registry.crm_event"
    before = sql(count)
    drain()
    assert sql(count) == before
    crm.faults()
    sql("UPDATE queue.pgqueuer SET execute_after = now() WHERE entrypoint = 'crm_reconcile' AND status = 'queued'")
    drain()
    assert sql("SELECT cpf FROM registry.crm_event WHERE cpf = $1", ANA) != []
