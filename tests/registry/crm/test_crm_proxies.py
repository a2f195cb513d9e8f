"""Tests for the CRM proxies over HTTP, against the sandbox CRM (rules: registry 2.10)."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import httpx
import pytest

from balcao import app
from balcao.settings import Settings
from tests.support.body_shapes import INSTANT, OneOf, Optional, differences
from tests.support.crm import RunningCrm, crm_settings
from tests.support.demo_people import ANA
from tests.support.fixture_types import Ask, Drain, Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE, until_now
from tests.support.refusals import refusal
from tests.support.server import RunningServer

BASE = "/registry/v1/crm"
BRUNO, CARLA, DAVI, JOAO = "90000000256", "90000000337", "90000000418", "90000001066"
STRANGER = ANA
CONSENT = {"categoria": "saude", "canal": "whatsapp", "acao": "optout", "motivo": "Mensagens demais"}
PATHS = [
    ("GET", "/cidadao/{}"),
    ("PATCH", "/cidadao/{}/consentimento"),
    ("GET", "/cidadao/{}/exportar"),
    ("POST", "/cidadao/{}/anonimizar"),
]


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
def ask(http: httpx.Client, issuer: Issuer) -> Callable[..., httpx.Response]:
    """Return a function that calls with the person's token, unless another token is given."""

    def call(method: str, path: str, cpf: str = CARLA, token: str | None = None, **more: Any) -> httpx.Response:
        headers = bearer(token or issuer.person(cpf))
        body = more.pop("json", CONSENT if method == "PATCH" else None)
        return http.request(method, BASE + path.format(cpf), headers=headers, json=body, **more)

    return call


def consents(crm: RunningCrm, cpf: str = CARLA) -> dict[tuple[str, str | None], dict[str, Any]]:
    [account] = crm.accounts(cpf)
    return {(entry["Categoria__c"], entry["Canal__c"]): entry for entry in account["consents"]}


def mirrored(sql: Callable[..., Any], cpf: str = CARLA) -> list[tuple[Any, ...]]:
    columns = "categoria, canal, status, acao, finalidade, motivo, origin"
    return [
        tuple(row)
        for row in sql(f"SELECT {columns} FROM registry.crm_consentimentos WHERE cpf = $1 ORDER BY categoria", cpf)
    ]


def test_the_account_is_answered_as_the_crm_has_it_now(ask: Ask, crm: RunningCrm) -> None:
    answer = ask("GET", "/cidadao/{}")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store, private")
    found = answer.json()
    assert (found["cpf"], found["nome"], len(found["consentimento"])) == (CARLA, "Carla Nogueira", 3)
    assert "cidade" not in found
    assert None not in found.values()


@pytest.mark.long
@pytest.mark.parametrize(("method", "path"), PATHS, ids=lambda word: word.rsplit("/", 1)[-1])
def test_who_may_and_what_each_failure_answers(
    ask: Ask,
    http: httpx.Client,
    issuer: Issuer,
    crm: RunningCrm,
    settings: Settings,
    database_url: str,
    method: str,
    path: str,
) -> None:
    assert http.request(method, BASE + path.format(CARLA), json=CONSENT).status_code == 401
    refused = [ask(method, path, cpf, issuer.person(STRANGER)) for cpf in (CARLA, DAVI, "123")]
    assert [answer.status_code for answer in refused] == [403] * 3
    assert len({answer.text for answer in refused}) == 1
    assert refusal(ask(method, path, "123", issuer.admin())) == (400, "cpf-invalid")
    assert refusal(ask(method, path, DAVI)) == (404, "crm-account-unknown")
    assert crm.accounts(DAVI) == []
    for changed, faults, expected in (
        ({}, [{"mode": "error", "operation": "query"}], (502, "crm-away")),
        ({}, [{"mode": "garbage", "operation": "query"}], (502, "crm-away")),
        ({}, [{"mode": "reset", "operation": "query"}], (502, "crm-away")),
        ({"crm_url_override": ""}, [], (503, "crm-not-configured")),
    ):
        crm.faults(*faults)
        with RunningServer(
            app.build_application(settings.model_copy(update=changed), database_url, ["registry"])
        ) as running:
            headers = bearer(issuer.person(CARLA))
            url = f"{running.url}{BASE}{path.format(CARLA)}"
            answer = httpx.request(method, url, headers=headers, json=CONSENT, timeout=PATIENCE)
        assert refusal(answer) == expected
        assert set(answer.json()) == {"error"}


def test_a_read_by_staff_is_recorded_and_an_own_one_is_not(ask: Ask, issuer: Issuer, crm: RunningCrm, sql: Sql) -> None:
    count = "SELECT count(*) FROM platform.audit_event WHERE operation = 'registry.read_crm_account'"
    before = sql(count)[0][0]
    assert ask("GET", "/cidadao/{}").status_code == 200
    assert sql(count)[0][0] == before
    assert ask("GET", "/cidadao/{}", token=issuer.admin()).status_code == 200
    assert sql(count)[0][0] == before + 1


