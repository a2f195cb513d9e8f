"""Tests for pushing own changes to the CRM (rules: registry 4.5)."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest

from balcao.crm.fields import FieldMap
from balcao.settings import Settings
from tests.registry.conftest import Own
from tests.support.crm import RunningCrm
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import Issuer, bearer

WEBHOOK = "/registry/v1/webhooks/crm/cidadao"
CHANNEL = "CanalUltimaModificacao__c"
CHANGES = {"update", "upsert", "create"}
BRUNO, CARLA, JOAO = "90000000256", "90000000337", "90000001066"
NOT_YET = "UPDATE queue.pgqueuer SET execute_after = now() + interval '1 hour' WHERE entrypoint = 'crm_push'"
LATER = "2098-01-01T00:00:00Z"


@pytest.fixture(scope="module")
def settings(running_crm: RunningCrm) -> Settings:
    return running_crm.settings


@pytest.fixture
def put(http: httpx.Client, issuer: Issuer) -> Callable[[str, str], None]:
    def call(cpf: str, valor: str) -> None:
        answer = http.put(
            f"/registry/v1/citizen/{cpf}/gender", json={"valor": valor}, headers=bearer(issuer.person(cpf))
        )
        assert answer.status_code == 200

    return call


@pytest.fixture
def event(http: httpx.Client, issuer: Issuer, sql: Sql, drain: Drain) -> Callable[..., None]:
    """Return a function that applies an event from the CRM, and postpones all pushes until after the test."""

    def call(cpf: str, **body: Any) -> None:
        sql(NOT_YET)
        headers = bearer(issuer.machine("crm-sandbox"))
        assert http.post(WEBHOOK, json={"cpf": cpf, **body}, headers=headers).status_code == 202
        drain()

    return call


@pytest.fixture
def shown(http: httpx.Client, issuer: Issuer) -> Callable[[str], Any]:
    def call(cpf: str) -> Any:
        return http.get(f"/registry/v1/citizen/{cpf}", headers=bearer(issuer.person(cpf))).json()["genero"]

    return call


@pytest.fixture
def row(sql: Sql) -> Callable[[str], Any]:
    """Return a function that reads the citizen's outbox row and the state of its job, or None if there is no row."""

    def call(cpf: str) -> Any:
        found = sql(
            "SELECT o.*, j.status::text, j.attempts, j.execute_after AS due "
            "FROM registry.outbox AS o LEFT JOIN queue.pgqueuer AS j ON j.id = o.job WHERE o.cpf = $1",
            cpf,
        )
        return found[0] if found else None

    return call


def changes(crm: RunningCrm, cpf: str) -> list[tuple[str, list[str]]]:
    return [(entry["operation"], entry["fields"]) for entry in crm.requests(cpf=cpf) if entry["operation"] in CHANGES]


def account(crm: RunningCrm, cpf: str) -> dict[str, Any]:
    [found] = crm.accounts(cpf)
    return found


@pytest.mark.cases("registry", "X1")
def test_a_change_is_one_call_with_the_changed_fields_and_the_channel(
    put: Callable[[str, str], None], send: Callable[..., None], crm: RunningCrm, row: Callable[[str], Any]
) -> None:
    put(BRUNO, "Não binário")
    assert row(BRUNO) is not None
    send()
    assert changes(crm, BRUNO) == [("update", [CHANNEL, "Genero__c"])]
    assert (account(crm, BRUNO)["Genero__c"], account(crm, BRUNO)[CHANNEL]) == ("Nao_binario", "Portal")
    assert account(crm, BRUNO)["ContaOrigem__c"] == "Central de atendimento"
    assert row(BRUNO) is None


def test_the_first_try_is_two_seconds_after_the_first_change(
    put: Callable[[str, str], None], crm: RunningCrm, person: str, row: Callable[[str], Any]
) -> None:
    put(person, "Não binário")
    first = row(person)
    put(person, "Agênero")
    assert (row(person)["id"], row(person)["due"]) == (first["id"], first["due"])
    assert timedelta(seconds=1) < first["due"] - first["first_change_at"] <= timedelta(seconds=2)
    assert crm.operations() == []


