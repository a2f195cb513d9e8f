"""Tests for the login sync over HTTP, against the sandbox CRM."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any

import httpx
import msgspec
import pytest

from balcao import app
from balcao.crm.circuit import IN_A_ROW
from balcao.settings import Settings
from tests.support.crm import RunningCrm, crm_settings
from tests.support.demo_people import BRUNO, CARLA, DAVI, JOAO
from tests.support.fixture_types import Ask, Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE
from tests.support.refusals import refusal
from tests.support.server import RunningServer
from tests.support.uvicorn_server import RunningForeign

PATH = "/registry/v1/auth/validate"


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


@pytest.mark.cases("registry", "L1")
def test_an_account_with_the_same_email_in_other_case_is_matched_untouched(login: Ask, crm: RunningCrm) -> None:
    email = crm.accounts(BRUNO)[0]["PersonEmail"]
    answer = login(BRUNO, email=email.swapcase())
    assert (answer.status_code, answer.json()["action"]) == (200, "matched")
    assert set(answer.json()) == {"action", "cidadao"}
    assert changes(crm, BRUNO) == []


@pytest.mark.cases("registry", "L1")
def test_another_email_is_patched_without_the_origin_account(login: Ask, crm: RunningCrm) -> None:
    answer = login(CARLA, email="nova@casa.example")
    assert (answer.status_code, answer.json()["action"]) == (200, "matched")
    assert answer.json()["cidadao"]["email"] == "nova@casa.example"
    (change,) = changes(crm, CARLA)
    assert set(change["fields"]) == {"PersonEmail", "CanalUltimaModificacao__c"}
    assert crm.accounts(CARLA)[0]["PersonEmail"] == "nova@casa.example"


@pytest.mark.cases("registry", "L2")
def test_a_first_login_creates_one_account_and_the_next_matches_it(login: Ask, crm: RunningCrm) -> None:
    assert login(DAVI, name="Davi Furtado", email="davi@casa.example").json()["action"] == "created"
    assert login(DAVI, name="Davi Furtado", email="davi@casa.example").json()["action"] == "matched"
    (account,) = crm.accounts(DAVI)
    assert (account["ContaOrigem__c"], account["Idioma__c"]) == ("Portal", "Portugues_Brasil")


def test_the_answer_has_the_keys_of_the_specification_and_no_null(login: Ask, crm: RunningCrm) -> None:
    cidadao = login(CARLA).json()["cidadao"]
    assert {"accountId", "cpf", "nome", "consentimento", "idioma", "isTourist", "endereco"} <= set(cidadao)
    assert "cidade" not in cidadao
    assert cidadao["cpf"] == CARLA
    assert all(value is not None for value in cidadao.values())
    assert isinstance(cidadao["isTourist"], bool)
    assert all(isinstance(entry, dict) for entry in cidadao["consentimento"])


@pytest.mark.long
@pytest.mark.cases("registry", "L3")
def test_parallel_first_logins_in_two_processes_make_one_account(
    login: Ask, crm: RunningCrm, settings: Settings, database_url: str, issuer: Issuer, sql: Sql
) -> None:
    """Each server combines its own calls. A lease lets one server go first, and no lease remains afterwards."""
    with (
        RunningServer(app.build_application(settings, database_url, ["registry"])) as one,
        RunningServer(app.build_application(settings, database_url, ["registry"])) as other,
        ThreadPoolExecutor(50) as pool,
    ):
        headers = bearer(issuer.person(DAVI, email="davi@casa.example"))
        urls = [f"{one.url}{PATH}", f"{other.url}{PATH}"] * 25
        answers = list(pool.map(lambda url: httpx.get(url, headers=headers, timeout=PATIENCE), urls))
    assert [answer.status_code for answer in answers] == [200] * 50
    [account] = crm.accounts(DAVI)
    assert {answer.json()["cidadao"]["accountId"] for answer in answers} == {account["Id"]}
    assert {answer.json()["action"] for answer in answers} <= {"created", "matched"}
    assert sql("SELECT FROM registry.crm_lease") == []


@pytest.mark.long
def test_a_lease_that_a_killed_process_left_is_a_courtesy_only(login: Ask, crm: RunningCrm, sql: Sql) -> None:
    sql(
        "INSERT INTO registry.crm_lease (cpf, purpose, holder, until)"
        " VALUES ($1, 'login', gen_random_uuid(), now() + interval '1 hour')",
        DAVI,
    )
    answer = login(DAVI, email="davi@casa.example")
    assert (answer.status_code, answer.json()["action"], len(crm.accounts(DAVI))) == (200, "created", 1)
    sql("DELETE FROM registry.crm_lease")


@pytest.mark.cases("registry", "L4")
def test_several_accounts_of_one_person_match_the_oldest(login: Ask, crm: RunningCrm) -> None:
    accounts = crm.accounts(JOAO)
    oldest = min(accounts, key=lambda account: account["CreatedDate"])
    assert len(accounts) == 2
    assert login(JOAO).json()["cidadao"]["accountId"] == oldest["Id"]


@pytest.mark.cases("registry", "L4")
def test_a_refused_email_change_is_not_the_users_affair(login: Ask, crm: RunningCrm) -> None:
    before = crm.accounts(CARLA)[0]["PersonEmail"]
    crm.faults({"operation": "update", "mode": "error", "status": 500})
    answer = login(CARLA, email="nova@casa.example")
    assert (answer.status_code, answer.json()["action"]) == (200, "matched")
    assert answer.json()["cidadao"]["email"] == before


@pytest.mark.parametrize(
    ("claims", "left_out"),
    [
        ({"email": f"{'a' * 90}@correio.example"}, ["email"]),
        ({"name": "", "email": "maria@correio.example"}, ["nome"]),
        ({"name": "", "email": f"{'a' * 90}@correio.example"}, ["email", "nome"]),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_login_is_created_without_what_the_crm_cannot_hold(
    login: Ask, crm: RunningCrm, claims: dict[str, str], left_out: list[str], caplog: pytest.LogCaptureFixture, sql: Sql
) -> None:
    """A token's name is never this long, but the name in the city's record may be."""
    record = msgspec.json.encode({"cpf": DAVI, "nome": f"Maria {'b' * 300}"}).decode()
    upsert = (
        "INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, $2, 'test')"
        " ON CONFLICT (cpf) DO UPDATE SET record = excluded.record"
    )
    sql(upsert, DAVI, record)
    with caplog.at_level("INFO"):
        answer = login(DAVI, **claims)
    assert (answer.status_code, answer.json()["action"]) == (200, "created")
    (account,) = crm.accounts(DAVI)
    assert account["PersonEmail"] == (None if "email" in left_out else claims["email"])
    assert (account["LastName"] == "Não informado".split(" ", 1)[1]) == ("nome" in left_out)
    told = [record.getMessage() for record in caplog.records if "login_sync.left_out" in record.getMessage()]
    assert {field for line in told for field in ("email", "nome") if f'"{field}"' in line} == set(left_out)
    assert login(DAVI, **claims).json()["action"] == "matched"
    sql("DELETE FROM registry.base_record WHERE cpf = $1", DAVI)


@pytest.mark.cases("registry", "L6")
def test_a_rate_limit_and_an_expired_token_are_waited_out(login: Ask, crm: RunningCrm) -> None:
    crm.faults({"operation": "query", "mode": "rate_limit", "retry_after": 1, "times": 1})
    assert login(BRUNO).status_code == 200
    crm.faults({"operation": "query", "mode": "expired_token", "times": 1})
    crm.switch.delete("/requests")
    assert login(BRUNO).status_code == 200
    assert [row["operation"] for row in crm.requests()].count("token") == 1


class FasterCrm:
    """A CRM in which another caller creates the account before our upsert.

    With `forgets`, no look-up ever finds the account.
    """

    def __init__(self, response: tuple[int, bytes], *, forgets: bool = False) -> None:
        self.response = response
        self.forgets = forgets
        self.upserted = False

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        status, body = self._answer(scope["path"], scope["query_string"])
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": body})

    def _answer(self, path: str, query: bytes) -> tuple[int, bytes]:
        if path.endswith("/token"):
            return 200, b'{"access_token": "t"}'
        if path.endswith("/query"):
            account = (
                b'{"Id": "001000000000000001", "CPF__c": "90000000418", "Name": "Davi", "PersonEmail": "D@X.example"}'
            )
            known = self.upserted and not self.forgets
            found = account if known and b"FROM+Account" in query.replace(b"%20", b"+") else b""
            return 200, b'{"records": [' + found + b"]}"
        self.upserted = True
        return self.response


@pytest.mark.cases("registry", "L4")
@pytest.mark.parametrize(
    "response",
    [
        (400, b'[{"errorCode": "DUPLICATE_VALUE", "message": "x", "fields": []}]'),
        (300, b"[]"),
        (200, b"{}"),
        (204, b""),
    ],
    ids=lambda response: str(response[0]),
)
def test_whoever_is_beaten_to_it_is_matched(
    settings: Settings, database_url: str, issuer: Issuer, response: tuple[int, bytes]
) -> None:
    with RunningForeign(FasterCrm(response)) as faster:
        elsewhere = settings.model_copy(update={"crm_url_override": faster.url})
        with RunningServer(app.build_application(elsewhere, database_url, ["registry"])) as running:
            headers = bearer(issuer.person(DAVI, email="d@x.example"))
            answer = httpx.get(f"{running.url}{PATH}", headers=headers, timeout=PATIENCE)
    assert (answer.status_code, answer.json()["action"]) == (200, "matched")
    assert answer.json()["cidadao"]["accountId"] == "001000000000000001"


def test_an_account_that_the_crm_made_and_does_not_find_is_no_login(
    settings: Settings, database_url: str, issuer: Issuer, sql: Sql
) -> None:
    with RunningForeign(FasterCrm((201, b"{}"), forgets=True)) as forgetful:
        elsewhere = settings.model_copy(update={"crm_url_override": forgetful.url})
        with RunningServer(app.build_application(elsewhere, database_url, ["registry"])) as running:
            headers = bearer(issuer.person(DAVI, email="d@x.example"))
            answer = httpx.get(f"{running.url}{PATH}", headers=headers, timeout=PATIENCE)
    assert (*refusal(answer), set(answer.json())) == (502, "crm-account-not-found", {"error"})
    assert sql("SELECT FROM registry.crm_lease") == []


@pytest.mark.cases("registry", "L7")
def test_without_a_crm_there_is_no_sync(settings: Settings, database_url: str, issuer: Issuer) -> None:
    alone = settings.model_copy(update={"crm_url_override": ""})
    with RunningServer(app.build_application(alone, database_url, ["registry"])) as running:
        answer = httpx.get(f"{running.url}{PATH}", headers=bearer(issuer.person(BRUNO)), timeout=PATIENCE)
    assert (answer.status_code, answer.headers["Error-Code"]) == (503, "crm-not-configured")
    assert set(answer.json()) == {"error"}


@pytest.mark.long
def test_an_open_circuit_answers_at_once_and_says_when_to_come_back(
    settings: Settings, database_url: str, issuer: Issuer, crm: RunningCrm
) -> None:
    crm.faults({"operation": "query", "mode": "error"})
    with RunningServer(app.build_application(settings, database_url, ["registry"])) as running:
        headers = bearer(issuer.person(BRUNO))
        answers = [httpx.get(f"{running.url}{PATH}", headers=headers, timeout=PATIENCE) for _ in range(IN_A_ROW + 1)]
        asked = len(crm.operations())
        last = httpx.get(f"{running.url}{PATH}", headers=headers, timeout=PATIENCE)
    refusals = [(answer.status_code, answer.headers["Error-Code"]) for answer in [*answers, last]]
    assert refusals == [(502, "crm-away")] * IN_A_ROW + [(502, "crm-circuit-open")] * 2
    assert int(last.headers["Retry-After"]) > 0
    assert len(crm.operations()) == asked


@pytest.fixture
def held(sql: Sql) -> Iterator[Callable[..., None]]:
    """Yield a function that stores Bruno's e-mail in the mirror."""

    def put(value: str, origin: str) -> None:
        sql("INSERT INTO registry.mirror_head (cpf) VALUES ($1) ON CONFLICT DO NOTHING", BRUNO)
        sql(
            "INSERT INTO registry.register (cpf, field, value, at, origin) VALUES ($1, 'email', $2::jsonb, now(), $3)"
            " ON CONFLICT (cpf, field) DO UPDATE SET value = excluded.value, origin = excluded.origin",
            BRUNO,
            value,
            origin,
        )

    yield put
    for table in ("register", "login_write", "mirror_head"):
        sql(f"DELETE FROM registry.{table} WHERE cpf = $1", BRUNO)