def test_a_confirmed_consent_is_in_the_crm_and_in_the_mirror(ask: Ask, crm: RunningCrm, sql: Sql) -> None:
    answer = ask("PATCH", "/cidadao/{}/consentimento")
    data = answer.json().pop("data")
    entry = {**CONSENT, "status": "OUT", "finalidade": "Campanhas de vacinação"}
    assert (answer.status_code, answer.json()) == (200, {**entry, "data": data})
    stored = consents(crm)["saude", "whatsapp"]
    kept = ("Status__c", "Motivo__c", "Finalidade__c", "Data__c")
    assert [stored[name] for name in kept] == ["OUT", CONSENT["motivo"], "Campanhas de vacinação", data]
    assert len(consents(crm)) == 3
    assert mirrored(sql) == [
        ("saude", "whatsapp", "OUT", "optout", "Campanhas de vacinação", "Mensagens demais", "citizen")
    ]
    again = {"categoria": "saude", "canal": "whatsapp", "acao": "optin", "motivo": "x", "finalidade": "Nova"}
    assert ask("PATCH", "/cidadao/{}/consentimento", json=again).json()["status"] == "IN"
    assert mirrored(sql) == [("saude", "whatsapp", "IN", "optin", "Nova", None, "citizen")]
    assert consents(crm)["saude", "whatsapp"]["Motivo__c"] is None


@pytest.mark.parametrize("canal", [None, "", "  "], ids=repr)
def test_a_consent_without_channel_is_one_of_its_own(ask: Ask, crm: RunningCrm, canal: str | None) -> None:
    body = {"categoria": "a/b.$ç", "acao": "optin", "canal": canal, "origem": "WhatsApp"}
    assert ask("PATCH", "/cidadao/{}/consentimento", json=body).json().keys() == {"categoria", "status", "acao", "data"}
    assert consents(crm)["a/b.$ç", None]["Chave__c"] == f"{CARLA}|a/b.$ç|"
    assert crm.accounts(CARLA)[0]["CanalUltimaModificacao__c"] == "WhatsApp"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"categoria": None}, "body-invalid"),
        ({"categoria": " "}, "categoria-length"),
        ({"categoria": 5}, "body-invalid"),
        ({"categoria": "x" * 101}, "categoria-length"),
        ({"categoria": "a|b"}, "categoria-invalid"),
        ({"canal": "a|b"}, "canal-invalid"),
        ({"canal": []}, "body-invalid"),
        ({"acao": None}, "body-invalid"),
        ({"acao": "OPTIN"}, "acao-invalid"),
        ({"acao": "sair"}, "acao-invalid"),
        ({"motivo": None}, "motivo-missing"),
        ({"motivo": " "}, "motivo-missing"),
        ({"motivo": "x" * 256}, "motivo-length"),
        ({"finalidade": "a\u0000b"}, "finalidade-control"),
        ({"origem": 1}, "body-invalid"),
    ],
    ids=str,
)
def test_a_consent_that_is_none_is_refused_and_asks_nothing_of_the_crm(
    ask: Ask, crm: RunningCrm, change: dict[str, Any], code: str
) -> None:
    answer = ask("PATCH", "/cidadao/{}/consentimento", json=CONSENT | change)
    assert (*refusal(answer), set(answer.json())) == (400, code, {"error"})
    assert next(iter(change)) in answer.json()["error"]
    assert crm.operations() == []


def test_a_consent_that_the_crm_does_not_take_is_not_mirrored(ask: Ask, crm: RunningCrm, sql: Sql) -> None:
    before = mirrored(sql)
    crm.faults({"mode": "error", "operation": "upsert", "status": 400, "code": "FIELD_CUSTOM_VALIDATION_EXCEPTION"})
    answer = ask("PATCH", "/cidadao/{}/consentimento", json=CONSENT | {"motivo": "Outro"})
    assert (answer.status_code, answer.headers["Error-Code"]) == (502, "crm-refused")
    assert mirrored(sql) == before


@pytest.mark.long
def test_a_confirmed_consent_shows_whatever_was_cleared_ahead_of_the_clock(
    ask: Ask, http: httpx.Client, issuer: Issuer, crm: RunningCrm, sql: Sql, drain: Drain
) -> None:
    consent = {**CONSENT, "status": "IN", "acao": None}
    events: list[dict[str, Any]] = [
        {"updatedAt": "2098-01-01T00:00:00Z", "evento": "anonimizacao"},
        {"updatedAt": "2098-01-02T00:00:00Z", "dados": {"consentimento": None}},
        {"updatedAt": "2098-01-03T00:00:00Z", "dados": {"consentimento": [consent]}},
    ]
    for event in events:
        headers = bearer(issuer.machine("crm-sandbox"))
        url = "/registry/v1/webhooks/crm/cidadao"
        assert http.post(url, json={"cpf": BRUNO} | event, headers=headers).status_code == 202
        drain()
        assert ask("PATCH", "/cidadao/{}/consentimento", BRUNO).status_code == 200
        assert [(row[2], row[6]) for row in mirrored(sql, BRUNO)] == [("OUT", "citizen")]