@pytest.mark.cases("registry", "X1")
def test_five_changes_before_the_push_are_one_call_with_the_last_value(
    put: Callable[[str, str], None], send: Callable[..., None], crm: RunningCrm
) -> None:
    for valor in ("Homem cisgênero", "Mulher cisgênero", "Agênero", "Não binário", "Mulher transgênero"):
        put(CARLA, valor)
    send()
    assert changes(crm, CARLA) == [("update", [CHANNEL, "Genero__c"])]
    assert account(crm, CARLA)["Genero__c"] == "Mulher_transgenero"


def test_a_person_without_account_is_created_with_name_and_origin(
    put: Callable[[str, str], None], send: Callable[..., None], crm: RunningCrm, person: str
) -> None:
    put(person, "Não binário")
    send()
    created = account(crm, person)
    assert (created["Name"], created["ContaOrigem__c"], created["Genero__c"]) == (
        "Não informado",
        "Portal",
        "Nao_binario",
    )
    assert [operation for operation, _ in changes(crm, person)] == ["upsert"]


def test_of_two_accounts_the_older_is_written(
    put: Callable[[str, str], None], send: Callable[..., None], crm: RunningCrm
) -> None:
    put(JOAO, "Não binário")
    send()
    older, younger = sorted(crm.accounts(JOAO), key=lambda found: found["CreatedDate"])
    assert (older["Genero__c"], younger["Genero__c"]) == ("Nao_binario", None)


def test_the_parts_of_an_address_and_empty_values_reach_their_fields(
    own: Own, send: Callable[..., None], crm: RunningCrm
) -> None:
    own(CARLA, endereco__bairro="Farol", endereco__cep=None, endereco__complemento="", telefone1="")
    send()
    assert changes(crm, CARLA) == [
        ("update", sorted(["Bairro__c", "PersonMailingPostalCode", "Complemento__c", "PersonMobilePhone", CHANNEL]))
    ]
    stored = account(crm, CARLA)
    assert (stored["Bairro__c"], stored["PersonMailingPostalCode"], stored["PersonMobilePhone"]) == (
        "Farol",
        None,
        None,
    )
    assert stored["PersonMailingStreet"] == "Rua das Acácias, 45"


@pytest.mark.cases("registry", "X2")
def test_what_comes_from_the_crm_is_not_sent_back(
    event: Callable[..., None], send: Callable[..., None], crm: RunningCrm, person: str, row: Callable[[str], Any]
) -> None:
    event(person, updatedAt="2026-07-01T10:00:00Z", dados={"genero": "Nao_binario"})
    assert row(person) is None
    send()
    assert crm.operations(cpf=person) == []


@pytest.mark.cases("registry", "X2")
def test_the_echo_of_a_push_changes_neither_value_nor_wording(
    put: Callable[[str, str], None],
    send: Callable[..., None],
    event: Callable[..., None],
    crm: RunningCrm,
    person: str,
    shown: Callable[[str], Any],
    row: Callable[[str], Any],
) -> None:
    put(person, "Agênero")
    send()
    crm.switch.delete("/requests")
    moment = account(crm, person)["LastModifiedDate"]
    event(person, updatedAt=moment, dados={"genero": "Outro_Prefere_nao_informar"})
    assert shown(person) == "Agênero"
    assert row(person) is None
    send()
    assert crm.operations() == []


def test_an_empty_text_comes_back_as_null_and_stays_empty(
    own: Own, send: Callable[..., None], event: Callable[..., None], sql: Sql, crm: RunningCrm, person: str
) -> None:
    own(person, telefone1="")
    send()
    event(person, updatedAt=account(crm, person)["LastModifiedDate"], dados={"telefone1": None})
    [register] = sql("SELECT value::text, origin FROM registry.register WHERE cpf = $1 AND field = 'telefone1'", person)
    assert tuple(register) == ('""', "citizen")