@pytest.mark.cases("registry", "L8")
@pytest.mark.parametrize("origin", ["citizen", "staff"])
def test_what_was_declared_stands_in_place_of_the_tokens_email(
    login: Ask, crm: RunningCrm, held: Callable[..., None], origin: str
) -> None:
    """A login never overwrites a pushed e-mail. The declared e-mail reaches the CRM once, and remains there."""
    held('"declarado@casa.example"', origin)
    for _ in range(3):
        answer = login(BRUNO, email="bruno@token.example")
        assert (answer.status_code, answer.json()["cidadao"]["email"]) == (200, "declarado@casa.example")
    assert len(changes(crm, BRUNO)) == 1
    held('"do-crm@casa.example"', "crm")
    assert login(BRUNO, email="bruno@token.example").json()["cidadao"]["email"] == "bruno@token.example"
    held('""', origin)
    assert login(BRUNO, email="bruno@token.example").json()["cidadao"]["email"] == "bruno@token.example"


def test_what_a_login_writes_of_the_citizens_own_word_is_confirmed_as_by_a_push(
    login: Ask, crm: RunningCrm, held: Callable[..., None], sql: Sql
) -> None:
    """After the confirmation, an older value in the CRM can no longer replace the e-mail."""
    held('"declarado@casa.example"', "citizen")
    stamps = "SELECT at, pushed_at FROM registry.register WHERE cpf = $1 AND field = 'email'"
    [before] = sql(stamps, BRUNO)
    login(BRUNO, email="bruno@token.example")
    [after] = sql(stamps, BRUNO)
    assert before["pushed_at"] is None
    assert before["at"] < after["at"] <= after["pushed_at"]
    assert sql("SELECT FROM registry.login_write WHERE cpf = $1", BRUNO) == []