def test_the_export_holds_account_consents_and_what_the_city_did(ask: Ask, crm: RunningCrm, sql: Sql) -> None:
    answer = ask("GET", "/cidadao/{}/exportar")
    found = answer.json()
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store, private")
    assert differences(found["dataExportacao"], INSTANT) == []
    assert found.keys() == {"cpf", "dataExportacao", "dadosPessoais", "relacionados", "consentimento"}
    assert found["dadosPessoais"]["nome"] == "Carla Nogueira"
    assert "consentimento" not in found["dadosPessoais"]
    related = found["relacionados"]
    assert related.keys() == {"protocolos", "ligacoes", "ordensServico"}
    assert related["protocolos"][0]["protocolo"] == "PA-2026-00000337"
    assert related["ligacoes"][0]["assunto"] == "Pedido de reparo de iluminação"
    assert related["ordensServico"][0]["numero"] == "OS-2026-00000337"
    courses = next(entry for entry in found["consentimento"] if entry["codigo"] == "cursos")
    channel = {"canal": "email", "status": "OUT", "tipo": "optout", "motivo": "Mensagens demais"}
    assert courses == {"codigo": "cursos", "descricao": "Oferta de cursos", "canais": [channel]}
    exported = "SELECT actor_kind FROM platform.audit_event WHERE action = 'export'"
    assert {row["actor_kind"] for row in sql(exported)} == {"owner"}


FILED = {"numeroSolicitacao": str, "cpf": str, "status": OneOf("enfileirado"), "dataSolicitacao": INSTANT}
STATUS = {"numeroSolicitacao": str, "status": str, "dataSolicitacao": INSTANT, "dataConclusao": Optional(INSTANT)}


def test_a_request_for_anonymisation_is_filed_done_and_shown_to_nobody_else(
    ask: Ask, http: httpx.Client, issuer: Issuer, crm: RunningCrm
) -> None:
    answer = ask("POST", "/cidadao/{}/anonimizar")
    filed = answer.json()
    assert (answer.status_code, differences(filed, FILED), filed["cpf"]) == (202, [], CARLA)

    def read(token: str, number: str = filed["numeroSolicitacao"]) -> httpx.Response:
        return http.get(f"{BASE}/anonimizacao/{number}", headers=bearer(token))

    until_now(lambda: read(issuer.person(CARLA)).json()["status"] == "concluido")
    found = read(issuer.person(CARLA)).json()
    assert differences(found, STATUS) == []
    assert found["dataSolicitacao"] == filed["dataSolicitacao"]
    # Compared as instants: an instant without a fraction, 12:00:12Z, is greater than 12:00:12.002Z as a text.
    assert datetime.fromisoformat(found["dataConclusao"]) >= datetime.fromisoformat(found["dataSolicitacao"])
    assert read(issuer.admin()).json() == found
    unknown = [
        read(issuer.person(STRANGER)),
        read(issuer.machine("portal-cidadao")),
        read(issuer.person(CARLA), "99999999"),
        read(issuer.person(CARLA), "x' OR Name = 'y"),
    ]
    assert list(map(refusal, unknown)) == [(404, "request-unknown")] * 4
    assert len({refused.text for refused in unknown}) == 1
    assert http.get(f"{BASE}/anonimizacao/1").status_code == 401


@pytest.fixture
def slow_crm(tmp_path: Any, issuer: Issuer) -> Iterator[RunningCrm]:
    """Yield a CRM whose anonymisation requests stay open."""
    with RunningCrm(crm_settings(tmp_path, auth_issuer=issuer.address), anonymisation_seconds=600) as running:
        yield running


def test_ten_at_once_in_two_processes_file_one_request(slow_crm: RunningCrm, database_url: str, issuer: Issuer) -> None:
    build = app.build_application
    with (
        RunningServer(build(slow_crm.settings, database_url, ["registry"])) as one,
        RunningServer(build(slow_crm.settings, database_url, ["registry"])) as other,
        ThreadPoolExecutor(10) as pool,
    ):
        urls = [f"{one.url}{BASE}/cidadao/{CARLA}/anonimizar", f"{other.url}{BASE}/cidadao/{CARLA}/anonimizar"] * 5
        headers = bearer(issuer.person(CARLA))
        answers = list(pool.map(lambda url: httpx.post(url, headers=headers, timeout=PATIENCE), urls))
    assert sorted(map(refusal, answers)) == [(202, None)] + [(409, "request-open")] * 9
    assert len({answer.text for answer in answers}) == 1
    assert slow_crm.operations().count("create") == 1


def test_a_filing_that_was_lost_on_the_way_is_not_filed_twice(ask: Ask, crm: RunningCrm) -> None:
    crm.faults({"mode": "reset", "operation": "create", "applied": "after"})
    answer = ask("POST", "/cidadao/{}/anonimizar")
    assert (answer.status_code, answer.headers["Error-Code"]) == (502, "crm-away")
    assert crm.operations().count("create") == 1


def test_two_accounts_answer_with_the_oldest(ask: Ask, crm: RunningCrm) -> None:
    assert ask("GET", "/cidadao/{}", JOAO).json()["email"] == "joao.pacheco@correio.example"