@pytest.mark.cases("registry", "X3")
def test_a_late_echo_of_an_older_push_does_not_undo_the_newer_change(
    put: Callable[[str, str], None],
    send: Callable[..., None],
    event: Callable[..., None],
    crm: RunningCrm,
    person: str,
    shown: Callable[[str], Any],
    row: Callable[[str], Any],
) -> None:
    """The registry pushes A, the citizen declares B, and then the echo of A arrives with a later time than B's."""
    put(person, "Homem cisgênero")
    crm.faults({"operation": "upsert", "mode": "reset", "applied": "after", "times": 1})
    send()  # the CRM applied the call, but the response was lost
    put(person, "Mulher cisgênero")
    event(person, updatedAt=LATER, dados={"genero": "Homem_cisgenero"})
    assert shown(person) == "Mulher cisgênero"
    send()
    assert (shown(person), account(crm, person)["Genero__c"], row(person)) == (
        "Mulher cisgênero",
        "Mulher_cisgenero",
        None,
    )


@pytest.mark.cases("registry", "X10")
def test_a_newer_event_takes_its_field_out_of_the_push(
    own: Own,
    send: Callable[..., None],
    event: Callable[..., None],
    crm: RunningCrm,
    person: str,
    row: Callable[[str], Any],
) -> None:
    own(person, genero="Nao_binario", nomeExibicao="Bia")
    event(person, updatedAt=LATER, dados={"genero": "Homem_cisgenero"})
    assert list(json.loads(row(person)["dirty"])) == ["nomeExibicao"]
    send()
    stored = account(crm, person)
    assert (stored["Genero__c"], stored["NomeExibicao__c"]) == (None, "Bia")


def test_a_push_that_has_nothing_left_leaves_no_row_and_no_job(
    put: Callable[[str, str], None], event: Callable[..., None], sql: Sql, person: str, row: Callable[[str], Any]
) -> None:
    put(person, "Não binário")
    job = row(person)["job"]
    event(person, updatedAt=LATER, dados={"genero": "Homem_cisgenero"})
    assert row(person) is None
    assert sql("SELECT FROM queue.pgqueuer WHERE id = $1", job) == []


def test_a_clearing_takes_what_it_covers_out_of_the_push(
    put: Callable[[str, str], None],
    event: Callable[..., None],
    send: Callable[..., None],
    crm: RunningCrm,
    person: str,
    row: Callable[[str], Any],
) -> None:
    put(person, "Não binário")
    event(person, evento="anonimizacao", updatedAt=LATER)
    assert row(person) is None
    send()
    assert crm.operations() == []


@pytest.mark.cases("registry", "T3")
def test_after_a_clearing_nobody_is_created_anew(
    put: Callable[[str, str], None],
    event: Callable[..., None],
    send: Callable[..., None],
    crm: RunningCrm,
    person: str,
    shown: Callable[[str], Any],
    row: Callable[[str], Any],
) -> None:
    event(person, evento="anonimizacao", updatedAt="2026-07-01T10:00:00Z")
    put(person, "Agênero")
    send()
    assert (crm.accounts(person), row(person), shown(person)) == ([], None, "Agênero")


@pytest.mark.cases("registry", "T3")
def test_after_a_clearing_an_account_that_exists_is_written(
    put: Callable[[str, str], None], event: Callable[..., None], send: Callable[..., None], crm: RunningCrm
) -> None:
    event(BRUNO, evento="anonimizacao", updatedAt="2026-07-01T10:00:00Z")
    put(BRUNO, "Não binário")
    send()
    assert account(crm, BRUNO)["Genero__c"] == "Nao_binario"


@pytest.mark.cases("registry", "X4")
def test_a_write_that_fails_marks_nothing(
    http: httpx.Client, issuer: Issuer, sql: Sql, person: str, row: Callable[[str], Any]
) -> None:
    sql("REVOKE INSERT ON platform.audit_event FROM balcao_app")
    try:
        headers = bearer(issuer.person(person))
        answer = http.put(f"/registry/v1/citizen/{person}/gender", json={"valor": "x"}, headers=headers)
    finally:
        sql("GRANT INSERT ON platform.audit_event TO balcao_app")
    assert (answer.status_code, row(person)) == (503, None)