def test_a_login_remembers_what_it_wrote_and_whether_it_still_writes(
    login: Ask, crm: RunningCrm, held: Callable[..., None], sql: Sql
) -> None:
    remembered = "SELECT email_sha256, until <= clock_timestamp() AS over FROM registry.login_write WHERE cpf = $1"
    assert login(BRUNO, email=crm.accounts(BRUNO)[0]["PersonEmail"]).status_code == 200
    assert sql(remembered, BRUNO) == []
    crm.faults({"operation": "update", "mode": "error", "status": 500})
    for email, faults in (
        (" Novo@Casa.example", [{"operation": "update", "mode": "error"}]),
        ("outro@casa.example", []),
    ):
        crm.faults(*faults)
        assert login(BRUNO, email=email).status_code == 200
        [row] = sql(remembered, BRUNO)
        assert tuple(row) == (sha256(email.strip().lower().encode()).digest(), True)


@pytest.mark.cases("registry", "L7")
def test_a_machine_cannot_log_in(http: httpx.Client, issuer: Issuer) -> None:
    answer = http.get(PATH, headers=bearer(issuer.machine("portal-cidadao")))
    assert (answer.status_code, set(answer.json())) == (401, {"error"})


@pytest.mark.cases("registry", "L9")
def test_nothing_of_the_crm_is_stored(login: Ask, crm: RunningCrm, sql: Sql) -> None:
    assert login(CARLA, email="nova@casa.example").status_code == 200
    assert login(DAVI, name="Davi Furtado").status_code == 200
    assert [row["email_sha256"] for row in sql("SELECT * FROM registry.login_write WHERE cpf = $1", CARLA)] == [
        sha256(b"nova@casa.example").digest()
    ]
    for table in ("mirror_head", "register", "wording", "crm_consentimentos", "crm_event", "outbox", "crm_lease"):
        assert sql(f"SELECT FROM registry.{table}") == []
    actions = "SELECT DISTINCT action FROM platform.audit_event WHERE operation = 'registry.validate_login'"
    assert {row["action"] for row in sql(actions)} >= {"create", "update"}


@pytest.mark.long
@pytest.mark.cases("registry", "L5")
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
def test_a_crm_that_fails_is_a_bad_gateway(
    settings: Settings, database_url: str, issuer: Issuer, crm: RunningCrm, fault: dict[str, Any]
) -> None:
    crm.faults({"operation": "query"} | fault)
    with RunningServer(app.build_application(settings, database_url, ["registry"])) as running:  # with its own breaker
        answer = httpx.get(f"{running.url}{PATH}", headers=bearer(issuer.person(BRUNO)), timeout=PATIENCE)
    assert (answer.status_code, answer.headers["Error-Code"]) == (502, "crm-away")
    assert set(answer.json()) == {"error"}
