"""Login sync against the sandbox CRM over HTTP (registry document, cases L1-L9)."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from balcao import app
from balcao.settings import Settings
from tests.support.crm import RunningCrm, crm_settings
from tests.support.issuer import Issuer, bearer
from tests.support.server import RunningServer

PATH = "/registry/v1/auth/validate"
BRUNO = "90000000256"
CARLA = "90000000337"
DAVI = "90000000418"
JOAO = "90000001066"


@pytest.fixture(scope="module")
def running_crm(tmp_path_factory: pytest.TempPathFactory, issuer: Issuer) -> Iterator[RunningCrm]:
    with RunningCrm(crm_settings(tmp_path_factory.mktemp("crm"), auth_issuer=issuer.address)) as running:
        yield running


@pytest.fixture(scope="module")
def settings(running_crm: RunningCrm) -> Settings:
    return running_crm.settings


@pytest.fixture
def crm(running_crm: RunningCrm) -> RunningCrm:
    running_crm.reset()
    return running_crm


@pytest.fixture
def login(http: httpx.Client, issuer: Issuer) -> Callable[..., httpx.Response]:
    def call(cpf: str, **claims: Any) -> httpx.Response:
        return http.get(PATH, headers=bearer(issuer.person(cpf, **claims)))

    return call


def changes(crm: RunningCrm, cpf: str) -> list[dict[str, Any]]:
    return [row for row in crm.requests(cpf=cpf) if row["operation"] in {"update", "upsert", "create"}]


def test_an_account_with_the_same_email_in_other_case_is_matched_untouched(login, crm) -> None:
    email = crm.accounts(BRUNO)[0]["PersonEmail"]
    answer = login(BRUNO, email=email.swapcase())
    assert (answer.status_code, answer.json()["action"]) == (200, "matched")
    assert set(answer.json()) == {"action", "cidadao"}
    assert changes(crm, BRUNO) == []


def test_another_email_is_patched_without_the_origin_account(login, crm) -> None:
    answer = login(CARLA, email="nova@casa.example")
    assert (answer.status_code, answer.json()["action"]) == (200, "matched")
    assert answer.json()["cidadao"]["email"] == "nova@casa.example"
    (change,) = changes(crm, CARLA)
    assert set(change["fields"]) == {"PersonEmail", "CanalUltimaModificacao__c"}
    assert crm.accounts(CARLA)[0]["PersonEmail"] == "nova@casa.example"


def test_a_first_login_creates_one_account_and_the_next_matches_it(login, crm) -> None:
    assert login(DAVI, name="Davi Furtado", email="davi@casa.example").json()["action"] == "created"
    assert login(DAVI, name="Davi Furtado", email="davi@casa.example").json()["action"] == "matched"
    (account,) = crm.accounts(DAVI)
    assert (account["ContaOrigem__c"], account["Idioma__c"]) == ("Portal", "Portugues_Brasil")


def test_the_answer_has_the_keys_of_the_specification_and_no_null(login, crm) -> None:
    cidadao = login(CARLA).json()["cidadao"]
    assert {"accountId", "cpf", "nome", "consentimento", "idioma", "isTourist", "endereco"} <= set(cidadao)
    assert "cidade" not in cidadao
    assert cidadao["cpf"] == CARLA
    assert all(value is not None for value in cidadao.values())
    assert isinstance(cidadao["isTourist"], bool)
    assert all(isinstance(entry, dict) for entry in cidadao["consentimento"])


def test_parallel_first_logins_make_one_account(login, crm) -> None:
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: login(DAVI, email="davi@casa.example"), range(20)))
    assert {answer.status_code for answer in answers} == {200}
    assert len(crm.accounts(DAVI)) == 1


def test_several_accounts_of_one_person_match_the_oldest(login, crm) -> None:
    accounts = crm.accounts(JOAO)
    oldest = min(accounts, key=lambda account: account["CreatedDate"])
    assert len(accounts) == 2
    assert login(JOAO).json()["cidadao"]["accountId"] == oldest["Id"]


def test_a_refused_email_change_is_not_the_users_affair(login, crm) -> None:
    before = crm.accounts(CARLA)[0]["PersonEmail"]
    crm.faults({"operation": "update", "mode": "error", "status": 500})
    answer = login(CARLA, email="nova@casa.example")
    assert (answer.status_code, answer.json()["action"]) == (200, "matched")
    assert answer.json()["cidadao"]["email"] == before


def test_a_rate_limit_and_an_expired_token_are_waited_out(login, crm) -> None:
    crm.faults({"operation": "query", "mode": "rate_limit", "retry_after": 1, "times": 1})
    assert login(BRUNO).status_code == 200
    crm.faults({"operation": "query", "mode": "expired_token", "times": 1})
    assert login(BRUNO).status_code == 200


def test_a_machine_cannot_log_in(http, issuer) -> None:
    answer = http.get(PATH, headers=bearer(issuer.machine("portal-cidadao")))
    assert (answer.status_code, set(answer.json())) == (401, {"error"})


def test_nothing_of_the_crm_is_stored(login, crm, sql) -> None:
    assert login(CARLA, email="nova@casa.example").status_code == 200
    for table in ("mirror_head", "register", "crm_consentimentos", "crm_event"):
        assert sql(f"SELECT FROM registry.{table} WHERE cpf = $1", CARLA) == []


@pytest.mark.parametrize(
    "fault",
    [
        {"mode": "reset"},
        {"mode": "garbage"},
        {"mode": "error", "status": 500},
        {"mode": "error", "status": 503, "code": "SERVER_UNAVAILABLE"},
        {"mode": "latency", "ms": 10_000},
    ],
    ids=lambda fault: fault["mode"],
)
def test_a_crm_that_fails_is_a_bad_gateway(settings, database_url, issuer, crm, fault: dict[str, Any]) -> None:
    crm.faults({"operation": "query"} | fault)
    with RunningServer(app.build(settings, database_url, ["registry"])) as running:  # a circuit of its own
        answer = httpx.get(f"{running.url}{PATH}", headers=bearer(issuer.person(BRUNO)), timeout=30)
    assert (answer.status_code, set(answer.json())) == (502, {"error"})
