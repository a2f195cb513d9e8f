"""The contract of the sandbox CRM: its subset of Salesforce's API, its errors, and its switches for faults."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from balcao.settings import Settings, SettingsError
from balcao_sandbox.crm import demo
from balcao_sandbox.crm.objects import ACCOUNT
from balcao_sandbox.crm.records import Records
from balcao_sandbox.crm.server import build_application
from tests.support.crm import RunningCrm, crm_settings
from tests.support.polling import PATIENCE

BRUNO, CARLA, NEW = "90000000256", "90000000337", "90000000418"


def read_error(answer: httpx.Response) -> tuple[int, str, list[str]]:
    [error] = answer.json()
    assert error.keys() == {"message", "errorCode", "fields"}
    return answer.status_code, error["errorCode"], error["fields"]


def query(rest: httpx.Client, soql: str) -> httpx.Response:
    return rest.get("/query", params={"q": soql})


def upsert(rest: httpx.Client, cpf: str = NEW, **fields: Any) -> httpx.Response:
    return rest.patch(f"/sobjects/Account/CPF__c/{cpf}", json={"LastName": "Furtado", **fields})


def test_it_refuses_to_exist_in_production() -> None:
    with pytest.raises(SettingsError):
        build_application(Settings(profile="production"))


@pytest.mark.parametrize(
    ("form", "status", "error"),
    [
        ({"grant_type": "password"}, 400, "unsupported_grant_type"),
        ({"grant_type": "client_credentials", "client_id": "x", "client_secret": "y"}, 401, "invalid_client"),
    ],
)
def test_a_token_is_refused_in_the_form_of_oauth(crm: RunningCrm, form: Any, status: int, error: str) -> None:
    answer = httpx.post(f"{crm.settings.crm_url}/services/oauth2/token", data=form, timeout=PATIENCE)
    assert (answer.status_code, answer.json()["error"]) == (status, error)


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer outro"}, {"Authorization": "Basic eA=="}])
def test_a_call_without_a_token_of_its_own_is_an_invalid_session(crm: RunningCrm, headers: dict[str, str]) -> None:
    address = f"{crm.settings.crm_url}/services/data/v60.0/query?q=SELECT Id FROM Account"
    assert read_error(httpx.get(address, headers=headers, timeout=PATIENCE)) == (401, "INVALID_SESSION_ID", [])


def test_a_query_answers_the_selected_fields(rest: httpx.Client) -> None:
    answer = query(rest, f"SELECT Id, Name FROM Account WHERE CPF__c = '{BRUNO}' AND IsPersonAccount = true")
    assert answer.json()["totalSize"] == 1
    [record] = answer.json()["records"]
    assert record.keys() == {"attributes", "Id", "Name"}
    assert (len(record["Id"]), record["Id"][:3], record["Name"]) == (18, "001", "Bruno Tavares")


def test_a_query_orders_skips_and_limits(rest: httpx.Client) -> None:
    everybody = query(rest, "SELECT CPF__c FROM Account ORDER BY CreatedDate DESC").json()["records"]
    some = query(rest, "SELECT CPF__c FROM Account ORDER BY CreatedDate DESC LIMIT 2 OFFSET 1").json()["records"]
    assert len(everybody) == 4
    assert some == everybody[1:3]


def test_a_query_since_a_moment_finds_what_changed_later(rest: httpx.Client) -> None:
    upsert(rest)
    changed = query(rest, "SELECT CPF__c FROM Account WHERE LastModifiedDate >= 2026-02-01T00:00:00Z").json()
    assert [record["CPF__c"] for record in changed["records"]] == [NEW]


@pytest.mark.parametrize(
    ("soql", "expected"),
    [
        ("SELECT Nada__c FROM Account", (400, "INVALID_FIELD", ["Nada__c"])),
        ("SELECT Id FROM Account WHERE Nada__c = 'x'", (400, "INVALID_FIELD", ["Nada__c"])),
        ("SELECT Id FROM Account ORDER BY Nada__c", (400, "INVALID_FIELD", ["Nada__c"])),
        ("SELECT Id FROM Lead", (400, "INVALID_TYPE", [])),
        ("SELECT FROM Account", (400, "MALFORMED_QUERY", [])),
    ],
)
def test_a_query_that_cannot_be_is_refused(rest: httpx.Client, soql: str, expected: Any) -> None:
    assert read_error(query(rest, soql)) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"Nada__c": "x"}, ("INVALID_FIELD", ["Nada__c"])),
        ({"CreatedDate": "2026-01-31T12:00:00.000+0000"}, ("INVALID_FIELD", ["CreatedDate"])),
        ({"LastName": None}, ("REQUIRED_FIELD_MISSING", ["LastName"])),
        ({"Bairro__c": "x" * 256}, ("STRING_TOO_LONG", ["Bairro__c"])),
        ({"PersonEmail": "x" * 81}, ("STRING_TOO_LONG", ["PersonEmail"])),
        ({"Phone": "1" * 41}, ("STRING_TOO_LONG", ["Phone"])),
        ({"Genero__c": "Outro"}, ("INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST", ["Genero__c"])),
        ({"Raca__c": "parda"}, ("INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST", ["Raca__c"])),
        ({"Turista__c": "sim"}, ("JSON_PARSER_ERROR", ["Turista__c"])),
        ({"PersonBirthdate": "17/05/1990"}, ("JSON_PARSER_ERROR", ["PersonBirthdate"])),
        ({"CPF__c": NEW}, ("INVALID_FIELD", ["CPF__c"])),
    ],
)
def test_a_field_that_cannot_be_stored_is_refused(
    rest: httpx.Client, crm: RunningCrm, fields: Any, expected: Any
) -> None:
    assert read_error(upsert(rest, **fields)) == (400, *expected)
    assert crm.accounts(NEW) == []


def test_the_limits_themselves_are_accepted(rest: httpx.Client) -> None:
    answer = upsert(rest, Bairro__c="x" * 255, PersonEmail="x" * 80, Phone="1" * 40, Turista__c=True, Genero__c="")
    assert answer.status_code == 201


def test_an_upsert_needs_the_required_fields_only_to_create(rest: httpx.Client) -> None:
    address = f"/sobjects/Account/CPF__c/{NEW}"
    assert read_error(rest.patch(address, json={"FirstName": "Davi"})) == (400, "REQUIRED_FIELD_MISSING", ["LastName"])
    created = upsert(rest)
    assert (created.status_code, created.json()["created"]) == (201, True)
    again = rest.patch(address, json={"FirstName": "Davi"})
    assert (again.status_code, again.json()) == (200, {**created.json(), "created": False})


def test_an_account_is_created_read_and_changed_by_its_id(rest: httpx.Client) -> None:
    created = rest.post("/sobjects/Account", json={"FirstName": "Davi", "LastName": "Furtado", "CPF__c": NEW})
    assert created.status_code == 201
    address = f"/sobjects/Account/{created.json()['id']}"
    assert rest.patch(address, json={"PersonEmail": "davi@exemplo.example"}).status_code == 204
    record = rest.get(address).json()
    assert (record["Name"], record["PersonEmail"]) == ("Davi Furtado", "davi@exemplo.example")
    assert record["LastModifiedDate"] > record["CreatedDate"]
    assert read_error(rest.post("/sobjects/Account", json={"LastName": "X", "CPF__c": NEW}))[:2] == (
        400,
        "DUPLICATE_VALUE",
    )


def test_what_does_not_exist_is_not_found(rest: httpx.Client) -> None:
    for answer in (
        rest.patch("/sobjects/Account/001000000000000999", json={}),
        rest.get("/sobjects/Lead/001000000000000001"),
        rest.post("/sobjects/Lead", json={}),
        rest.get("/limits"),
    ):
        assert read_error(answer) == (404, "NOT_FOUND", [])


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(rest: httpx.Client, body: bytes) -> None:
    for answer in (
        rest.post("/sobjects/Account", content=body),
        rest.patch(f"/sobjects/Account/CPF__c/{NEW}", content=body),
        rest.patch("/sobjects/Account/001000000000000001", content=body),
    ):
        assert read_error(answer) == (400, "JSON_PARSER_ERROR", [])


def test_concurrent_creations_of_one_cpf_make_one_account(rest: httpx.Client, crm: RunningCrm) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda _: rest.post("/sobjects/Account", json={"LastName": "X", "CPF__c": NEW}), range(8))
        )
    assert sorted(answer.status_code for answer in answers) == [201] + [400] * 7
    assert len(crm.accounts(NEW)) == 1


def test_a_consent_is_kept_under_its_key_whatever_characters_it_holds(rest: httpx.Client, crm: RunningCrm) -> None:
    [carla] = crm.accounts(CARLA)
    key = quote(f"{CARLA}|a/b $.ção|whatsapp", safe="")
    consent = {"Conta__c": carla["Id"], "CPF__c": CARLA, "Categoria__c": "a/b $.ção", "Status__c": "IN"}
    statuses = [rest.patch(f"/sobjects/Consentimento__c/Chave__c/{key}", json=consent).status_code for _ in range(2)]
    assert statuses == [201, 200]
    [carla] = crm.accounts(CARLA)
    assert [c["Chave__c"] for c in carla["consents"]].count(f"{CARLA}|a/b $.ção|whatsapp") == 1


def test_faults_strike_in_order_and_as_often_as_told(rest: httpx.Client, crm: RunningCrm) -> None:
    crm.faults(
        {"mode": "error", "operation": "query", "times": 1, "status": 503, "code": "SERVER_UNAVAILABLE"},
        {"mode": "rate_limit", "operation": "*", "times": 1, "retry_after": 7},
        {"mode": "error", "cpf": CARLA},
    )
    about = f"SELECT Id FROM Account WHERE CPF__c = '{BRUNO}'"
    assert read_error(query(rest, about)) == (503, "SERVER_UNAVAILABLE", [])
    limited = query(rest, about)
    assert (read_error(limited)[0], limited.headers["Retry-After"]) == (429, "7")
    assert query(rest, about).status_code == 200
    assert read_error(query(rest, about.replace(BRUNO, CARLA))) == (500, "UNKNOWN_EXCEPTION", [])
    assert [fault["times"] for fault in crm.switch.get("/faults").json()] == [0, 0, None]
    crm.switch.delete("/faults")
    assert query(rest, about.replace(BRUNO, CARLA)).status_code == 200


def test_a_seeded_fault_strikes_the_same_calls_in_every_run(rest: httpx.Client, crm: RunningCrm) -> None:
    runs = []
    for _ in range(2):
        crm.faults({"mode": "error", "probability": 0.5, "seed": 7})
        runs.append([query(rest, "SELECT Id FROM Account").status_code for _ in range(20)])
    assert runs[0] == runs[1]
    assert set(runs[0]) == {200, 500}


@pytest.mark.parametrize(("applied", "stored"), [("before", 0), ("after", 1)])
def test_a_reset_closes_the_connection_before_or_after_the_change(
    rest: httpx.Client, crm: RunningCrm, applied: str, stored: int
) -> None:
    crm.faults({"mode": "reset", "applied": applied, "times": 1})
    with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
        upsert(rest)
    assert len(crm.accounts(NEW)) == stored


def test_garbage_is_a_success_that_is_not_json(rest: httpx.Client, crm: RunningCrm) -> None:
    crm.faults({"mode": "garbage"})
    answer = query(rest, "SELECT Id FROM Account")
    assert answer.status_code == 200
    with pytest.raises(ValueError, match="Expecting value"):
        answer.json()


def test_a_duplicate_shows_in_queries_and_upserts(rest: httpx.Client, crm: RunningCrm) -> None:
    crm.faults({"mode": "duplicate"})
    assert query(rest, f"SELECT Id FROM Account WHERE CPF__c = '{BRUNO}' LIMIT 2").json()["totalSize"] == 2
    assert upsert(rest, BRUNO).status_code == 300


@pytest.mark.parametrize("body", [b"{}", b'[{"mode": "explode"}]', b'[{"mode": "error", "surplus": 1}]', b"x"])
def test_a_list_of_faults_that_cannot_be_read_changes_nothing(crm: RunningCrm, body: bytes) -> None:
    crm.faults({"mode": "error", "times": 3})
    assert crm.switch.put("/faults", content=body).status_code == 400
    assert len(crm.switch.get("/faults").json()) == 1


def test_the_journal_tells_what_was_asked_without_values(rest: httpx.Client, crm: RunningCrm) -> None:
    upsert(rest, PersonEmail="davi@exemplo.example")
    query(rest, "SELECT Id FROM Account")
    [entry] = crm.requests(cpf=NEW)
    assert (entry["operation"], entry["status"], entry["fields"]) == ("upsert", 201, ["LastName", "PersonEmail"])
    assert len(crm.requests()) == 2
    crm.switch.delete("/requests")
    assert crm.requests() == []


def test_no_two_changes_have_the_same_moment(tmp_path: Path) -> None:
    records = Records(tmp_path / "state.jsonl", demo.accounts)
    [account] = records.find(ACCOUNT, "CPF__c", BRUNO)
    moments = [records.update(ACCOUNT, account, {"Bairro__c": "x"})["LastModifiedDate"] for _ in range(50)]
    assert moments == sorted(set(moments))


def test_a_restart_keeps_what_was_written_and_a_cut_line_does_no_harm(tmp_path: Path) -> None:
    settings = crm_settings(tmp_path)
    body = {"grant_type": "client_credentials", "client_id": settings.crm_client_id}
    body["client_secret"] = settings.crm_client_secret.get_secret_value()

    def write(last_name: str) -> int:
        token = httpx.post(f"{settings.crm_url}/services/oauth2/token", data=body, timeout=PATIENCE).json()[
            "access_token"
        ]
        address = f"{settings.crm_url}/services/data/v60.0/sobjects/Account/CPF__c/{NEW}"
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.patch(address, json={"LastName": last_name}, headers=headers, timeout=PATIENCE).status_code

    with RunningCrm(settings):
        assert write("Furtado\u2028Lima") == 201
    [file] = tmp_path.iterdir()
    assert file.stat().st_mode & 0o077 == 0
    with file.open("a") as cut:
        cut.write('{"entity": "Account", "rec')
    with RunningCrm(settings):
        assert write("Furtado") == 200
    with RunningCrm(settings) as third:
        assert [account["LastName"] for account in third.accounts(NEW)] == ["Furtado"]
        third.reset()
        assert third.accounts(NEW) == []
        assert len(third.accounts(BRUNO)) == 1
