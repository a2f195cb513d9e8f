"""Requests are made, followed, answered, reopened, rated and handled over HTTP (rules: registry 4.20)."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.core.audit.retention import run_retention
from balcao.core.context.audit import HashKey
from balcao.registry.requests.lifecycle import numbers, service
from balcao.registry.requests.lifecycle.api import FEATURE
from balcao.registry.requests.lifecycle.service import MOST_OPEN
from balcao.settings import Settings
from tests.registry.requests.conftest import ANSWERS, Citizen, Staff
from tests.support.database_dump import everything, find_tables_with
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.operator_calls import acting
from tests.support.refusals import refusal

Citizens = Callable[[], Citizen]
Members = Callable[..., Staff]
ANONYMOUS, FOLLOW = "/registry/v1/maintenance-requests", "/registry/v1/maintenance-requests/follow"
TEXT = {"text": "A plaqueta diz 4711."}


def aged(sql: Sql, number: str, days: int) -> None:
    sql(
        "UPDATE registry.request SET closed_at = closed_at - $2::interval WHERE number = $1",
        number,
        timedelta(days=days),
    )


def states(request: Any) -> list[tuple[str | None, str]]:
    return [(step["state"], step["author"]) for step in request["steps"]]


def test_a_request_has_its_number_deadline_and_first_step_at_once(citizen: Citizen) -> None:
    made = citizen.opened()
    read = citizen.read(made["number"])
    assert read.json() == {name: value for name, value in made.items() if name != "code"}
    assert read.headers["Cache-Control"] == "no-store, private"
    assert numbers.parse_number(made["number"]) == made["number"]
    assert (made["state"], states(made)) == ("received", [("received", "citizen")])
    assert (made["protocol"], made["departments"], made["rating"], made["closed_at"]) == (None, ["1510"], None, None)
    times = [datetime.fromisoformat(made[name]) for name in ("created_at", "deadline")]
    assert times[1] - times[0] == timedelta(days=5)


def test_a_repeated_call_makes_one_request_and_shows_its_code_again(citizen: Citizen, sql: Sql) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: citizen.open(key="press-twice"), range(8)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert citizen.list()["pagination"]["total"] == 1
    code = answers[0].json()["code"]
    kept = sql("SELECT answer FROM platform.idempotent_answer WHERE cpf = $1", citizen.cpf)
    assert code.encode() not in kept[0]["answer"]
    assert refusal(citizen.open(answers=ANSWERS | {"quantas": 3}, key="press-twice")) == (409, "idempotency-key-reused")


def test_the_list_shows_requests_like_tickets(citizen: Citizen) -> None:
    made = citizen.opened(answers=ANSWERS | {"mais": "Perto da padaria."})
    (ticket,) = citizen.list()["data"]
    assert ticket == {
        "id": made["number"],
        "cpf": citizen.cpf,
        "id_chamado": None,
        "categoria": "Iluminação pública",
        "tipo": "Lâmpada apagada",
        "subtipo": None,
        "status": "Aberto",
        "descricao": "Perto da padaria.",
        "endereco": "Rua das Acácias, 120, Centro",
        "nome_unidade_organizacional": "Órgão 1510",
        "origem_ocorrencia": "Portal",
        "data_inicio": made["created_at"],
        "data_alvo_finalizacao": made["deadline"],
        "data_fim": None,
        "indicador": True,
        "total_chamados": 1,
        "total_fechados": 0,
    }


def test_an_imported_ticket_with_the_same_protocol_is_the_same_case(
    citizen: Citizen, citizens: Citizens, sql: Sql
) -> None:
    number, other = citizen.opened()["number"], citizens()
    sql("UPDATE registry.request SET protocol = 'PA-2026-00009999' WHERE number = $1", number)
    for owner, identifier, protocol in [
        (citizen, "same", "PA-2026-00009999"),
        (citizen, "older", "PA-2026-00000001"),
        (citizen, "without", None),
        (other, "foreign", "PA-2026-00009999"),
    ]:
        sql(
            "INSERT INTO registry.ticket (cpf, id, id_chamado, status, data_inicio, indicador) "
            "VALUES ($1, $2, $3, 'Fechado com solução', now() - interval '1 year', true)",
            owner.cpf,
            identifier,
            protocol,
        )
    merged = citizen.list()
    assert [ticket["id"] for ticket in merged["data"]] == [number, "without", "older"]
    assert {(ticket["total_chamados"], ticket["total_fechados"]) for ticket in merged["data"]} == {(3, 2)}
    assert merged["pagination"]["total"] == 3
    assert [ticket["id"] for ticket in citizen.list(page=2, per_page=2)["data"]] == ["older"]
    assert [ticket["id"] for ticket in other.list()["data"]] == ["foreign"]


def test_foreign_requests_look_like_unknown_ones(citizen: Citizen, citizens: Citizens, members: Members) -> None:
    number, stranger = citizen.opened()["number"], citizens()
    unknown = numbers.make_number(99_999_999)
    for asked in (number, unknown, "PED-00000001-9", "x"):
        assert refusal(stranger.read(asked)) == (404, "service-request-unknown")
        assert refusal(stranger.act(asked, "answer", TEXT)) == (404, "service-request-unknown")
        assert refusal(members("2000").read(asked)) == (404, "service-request-unknown")
        assert refusal(members("2000").step(asked, "done")) == (404, "service-request-unknown")
    assert citizen.state(number) == "received"


def test_a_person_has_twenty_open_requests_at_most_whatever_comes_at_once(
    citizen: Citizen, admin: Staff, sql: Sql
) -> None:
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: citizen.open(), range(MOST_OPEN + 6)))
    assert sorted(answer.status_code for answer in answers) == [201] * MOST_OPEN + [409] * 6
    made = [answer.json()["number"] for answer in answers if answer.status_code == 201]
    assert refusal(citizen.open()) == (409, "request-limit")
    admin.moved(made[0], "done")
    assert citizen.open().status_code == 201
    assert refusal(citizen.act(made[0], "reopening", TEXT)) == (409, "request-limit")
    assert citizen.state(made[0]) == "done"


def test_the_citizen_answers_a_question(citizen: Citizen, admin: Staff) -> None:
    number = citizen.opened()["number"]
    assert refusal(citizen.act(number, "answer", TEXT)) == (409, "request-not-asked")
    assert refusal(admin.step(number, "needs_information")) == (400, "step-text-missing")
    admin.moved(number, "needs_information", "Qual é a plaqueta?")
    answered = citizen.act(number, "answer", TEXT).json()
    assert states(answered)[1:] == [("needs_information", "staff"), ("in_progress", "citizen")]
    assert [step["text"] for step in answered["steps"]] == [None, "Qual é a plaqueta?", TEXT["text"]]
    assert refusal(citizen.act(number, "answer", TEXT)) == (409, "request-not-asked")


def test_a_closed_request_is_reopened_within_thirty_days(citizen: Citizen, admin: Staff, sql: Sql) -> None:
    number = citizen.opened()["number"]
    assert refusal(citizen.act(number, "reopening", TEXT)) == (409, "service-request-open")
    closed = admin.moved(number, "refused")
    until = datetime.fromisoformat(closed["reopen_until"]) - datetime.fromisoformat(closed["closed_at"])
    assert until == timedelta(days=30)
    aged(sql, number, 29)
    reopened = citizen.act(number, "reopening", TEXT).json()
    assert (reopened["state"], reopened["closed_at"], reopened["reopen_until"]) == ("reopened", None, None)
    admin.moved(number, "done")
    aged(sql, number, 31)
    assert refusal(citizen.act(number, "reopening", TEXT)) == (409, "request-reopening-late")


def test_a_closed_request_is_rated_once_by_its_citizen(citizen: Citizen, admin: Staff, http: httpx.Client) -> None:
    number, rating = citizen.opened()["number"], {"stars": 4, "comment": "Demorou."}
    assert refusal(citizen.act(number, "rating", rating)) == (409, "service-request-open")
    admin.moved(number, "done")
    assert refusal(citizen.act(number, "rating", {"stars": 6})) == (400, "stars-invalid")
    path = f"/registry/v1/citizen/{citizen.cpf}/maintenance-request/{number}/rating"
    assert http.post(path, json=rating, headers=admin.headers).status_code == 403
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: citizen.act(number, "rating", rating), range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    assert refusal(citizen.act(number, "rating", rating)) == (409, "request-rated")
    found = citizen.read(number).json()["rating"]
    assert (found["stars"], found["comment"]) == (4, "Demorou.")


def test_staff_see_the_requests_of_their_departments_and_below(
    citizen: Citizen, members: Members, admin: Staff, http: httpx.Client
) -> None:
    number = citizen.opened()["number"]
    visit = citizen.opened(type_="visita", answers={"motivo": "Não saio de casa."})["number"]

    def listed(staff: Staff, **query: Any) -> set[str]:
        found = staff.list(per_page=100, **query).raise_for_status().json()["data"]
        return {one["number"] for one in found} & {number, visit}

    seen = {codes: listed(members(*codes)) for codes in [("1510",), ("1500",), ("2000",), ("1000",), ()]}
    assert seen == {
        ("1510",): {number},
        ("1500",): {number},
        ("2000",): {visit},
        ("1000",): {number, visit},
        (): set(),
    }
    assert listed(admin) == listed(members(role="rmi:pedidos:gestao")) == {number, visit}
    assert listed(admin, type="visita") == listed(admin, department="2000") == {visit}
    assert refusal(admin.list(state="later")) == (400, "state-invalid")
    members("1500").moved(number, "done")
    assert (listed(admin), listed(admin, state="done")) == ({visit}, {number})
    row = next(one for one in admin.list(state="done").json()["data"] if one["number"] == number)
    assert "answers" not in row
    assert "cpf" not in row
    assert http.get("/registry/v1/admin/maintenance-requests", headers=citizen.headers).status_code == 403


def test_staff_see_which_open_requests_are_late(citizen: Citizen, admin: Staff, sql: Sql) -> None:
    late, other, closed = (citizen.opened()["number"] for _ in range(3))
    admin.moved(closed, "done")
    sql("UPDATE registry.request SET deadline = now() - interval '1 hour' WHERE number = ANY ($1)", [late, closed])

    def listed(**query: Any) -> set[str]:
        found = admin.list(per_page=100, **query).raise_for_status().json()["data"]
        return {one["number"] for one in found} & {late, other, closed}

    assert (listed(overdue="true"), listed(overdue="false")) == ({late}, {other})
    assert (listed(state="done", overdue="true"), listed(state="done", overdue="false")) == (set(), {closed})
    assert refusal(admin.list(overdue="late")) == (400, "overdue-invalid")


def test_a_citizen_finds_the_requests_that_wait_for_an_answer(citizen: Citizen, admin: Staff, sql: Sql) -> None:
    asked, other, answered, closed = (citizen.opened()["number"] for _ in range(4))
    for number in (asked, answered, closed):
        admin.moved(number, "needs_information", "Qual poste?")
    citizen.act(answered, "answer", {"text": "O da esquina."}).raise_for_status()
    admin.moved(closed, "done")
    sql(
        "INSERT INTO registry.ticket (cpf, id, status, data_inicio, indicador) VALUES ($1, 'x', 'Aberto', now(), true)",
        citizen.cpf,
    )

    def listed(waits: str, **query: Any) -> tuple[set[str], int]:
        found = citizen.list(aguarda_resposta=waits, **query)
        assert {one["total_chamados"] for one in found["data"]} <= {5}
        return {one["id"] for one in found["data"]}, found["pagination"]["total"]

    assert listed("true") == ({asked}, 1)
    assert listed("false") == ({other, answered, closed, "x"}, 4)
    assert listed("true", page=2) == (set(), 1)
    with pytest.raises(httpx.HTTPStatusError) as fault:
        citizen.list(aguarda_resposta="talvez")
    assert refusal(fault.value.response) == (400, "aguarda_resposta-invalid")


def test_a_number_leads_the_counter_to_the_person(citizen: Citizen, admin: Staff, http: httpx.Client) -> None:
    number = citizen.opened()["number"]
    headers = admin.headers | {"X-Access-Reason": "Atendimento 12"}

    def find(protocol: str) -> list[str]:
        path = "/registry/v1/admin/citizens/search"
        answer = http.post(path, json={"protocol": protocol}, headers=headers).raise_for_status()
        return [one["cpf"] for one in answer.json()["data"]]

    assert find(number) == find(f" {number.lower()} ") == [f"***.{citizen.cpf[3:6]}.{citizen.cpf[6:9]}-**"]
    assert find("PED-99999999-0") == []


def test_a_read_by_staff_is_in_the_citizens_trail_and_shows_a_masked_cpf(
    citizen: Citizen, members: Members, http: httpx.Client
) -> None:
    number = citizen.opened()["number"]
    read = members("1510").read(number).json()
    assert read["cpf"] == f"***.{citizen.cpf[3:6]}.{citizen.cpf[6:9]}-**"
    path = f"/registry/v1/citizen/{citizen.cpf}/data-access"
    trail = http.get(path, headers=citizen.headers).json()["data"]
    reason = f"Atendimento do pedido {number}"
    assert ("read", "registry.read_handled_request", "staff", reason) in {
        (event["action"], event["operation"], event["actor_kind"], event["reason"]) for event in trail
    }


def test_the_citizen_learns_why_staff_handled_the_request(
    citizen: Citizen, members: Members, http: httpx.Client
) -> None:
    number, staff = citizen.opened()["number"], members("1510")
    staff.step(number, "in_progress").raise_for_status()
    staff.step(number, text="Chegamos hoje.", **{"X-Access-Reason": "Vistoria 7"}).raise_for_status()
    path = f"/registry/v1/citizen/{citizen.cpf}/data-access"
    trail = http.get(path, headers=citizen.headers).json()["data"]
    reasons = [event["reason"] for event in trail if event["operation"] == "registry.add_request_step"]
    assert reasons == ["Vistoria 7", f"Atendimento do pedido {number}"]


def test_staff_write_move_and_close(citizen: Citizen, members: Members) -> None:
    number, staff = citizen.opened()["number"], members("1510")
    assert refusal(staff.step(number)) == (400, "step-empty")
    assert refusal(staff.step(number, "sent")) == (409, "request-step")
    assert refusal(staff.step(number, "done", **{"If-Match": '"old"'}))[0] == 412
    message = staff.step(number, text="Estamos a caminho.").json()
    assert states(message)[-1] == (None, "staff")
    etag = staff.read(number).headers["ETag"]
    assert staff.step(number, "in_progress", **{"If-Match": etag}).status_code == 200
    assert refusal(staff.step(number, "in_progress")) == (409, "request-step")
    staff.moved(number, "done")
    assert refusal(staff.step(number, text="Ainda?")) == (409, "request-closed")


def test_a_repeated_step_is_shown_only_to_staff_of_its_departments(
    citizen: Citizen, members: Members, sql: Sql
) -> None:
    number, staff = citizen.opened()["number"], members("1510")
    key = {"Idempotency-Key": f"step-{number}"}
    first = staff.step(number, "in_progress", **key)
    assert staff.step(number, "in_progress", **key).content == first.content
    assert len(citizen.read(number).json()["steps"]) == 2
    sql("UPDATE registry.request SET departments = '{2000}' WHERE number = $1", number)
    assert refusal(staff.step(number, "in_progress", **key)) == refusal(staff.read(number))


def test_the_counter_makes_and_reads_a_request_for_a_citizen(
    citizen: Citizen, http: httpx.Client, issuer: Issuer
) -> None:
    path = f"/registry/v1/citizen/{citizen.cpf}/maintenance-request"
    body = {"type": "lampada", "version": 1, "answers": ANSWERS}
    counter, reader = (
        bearer(issuer.person("90000001228", realm_access={"roles": [role]}))
        for role in ("rmi:balcao", "rmi:atendimento")
    )
    made = http.post(path, json=body, headers=counter)
    assert made.status_code == 201
    assert http.post(path, json=body, headers=reader).status_code == 403
    assert http.get(f"{path}/{made.json()['number']}", headers=reader).status_code == 200
    assert citizen.state(made.json()["number"]) == "received"


def anonymous(http: httpx.Client, answers: Any = ANSWERS, **headers: str) -> httpx.Response:
    return http.post(ANONYMOUS, json={"type": "lampada", "version": 1, "answers": answers}, headers=headers)


def test_a_request_without_login_is_followed_by_number_and_code(http: httpx.Client, admin: Staff) -> None:
    made = anonymous(http)
    assert made.status_code == 201
    receipt = made.json()
    assert set(receipt) == {"number", "code", "state", "created_at", "deadline"}
    admin.moved(receipt["number"], "needs_information", "Segredo da prefeitura")
    written = {"number": receipt["number"].lower(), "code": receipt["code"].replace("-", " ").lower()}
    followed = http.post(FOLLOW, json=written)
    assert followed.headers["Cache-Control"] == "no-store"
    assert set(followed.json()) == {"number", "state", "deadline", "steps"}
    assert [set(step) for step in followed.json()["steps"]] == [{"state", "at"}] * 2
    assert "Segredo" not in followed.text
    for wrong in ({"code": numbers.make_code()}, {"code": ""}, {"number": numbers.make_number(77_777_777)}):
        answer = http.post(FOLLOW, json=receipt | wrong)
        assert refusal(answer) == (404, "service-request-unknown")
    assert admin.read(receipt["number"]).json()["cpf"] is None


def test_a_citizens_receipt_shows_the_state_too(citizen: Citizen, http: httpx.Client) -> None:
    made = citizen.opened()
    followed = http.post(FOLLOW, json={"number": made["number"], "code": made["code"]})
    assert followed.json()["state"] == "received"


@pytest.mark.parametrize("text", ["meu CPF é 900.000.001-75", "escreva a ana@pessoa.example", "ligue (21) 99000-0175"])
def test_without_login_no_personal_data_is_taken(http: httpx.Client, text: str, sql: Sql) -> None:
    before = sql("SELECT count(*) FROM registry.request")[0][0]
    for answers in (ANSWERS | {"mais": text}, ANSWERS | {"local": {"address": "Rua", "reference": text}}):
        assert refusal(anonymous(http, answers)) == (400, "answer-personal")
    assert sql("SELECT count(*) FROM registry.request")[0][0] == before


def test_without_login_only_a_long_key_repeats_a_call(http: httpx.Client) -> None:
    assert refusal(anonymous(http, **{"Idempotency-Key": "short"})) == (400, "idempotency-key-invalid")
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first, again = anonymous(http, **key), anonymous(http, **key)
    assert (first.status_code, again.content) == (201, first.content)
    other = anonymous(http, ANSWERS | {"quantas": 2}, **key)
    assert refusal(other) == (409, "idempotency-key-reused")


@pytest.mark.parametrize("limit", [service.BY_ADDRESS, service.BY_DAY])
def test_without_login_requests_are_few_for_an_address_and_for_a_day(
    http: httpx.Client, citizen: Citizen, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setitem(service.LIMITS, limit, "1/minute")  # the sandbox multiplies this rate by 100
    answers = (anonymous(http) for _ in range(101))
    full = next(answer for answer in answers if answer.status_code != 201)
    assert refusal(full) == (429, "requests-without-login")
    assert int(full.headers["Retry-After"]) > 0
    assert citizen.open().status_code == 201


def test_an_address_looks_up_few_requests(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(service.LIMITS, service.FOLLOWED, "1/minute")
    wrong = {"number": "PED-00000003-4", "code": "AAAA-BBBB-CCCC"}
    answers = [http.post(FOLLOW, json=wrong) for _ in range(101)]
    assert [answer.status_code for answer in answers] == [404] * 100 + [429]
    assert int(answers[-1].headers["Retry-After"]) > 0


def test_an_export_has_the_requests_and_an_erasure_leaves_only_the_case(
    citizen: Citizen, admin: Staff, http: httpx.Client, sql: Sql
) -> None:
    made = citizen.opened(answers=ANSWERS | {"mais": "Moro na casa azul."})
    number = made["number"]
    asked = admin.step(number, "needs_information", "Qual casa azul?", **{"Idempotency-Key": f"ask-{number}"})
    assert asked.status_code == 200
    citizen.act(number, "answer", {"text": "A da esquina azul."}, **{"Idempotency-Key": f"answer-{number}"})
    assert "platform.idempotent_answer" in find_tables_with(everything(sql), "azul")
    base = f"/registry/v1/citizen/{citizen.cpf}"
    exported = http.get(f"{base}/data-export", headers=citizen.headers).json()
    assert [one["number"] for one in exported["pedidos"]] == [number]
    rehearsal = http.post(f"{base}/anonymisation", json={"dry_run": True}, headers=citizen.headers).json()
    assert next(one for one in rehearsal["cleared"] if one["kind"] == "requests")["count"] == 1
    assert citizen.state(number) == "in_progress"
    body = {"dry_run": False, "confirmation": rehearsal["confirmation"]}
    assert http.post(f"{base}/anonymisation", json=body, headers=citizen.headers).status_code == 200
    assert citizen.list()["data"] == []
    assert refusal(http.post(FOLLOW, json={"number": number, "code": made["code"]}))[0] == 404
    left = admin.read(number).json()
    assert (left["cpf"], left["answers"], left["state"]) == (None, [], "in_progress")
    assert [step["text"] for step in left["steps"]] == [None, None, None]
    rows = sql("SELECT request::text || coalesce((SELECT string_agg(step::text, '') FROM registry.request_step AS step "
               "WHERE step.request = request.id), '') FROM registry.request WHERE number = $1", number)  # fmt: skip
    assert not [word for word in ("azul", citizen.cpf, "Acácias") if word in rows[0][0]]
    assert find_tables_with(everything(sql), "azul") == []


def test_old_closed_requests_are_deleted_with_their_steps(
    citizen: Citizen, admin: Staff, sql: Sql, settings: Settings, database_url: str
) -> None:

    old, young = citizen.opened()["number"], citizen.opened()["number"]
    for number, years in ((old, 5), (young, 4)):
        admin.moved(number, "done")
        aged(sql, number, years * 366)

    async def apply(call: Any) -> Any:
        return await run_retention(call, FEATURE.retention)

    with acting(settings, database_url, "registry.test_retention") as act:
        assert [report.kind for report in act(apply)] == ["request"]
    assert [citizen.read(number).status_code for number in (old, young)] == [404, 200]
    assert (
        sql("SELECT FROM registry.request_step WHERE NOT EXISTS (SELECT FROM registry.request WHERE id = request)")
        == []
    )


@given(count=st.integers(1, 10**9), place=st.integers(0, 30), digit=st.integers(0, 9))
def test_a_mistyped_digit_makes_no_other_number(count: int, place: int, digit: int) -> None:
    number = numbers.make_number(count)
    assert numbers.parse_number(f" {number.lower()} ") == number
    at = [index for index, char in enumerate(number) if char.isdigit()]
    place = at[place % len(at)]
    typed = f"{number[:place]}{digit}{number[place + 1 :]}"
    assert numbers.parse_number(typed) == (number if typed == number else None)


def test_codes_are_bound_to_their_number_and_their_key() -> None:
    key, other = HashKey(b"a" * 32, 1), HashKey(b"b" * 32, 2)
    code, number = numbers.make_code(), numbers.make_number(1)
    stored = numbers.hash_code(key, number, code)
    assert numbers.matches_code([other, key], number, code, stored)
    assert not numbers.matches_code([other], number, code, stored)
    assert not numbers.matches_code([key], numbers.make_number(2), code, stored)
    assert not numbers.matches_code([key], number, code, None)
    assert len({numbers.make_code() for _ in range(1_000)}) == 1_000
