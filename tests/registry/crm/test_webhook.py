"""Tests for the webhook: its checks, and the path of an event into the citizen record."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

import asyncpg
import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from balcao import app
from balcao.core.context.platform import Platform
from balcao.registry.crm.events.backlog import Backlog
from balcao.registry.crm.events.event_parser import KEY_LENGTH
from balcao.registry.mirror.fields import ADDRESS, CONSENTS, LANGUAGES, TEXT_KEYS, TOURIST
from balcao.settings import Settings
from tests.support import databases
from tests.support.demo_people import ANA
from tests.support.fixture_types import Ask, Drain, Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE
from tests.support.refusals import refusal
from tests.support.rules import read_values
from tests.support.server import RunningServer

PATH = "/registry/v1/webhooks/crm/cidadao"


@pytest.fixture
def send(http: httpx.Client, issuer: Issuer) -> Callable[..., httpx.Response]:
    token = bearer(issuer.machine("crm-sandbox"))

    def post(body: Any, **headers: str) -> httpx.Response:
        return http.post(PATH, json=body, headers=token | headers)

    return post


@pytest.fixture
def record(http: httpx.Client, issuer: Issuer) -> Callable[[str], dict[str, Any]]:
    def read(cpf: str) -> dict[str, Any]:
        answer = http.get(f"/registry/v1/citizen/{cpf}", headers=bearer(issuer.person(cpf)))
        assert answer.status_code == 200
        found: dict[str, Any] = answer.json()
        return found

    return read


def event(cpf: str = ANA, **more: Any) -> dict[str, Any]:
    return {"cpf": cpf, "updatedAt": "2026-07-01T10:00:00Z", "dados": {"email": "ana@casa.example"}} | more


@pytest.mark.cases("registry", "W1")
def test_an_event_is_acknowledged_with_a_masked_cpf_and_shows_in_the_record(
    send: Ask, record: Callable[[str], dict[str, Any]], drain: Drain
) -> None:
    answer = send(event())
    assert answer.status_code == 202
    assert set(answer.json()) == {"cpf", "evento", "message", "status"}
    assert answer.json()["cpf"] == "***.000.001-**"
    assert answer.json()["evento"] == "atualizacao"
    assert answer.json()["status"] == "accepted"
    drain()
    assert record(ANA)["email"]["principal"]["valor"] == "ana@casa.example"


@pytest.mark.cases("registry", "W3", "W4", "W6", "W7", "W9")
@pytest.mark.parametrize(("member", "value", "status", "code"), read_values("registry", "W3, W4, W6, W7, W9"), ids=str)
def test_a_member_of_an_event_is_accepted_or_refused_by_its_name(
    send: Ask, sql: Sql, member: str, value: Any, status: int, code: str | None
) -> None:
    before = sql("SELECT count(*) FROM registry.crm_event")
    answer = send(event(**{member: value}))
    assert refusal(answer) == (status, code)
    if code is not None:
        assert (set(answer.json()), sql("SELECT count(*) FROM registry.crm_event")) == ({"error"}, before)


@pytest.mark.cases("registry", "T1")
def test_an_anonymisation_may_carry_any_dados(send: Ask) -> None:
    assert send(event(evento="anonimizacao", dados=5, cpf="90000001147")).status_code == 202


@pytest.mark.cases("registry", "W3", "W7")
@pytest.mark.parametrize(("key", "code"), [("cpf", "cpf-invalid"), ("dados", "dados-missing")])
def test_what_is_needed_and_absent_is_refused_by_its_name(send: Ask, key: str, code: str) -> None:
    answer = send({name: value for name, value in event().items() if name != key})
    assert (*refusal(answer), key in answer.json()["error"]) == (400, code, True)


@pytest.mark.parametrize("name", ["categoria", "canal", "telefone2"])
def test_a_text_in_the_key_of_an_index_has_a_limit(send: Ask, drain: Drain, sql: Sql, name: str) -> None:
    letters = random.Random(1).choices([chr(code) for code in range(0x20000, 0x29000)], k=KEY_LENGTH)
    text = "".join(letters)  # four bytes each, and they compress badly

    def make(more: str) -> dict[str, Any]:
        if name == "telefone2":
            return event(dados={name: "2" * KEY_LENGTH + more})
        return event(dados={CONSENTS: [{"categoria": text, "canal": text, "status": "IN", name: text + more}]})

    answer = send(make("3"))
    assert (*refusal(answer), name in answer.json()["error"]) == (400, "dados-invalid", True)
    assert send(make("")).status_code == 202
    drain()
    assert sql("SELECT count(*) FROM registry.crm_event WHERE applied_at IS NULL")[0][0] == 0


@pytest.mark.parametrize(
    ("change", "allowed"),
    [
        ({"dados": {"consentimento": [{"status": "MAYBE"}]}}, "consentimento[0].status` deve ser `IN` ou `OUT`"),
        ({"dados": {"consentimento": [{"acao": "x"}]}}, "consentimento[0].acao` deve ser `optin` ou `optout`"),
        ({"updatedAt": "2026-07-01"}, "como `2026-07-01T10:00:00Z`"),
        ({"updatedAt": 1751398278}, "`updatedAt` deve ser um texto"),
    ],
    ids=str,
)
def test_a_refusal_shows_what_would_do_as_the_document_writes_it(
    send: Ask, change: dict[str, Any], allowed: str
) -> None:
    assert allowed in send(event(**change)).json()["error"]


@pytest.mark.cases("registry", "W9")
@pytest.mark.parametrize("key", [*TEXT_KEYS, LANGUAGES, TOURIST, ADDRESS, CONSENTS])
@pytest.mark.parametrize("value", ["", None], ids=repr)
def test_every_key_may_be_empty_or_null(send: Ask, key: str, value: Any) -> None:
    assert send(event(dados={key: value})).status_code == 202


@pytest.mark.cases("registry", "W5")
@pytest.mark.parametrize(("text", "instant"), read_values("registry", "W5"))
def test_the_time_of_an_event_is_what_it_says(send: Ask, sql: Sql, text: str, instant: str) -> None:
    cpf = "90000001309"
    assert send(event(cpf, updatedAt=text, dados={"email": text})).status_code == 202
    kept = sql("SELECT event_at FROM registry.crm_event WHERE cpf = $1 ORDER BY id DESC LIMIT 1", cpf)
    assert kept[0][0].isoformat() == instant


@pytest.mark.cases("registry", "W2")
@pytest.mark.parametrize("change", [{"crm_webhook_clients_csv": ""}, {"crm_url_override": ""}], ids=str)
def test_an_integration_that_is_not_configured_says_so_to_whoever_has_a_token(
    settings: Settings, database_url: str, issuer: Issuer, change: dict[str, str]
) -> None:
    with RunningServer(
        app.build_application(settings.model_copy(update=change), database_url, ["registry"])
    ) as running:
        answers = [
            httpx.post(running.url + PATH, json=event(), headers=headers, timeout=PATIENCE)
            for headers in ({}, bearer(issuer.person(ANA)), bearer(issuer.machine("crm-sandbox")))
        ]
    assert [(answer.status_code, answer.headers["Error-Code"]) for answer in answers] == [
        (401, "unauthenticated"), (503, "crm-not-configured"), (503, "crm-not-configured")
    ]  # fmt: skip
    assert "configurada" in answers[1].json()["error"]


def test_a_full_queue_refuses_before_the_body_is_looked_at(
    settings: Settings, database_url: str, issuer: Issuer, sql: Sql, drain: Drain
) -> None:
    drain()
    most = settings.model_copy(update={"crm_event_queue_max": 2})
    with RunningServer(app.build_application(most, database_url, ["registry"])) as running:
        headers = bearer(issuer.machine("crm-sandbox"))
        bodies = [event(updatedAt=f"2026-07-03T10:0{minute}:00Z") for minute in range(3)]
        statuses = [
            httpx.post(running.url + PATH, json=body, headers=headers, timeout=PATIENCE).status_code for body in bodies
        ]
        answer = httpx.post(running.url + PATH, content=b"{", headers=headers, timeout=PATIENCE)
    assert statuses == [202] * 3
    assert (*refusal(answer), answer.headers["Retry-After"]) == (503, "queue-full", "30")
    assert set(answer.json()) == {"error"}
    drain()


def test_repeated_events_do_not_fill_the_queue(
    settings: Settings, database_url: str, issuer: Issuer, drain: Drain
) -> None:
    drain()
    most = settings.model_copy(update={"crm_event_queue_max": 2})
    with RunningServer(app.build_application(most, database_url, ["registry"])) as running:
        headers = bearer(issuer.machine("crm-sandbox"))
        same = event(updatedAt="2026-07-03T11:00:00Z")
        statuses = [
            httpx.post(running.url + PATH, json=same, headers=headers, timeout=PATIENCE).status_code for _ in range(5)
        ]
    assert statuses == [202] * 5
    drain()


async def test_calls_during_a_count_do_not_count_again(platform: Platform, database_url: str) -> None:
    backlog = Backlog()
    owner = await asyncpg.connect(database_url)
    async with owner.transaction():
        await owner.execute("LOCK TABLE registry.crm_event IN ACCESS EXCLUSIVE MODE")
        first = asyncio.ensure_future(backlog.refuse_when_full(platform))
        await asyncio.sleep(0)
        # A second count would also wait for the lock and then time out.
        await asyncio.gather(*(backlog.refuse_when_full(platform) for _ in range(20)))
        assert not first.done()
    await first
    await owner.close()


@pytest.mark.cases("registry", "W10")
def test_without_the_store_nothing_is_acknowledged(settings: Settings, issuer: Issuer) -> None:
    name = databases.new_name()
    url = databases.create(name)
    with RunningServer(app.build_application(settings, url, ["registry"])) as running:
        databases.drop(name)
        headers = bearer(issuer.machine("crm-sandbox"))
        answer = httpx.post(running.url + PATH, json=event(), headers=headers, timeout=PATIENCE)
    assert (answer.status_code, set(answer.json())) == (503, {"error"})


@pytest.mark.long
def test_an_event_far_ahead_of_the_clock_is_counted(http: httpx.Client, send: Ask) -> None:
    def counted() -> float:
        families = text_string_to_metric_families(http.get("/metrics").text)
        samples = [sample for family in families for sample in family.samples]
        return sum(sample.value for sample in samples if sample.name == "balcao_crm_event_future_total")

    before = counted()
    for at in ("2099-07-01T10:00:00Z", "2099-07-01T10:00:00Z", "2026-07-01T10:00:00Z", None):
        assert send(event("90000001309", updatedAt=at, dados={"passaporte": "x"})).status_code == 202
    assert counted() == before + 1


def test_the_same_event_again_is_acknowledged_alike_and_queued_once(send: Ask, sql: Sql) -> None:
    body = event("90000000256", updatedAt="2026-07-02T10:00:00Z")
    answers = [send(body) for _ in range(5)]
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.text for answer in answers}) == 1
    assert sql("SELECT count(*) FROM registry.crm_event WHERE cpf = $1", "90000000256")[0][0] == 1


@pytest.mark.cases("registry", "W8")
def test_dados_is_measured_as_sent(http: httpx.Client, issuer: Issuer) -> None:
    token = bearer(issuer.machine("crm-sandbox"))

    def post(length: int, blanks: int = 0) -> tuple[int, str | None]:
        filler = length - len('{"email":""}') - blanks
        dados = '{"email":' + " " * blanks + '"' + "a" * filler + '"}'
        assert len(dados) == length
        return refusal(http.post(PATH, content='{"cpf":"90000000337","dados":' + dados + "}", headers=token))

    accepted, refused = (202, None), (400, "dados-too-large")
    assert [post(65_536), post(65_537), post(65_536, 9), post(65_537, 10)] == [accepted, refused] * 2


@pytest.mark.cases("registry", "W8")
def test_a_body_has_at_most_131072_bytes(http: httpx.Client, issuer: Issuer) -> None:
    def post(length: int) -> tuple[int, str | None]:
        body = b'{"cpf":"90000000337","dados":{},"x":"' + b"a" * length
        body = body[: length - 2] + b'"}'
        assert len(body) == length
        return refusal(http.post(PATH, content=body, headers=bearer(issuer.machine("crm-sandbox"))))

    assert [post(131_072), post(131_073), post(200_000)] == [(202, None), *[(400, "body-too-large")] * 2]


@pytest.mark.cases("registry", "W2")
def test_who_may_call(http: httpx.Client, issuer: Issuer) -> None:
    cases = {
        None: 401,
        issuer.machine("portal-cidadao"): 403,
        issuer.admin(): 403,
        issuer.token(sub="x"): 403,
        issuer.machine("crm-sandbox"): 202,
    }
    for token, status in cases.items():
        headers = bearer(token) if token else {}
        assert http.post(PATH, json=event(), headers=headers).status_code == status


def delta(send: Ask, drain: Drain, cpf: str, hour: int, dados: dict[str, Any]) -> None:
    assert send(event(cpf, dados=dados, updatedAt=f"2026-07-01T{hour:02}:00:00Z")).status_code == 202
    drain()


@pytest.mark.cases("registry", "D2")
def test_absent_keeps_null_clears_and_empty_sets_empty(
    send: Ask, record: Callable[[str], dict[str, Any]], drain: Drain
) -> None:
    cpf = "90000000418"
    delta(send, drain, cpf, 10, {"email": "a@b.example", "genero": "Nao_binario"})
    delta(send, drain, cpf, 11, {"raca": "Indígena"})
    found = record(cpf)
    assert (found["email"]["principal"]["valor"], found["genero"], found["raca"]) == (
        "a@b.example",
        "Não binário",
        "indigena",
    )
    delta(send, drain, cpf, 12, {"email": ""})
    assert record(cpf)["email"]["principal"]["valor"] == ""
    assert record(cpf)["email"]["indicador"] is False
    delta(send, drain, cpf, 13, {"email": None})
    assert record(cpf)["email"]["principal"] is None


def test_an_older_event_never_overrides_a_newer_one(
    send: Ask, record: Callable[[str], dict[str, Any]], drain: Drain
) -> None:
    cpf = "90000000507"
    delta(send, drain, cpf, 11, {"email": "onze@b.example"})
    delta(send, drain, cpf, 10, {"email": "dez@b.example", "genero": "Homem_cisgenero"})
    found = record(cpf)
    assert (found["email"]["principal"]["valor"], found["genero"]) == ("onze@b.example", "Homem cisgênero")


def test_anonymisation_clears_the_mirror_and_outlives_older_events(
    send: Ask, record: Callable[[str], dict[str, Any]], drain: Drain, sql: Sql
) -> None:
    cpf = "90000000680"
    consent = {"categoria": "saude", "status": "IN"}
    delta(send, drain, cpf, 10, {"email": "f@b.example", "consentimento": [consent]})
    assert send(event(cpf, evento="anonimizacao", dados=[], updatedAt="2026-07-01T11:00:00Z")).status_code == 202
    drain()
    delta(send, drain, cpf, 10, {"email": "velho@b.example"})
    delta(send, drain, cpf, 11, {"email": "igual@b.example"})
    assert record(cpf)["email"]["principal"] is None
    assert sql("SELECT FROM registry.crm_consentimentos WHERE cpf = $1", cpf) == []
    delta(send, drain, cpf, 12, {"email": "novo@b.example"})
    assert record(cpf)["email"]["principal"]["valor"] == "novo@b.example"


def test_what_was_applied_is_not_kept_a_second_time(send: Ask, drain: Drain, sql: Sql) -> None:
    delta(send, drain, "90000000760", 10, {"email": "g@b.example"})
    rows = sql("SELECT dados, result FROM registry.crm_event WHERE cpf = $1", "90000000760")
    assert [(row["dados"], row["result"]) for row in rows] == [(None, "applied")]


@pytest.mark.cases("registry", "W7")
def test_an_event_without_effect_creates_no_mirror(send: Ask, drain: Drain, sql: Sql) -> None:
    cpf = "90000000841"
    delta(send, drain, cpf, 10, {})
    delta(send, drain, cpf, 11, {"nome": "x", "nomeSocial": "y", "dataNascimento": "z"})
    assert sql("SELECT FROM registry.mirror_head WHERE cpf = $1", cpf) == []
    rows = sql("SELECT result FROM registry.crm_event WHERE cpf = $1", cpf)
    assert {row["result"] for row in rows} == {"no_effect"}


def test_the_last_instant_of_time_neither_breaks_the_record_nor_outlives_the_citizens_word(
    http: httpx.Client, issuer: Issuer, send: Ask, record: Callable[[str], dict[str, Any]], drain: Drain
) -> None:
    cpf, last = "90000000922", "9999-12-31T23:59:59.999999Z"
    for change in ({"dados": {"genero": "Nao_binario"}}, {"evento": "anonimizacao"}):
        assert send(event(cpf, updatedAt=last) | change).status_code == 202
        drain()
        token = bearer(issuer.person(cpf))
        assert http.put(f"/registry/v1/citizen/{cpf}/gender", json={"valor": "x"}, headers=token).status_code == 200
        assert record(cpf)["genero"] == "x"


def test_events_and_clearings_of_one_person_at_once_do_not_hinder_each_other(send: Ask, drain: Drain, sql: Sql) -> None:
    """Every event is applied at the first attempt, because all jobs acquire locks in the same order."""
    cpf = "90000001066"
    for minute in range(40):
        kind = {"evento": "anonimizacao"} if minute % 5 == 4 else {"dados": {"email": f"{minute}@b.example"}}
        assert send(event(cpf, updatedAt=f"2026-07-01T10:{minute:02}:00Z") | kind).status_code == 202
    drain()
    rows = sql("SELECT result FROM registry.crm_event WHERE cpf = $1", cpf)
    assert len(rows) == 40
    assert all(row["result"] for row in rows)