@pytest.mark.cases("registry", "X1")
def test_the_platforms_own_token_is_used(
    put: Callable[[str, str], None], send: Callable[..., None], crm: RunningCrm, issuer: Issuer, person: str
) -> None:
    put(person, "Não binário")
    send()
    assert [entry["operation"] for entry in crm.requests()][:2] == ["token", "query"]
    assert {entry["status"] for entry in crm.requests()} <= {200, 201, 204}


@pytest.mark.parametrize("off", [{"crm_push": False}, {"crm_url_override": ""}], ids=["switched off", "no CRM"])
def test_switched_off_the_row_is_kept(
    put: Callable[[str, str], None],
    send: Callable[..., None],
    crm: RunningCrm,
    person: str,
    row: Callable[[str], Any],
    off: dict[str, Any],
) -> None:
    put(person, "Não binário")
    send(**off)
    assert crm.operations() == []
    assert (row(person)["status"], row(person)["attempts"]) == ("queued", 0)
    send()
    assert (account(crm, person)["Genero__c"], row(person)) == ("Nao_binario", None)


def test_a_push_is_in_the_audit_trail(
    put: Callable[[str, str], None], send: Callable[..., None], crm: RunningCrm, sql: Sql, person: str
) -> None:
    put(person, "Não binário")
    send()
    [event] = sql(
        "SELECT actor_kind, fields, outcome FROM platform.audit_event WHERE action = 'push' ORDER BY at DESC LIMIT 1"
    )
    assert tuple(event) == ("worker", ["genero"], "delivered")


def test_a_push_of_an_email_waits_for_the_login_that_writes_one(
    own: Own, send: Callable[..., None], crm: RunningCrm, person: str, row: Callable[[str], Any], sql: Sql
) -> None:
    """A login must not write after the push of an e-mail.

    A push that contains no e-mail does not wait for the login.
    """
    under_way = (
        "INSERT INTO registry.login_write (cpf, email_sha256, until)"
        " VALUES ($1, sha256('x'), clock_timestamp() + interval '1 hour')"
    )
    sql(under_way, person)
    own(person, genero="Nao_binario")
    send()
    assert (len(changes(crm, person)), row(person)) == (1, None)
    own(person, email="declarado@x.example")
    send()
    waiting = row(person)
    assert (len(changes(crm, person)), waiting["status"], waiting["attempts_log"]) == (1, "queued", "[]")
    sql("UPDATE registry.login_write SET until = now() WHERE cpf = $1", person)
    send()
    assert account(crm, person)["PersonEmail"] == "declarado@x.example"
    assert sql("SELECT FROM registry.login_write WHERE cpf = $1", person) == []


@pytest.mark.cases("registry", "C8")
def test_a_declared_email_stands_whatever_record_the_crm_tells_and_whoever_logs_in(
    own: Own,
    send: Callable[..., None],
    event: Callable[..., None],
    http: httpx.Client,
    issuer: Issuer,
    crm: RunningCrm,
    person: str,
    sql: Sql,
) -> None:
    """The CRM sends the full record because another field has changed, and the token contains a different e-mail."""
    crm.insert("Account", CPF__c=person, LastName="Lima", PersonEmail="antiga@x.example")
    own(person, email="Declarado@x.example")
    send()
    for number in range(2):
        crm.change("Account", account(crm, person)["Id"], NomeExibicao__c=f"Lima {number}")
        record = FieldMap.load().to_dados(account(crm, person)) | {"email": "declarado@X.example"}
        event(person, updatedAt=f"2098-01-0{number + 1}T00:00:00Z", dados=record)
        token = issuer.person(person, email="token@x.example")
        answer = http.get("/registry/v1/auth/validate", headers=bearer(token)).json()
        assert answer["cidadao"]["email"] == account(crm, person)["PersonEmail"] == "Declarado@x.example"
    held = "SELECT value #>> '{}' AS email, origin, confirmed_at::text FROM registry.register WHERE field = 'email'"
    [row] = sql(f"{held} AND cpf = $1", person)
    assert tuple(row)[:2] == ("Declarado@x.example", "citizen")
    assert row["confirmed_at"].startswith("2098-01-02")
