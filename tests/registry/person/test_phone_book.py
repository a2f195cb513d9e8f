"""Tests for the phone book over HTTP (rules: registry 2.11, 4.13)."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import count
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from balcao.core.audit import retention
from balcao.core.values.cpf import Cpf
from balcao.registry.person.phone_book import service
from balcao.registry.person.phone_book.api import RETENTION
from balcao.registry.person.phone_book.paths import parse_number
from balcao.settings import Settings
from tests.registry.person.phone_book_calls import NAMES, PEOPLE, Book, load_people, new_number
from tests.registry.registry_client import RegistryClient
from tests.support.demo_people import ANA, BRUNO, CARLA
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import Issuer
from tests.support.operator_calls import acting
from tests.support.proof_sizes import size
from tests.support.refusals import refusal
from tests.support.rules import read_values


@pytest.fixture(scope="module", autouse=True)
def _records(database_url: str) -> None:
    load_people(database_url)


@pytest.fixture
def book(http: httpx.Client, issuer: Issuer, sql: Sql) -> Book:
    sql("DELETE FROM registry.phone_book WHERE proof = 'token'")  # unproven bindings from earlier tests
    return Book(http, issuer, sql, new_number())


# --- events in any order ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Model:
    """The state of a number that the rules require."""

    owner: str | None = None
    proven: bool = False
    opted: bool = False
    quarantined: bool = False


def step(book: Book, model: Model, what: str, cpf: str) -> Model:
    """Take one step and check the response. Return the state of the number after it, according to the rules."""
    free, theirs = model == Model(), model.owner == cpf
    match what:
        case "bind own":
            assert refusal(book.bind_own(cpf)) == ((200, None) if free or theirs else (409, "phone-not-free"))
            return model if theirs else Model(cpf) if free else model
        case "bind as staff":
            proven = theirs and model.proven
            assert refusal(book.bind_as_staff(cpf)) == ((200, None) if proven else (409, "phone-not-confirmed"))
            return model
        case "prove":
            book.prove(cpf)
            return Model(cpf, proven=True, opted=theirs and model.opted)
        case "opt in":
            answer = book.opt_in(cpf)
            assert refusal(answer) == ((200, None) if theirs else (409, "phone-not-bound"))
            if theirs:
                assert answer.json() == {"status": "already_opted_in" if model.opted else "opted_in"}
            return replace(model, opted=True) if theirs else model
        case "opt out":
            wanted = "not_found" if model.owner is None else "opted_out" if model.opted else "already_opted_out"
            assert book.opt_out("too_many_messages").json() == {"status": wanted}
            return replace(model, opted=False)
        case "wrong person":
            assert book.opt_out("incorrect_person").json() == {"status": "opted_out" if model.owner else "not_found"}
            return Model(quarantined=True) if model.owner else model
        case "reject":
            assert book.reject(cpf).json() == {"status": "rejected" if theirs else "not_found"}
            return Model(quarantined=True) if theirs else model
        case "quarantine":
            assert book.quarantine().json()["status"] == "quarantined"
            return Model(quarantined=True)
        case "release":
            held = model.quarantined
            assert refusal(book.release()) == ((200, None) if held else (404, "phone-not-quarantined"))
            return Model() if model.quarantined else model
        case "time over":
            book.end_quarantine()
            return Model() if model.quarantined else model
    raise AssertionError(what)


STEPS = [
    *("bind own", "bind as staff", "prove", "opt in", "opt out", "wrong person"),
    *("reject", "quarantine", "release", "time over"),
]
steps = st.lists(st.tuples(st.sampled_from(STEPS), st.sampled_from(PEOPLE)), min_size=1, max_size=14)


@pytest.mark.cases("registry", "N1")
@examples(max_examples=size(25, 600), suppress_health_check=list(HealthCheck), deadline=None)
@given(plan=steps)
def test_a_number_shows_whoever_has_it_and_nobody_who_had_it(
    http: httpx.Client, issuer: Issuer, sql: Sql, plan: list[tuple[str, str]]
) -> None:
    sql("DELETE FROM registry.phone_book WHERE proof = 'token'")  # unproven bindings from earlier plans
    book, model = Book(http, issuer, sql, new_number()), Model()
    for what, cpf in plan:
        model = step(book, model, what, cpf)
        shown = book.status()
        owner = model.owner
        assert shown.pop("quarantine_until") is None or model.quarantined
        assert shown == {
            "phone_number": f"+{book.number}",
            "found": model != Model(),
            "quarantined": model.quarantined,
            "cpf": Cpf(owner).masked if owner else None,
            "name": service.mask_name(NAMES[owner]) if owner else None,
            "opt_in": model.opted,
        }
        citizen = book.staff.ok("GET", f"/phone/{book.number}/citizen")
        assert citizen == {"found": owner is not None, "cpf": shown["cpf"], "name": shown["name"]}
        read = book.staff("GET", f"/phone/{book.number}/notification-preferences")
        assert refusal(read) == ((200, None) if owner else (404, "phone-unknown"))
        assert read.json().get("cpf") == (Cpf(owner).masked if owner else None)


@pytest.mark.cases("registry", "N2")
def test_two_people_at_once_bind_a_free_number_and_one_has_it(book: Book) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(book.bind_own, [ANA, BRUNO] * 4))
    winner = {answer.json()["cpf"] for answer in answers if answer.status_code == 200}
    assert len(winner) == 1
    assert {answer.status_code for answer in answers} == {200, 409}
    assert book.status()["cpf"] == Cpf(winner.pop()).masked


@pytest.mark.cases("registry", "N2")
def test_opt_ins_and_opt_outs_at_once_are_all_entered_and_the_last_one_counts(book: Book, sql: Sql) -> None:
    book.prove(ANA)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: book.opt_in(ANA) if n % 2 else book.opt_out("x"), range(24)))
    entries = [
        row["action"]
        for row in sql(
            "SELECT action FROM registry.phone_book_entry WHERE cpf = $1 AND number LIKE $2 ORDER BY at",
            *(ANA, f"%{book.number[-4:]}"),
        )
    ]
    assert entries == [("opt_in", "opt_out")[place % 2] for place in range(len(entries))]
    assert book.status()["opt_in"] == (entries[-1] == "opt_in")


# --- rights and responses ---------------------------------------------------------------------------------------------


@pytest.mark.cases("registry", "N3")
def test_nobody_binds_a_number_to_somebody_else(book: Book, http: httpx.Client, issuer: Issuer) -> None:
    body = {"cpf": ANA, "channel": "web"}
    assert book.post("bind", body, book.people[BRUNO]).status_code == 403
    assert book.post("bind", body, RegistryClient(http, issuer.machine("portal-cidadao"))).status_code == 403
    assert book.post("bind", body, RegistryClient(http)).status_code == 401
    assert book.status()["found"] is False


@pytest.mark.cases("registry", "N4")
def test_citizens_reach_nothing_else_of_the_book(book: Book, http: httpx.Client) -> None:
    ana, path = book.people[ANA], f"/phone/{book.number}"
    reads = ("status", "citizen", "notification-preferences")
    answers = [ana("GET", f"{path}/{what}") for what in reads]
    writes = ("opt-in", "opt-out", "reject-registration", "validate-registration", "quarantine")
    answers += [ana("POST", f"{path}/{what}", {}) for what in writes]
    answers += [ana("GET", "/admin/phone/quarantined"), ana("GET", "/admin/phone/quarantine/stats")]
    assert {answer.status_code for answer in answers} == {403}
    assert RegistryClient(http)("GET", f"{path}/status").status_code == 401


@pytest.mark.cases("registry", "N5")
@pytest.mark.parametrize("text", read_values("registry", "N5"))
def test_what_is_no_number_is_refused(book: Book, text: str) -> None:
    answer = book.staff("GET", f"/phone/{text}/status")
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, "phone-invalid")


@pytest.mark.cases("registry", "N5")
def test_a_number_is_the_same_with_and_without_plus_and_country(book: Book) -> None:
    book.prove(ANA)
    shown = [
        book.staff.ok("GET", f"/phone/{text}/status") for text in (f"+{book.number}", book.number, book.number[2:])
    ]
    assert shown[0] == shown[1] == shown[2]
    assert shown[0]["cpf"] == Cpf(ANA).masked


@pytest.mark.parametrize(
    ("what", "body", "code"),
    [
        ("bind", {"cpf": "90000000100", "channel": "web"}, "cpf-invalid"),
        ("bind", {"cpf": ANA}, "body-invalid"),
        ("opt-in", {"cpf": ANA, "channel": "WEB!"}, "channel-invalid"),
        ("opt-out", {"channel": "web", "reason": " "}, "reason-length"),
        ("opt-out", {"channel": "web", "reason": "x" * 501}, "reason-length"),
        ("opt-out", {"channel": "web", "reason": "escreva a ana@pessoa.example"}, "reason-personal"),
        ("reject-registration", {"cpf": ANA, "channel": "web", "reason": "ligue 21 99876-5432"}, "reason-personal"),
        ("reject-registration", {"cpf": 5, "channel": "web"}, "body-invalid"),
    ],
)
def test_a_body_at_fault_changes_nothing(book: Book, what: str, body: Any, code: str) -> None:
    book.prove(ANA)
    book.opt_in(ANA)
    before = book.status()
    assert refusal(book.post(what, body)) == (400, code)
    assert book.status() == before


def test_a_look_at_somebodys_number_is_recorded_for_them(book: Book, sql: Sql) -> None:
    count = "SELECT count(*) FROM platform.audit_event WHERE operation = 'registry.read_phone_status' AND subject = $1"
    book.prove(ANA)
    before = sql(count, Cpf(ANA).masked)[0][0]
    book.status()
    assert sql(count, Cpf(ANA).masked)[0][0] == before + 1


def test_preferences_are_changed_for_whom_the_number_is_bound_to(book: Book) -> None:
    book.prove(CARLA)
    path = f"/phone/{book.number}/notification-preferences"
    changed = book.staff.ok("PUT", path, {"channel": "whatsapp", "category_opt_ins": {"courses": True}})
    assert (changed["cpf"], changed["category_opt_ins"]["courses"]) == (Cpf(CARLA).masked, True)
    chosen = book.staff.ok("PATCH", f"{path}/categories/courses", {"channel": "whatsapp", "opt_in": False})
    assert chosen["cpf"] == Cpf(CARLA).masked
    own = book.people[CARLA].ok("GET", f"/citizen/{CARLA}/notification-preferences")
    assert own["category_opt_ins"]["courses"] is False
    unknown = book.staff("PATCH", f"{path}/categories/x", {"channel": "w", "opt_in": False})
    assert refusal(unknown) == (422, "category-unknown")
    assert book.people[CARLA]("PUT", path, {"channel": "web"}).status_code == 403


def test_the_version_of_masked_preferences_is_the_one_that_a_change_names(book: Book) -> None:
    book.prove(CARLA)
    path = f"/phone/{book.number}/notification-preferences"
    old = book.staff("GET", path).headers["ETag"]
    body = {"channel": "whatsapp", "opt_in": False}
    changed = [
        book.staff(method, address, body | {"opt_in": opt_in}, If_Match=old)
        for method, address, opt_in in (
            ("PUT", path, False),
            ("PUT", path, True),
            ("PATCH", f"{path}/categories/courses", True),
        )
    ]
    assert [answer.status_code for answer in changed] == [200, 412, 412]
    new = book.staff("GET", path).headers["ETag"]
    assert book.staff("PATCH", f"{path}/categories/courses", body, If_Match=new).status_code == 200


@pytest.mark.cases("registry", "N6")
def test_a_registration_is_checked_without_telling_more_than_was_sent(book: Book) -> None:
    def check(**changed: str) -> dict[str, Any]:
        body = {"cpf": ANA, "name": "ana  beatriz MOREIRA", "birth_date": "1990-05-17", "channel": "whatsapp"} | changed
        found: dict[str, Any] = book.post("validate-registration", body).json()
        return found

    assert check() == {"valid": True, "matched_cpf": Cpf(ANA).masked, "matched_name": "a** b****** M******"}
    wrong = {"valid": False, "matched_cpf": None, "matched_name": None}
    assert check(name="Ana Moreira") == check(birth_date="1990-05-18") == check(cpf="90000001147") == wrong
    assert book.status()["found"] is False


def test_what_is_no_birth_date_is_refused_and_costs_no_guess(book: Book) -> None:
    body = {"cpf": "90000000418", "name": "Davi Furtado", "channel": "whatsapp"}
    for birth_date in ("17/05/1990", "1990-02-30", "1990-05-17T00:00:00-03:00", "") * 2:
        answer = book.post("validate-registration", body | {"birth_date": birth_date})
        assert (answer.status_code, answer.headers["Error-Code"]) == (400, "birth_date-invalid")
    assert book.post("validate-registration", body | {"birth_date": " 1990-05-17 "}).status_code == 200


def list_quarantined(book: Book, filters: str = "") -> list[dict[str, Any]]:
    """Return the entries of all pages. In a full run, other tests leave more entries than fit on one page."""
    found: list[dict[str, Any]] = []
    for page in count(1):
        listed = book.staff.ok("GET", f"/admin/phone/quarantined?per_page=100&page={page}{filters}")["data"]
        if not listed:
            break
        found += listed
    return found


@pytest.mark.cases("registry", "N7")
def test_quarantined_numbers_are_listed_and_counted(book: Book) -> None:
    before = book.staff.ok("GET", "/admin/phone/quarantine/stats")
    book.prove(ANA)
    book.quarantine()
    until = book.quarantine().json()["quarantine_until"]
    listed = list_quarantined(book)
    [mine] = [one for one in listed if one["phone_number"] == f"+{book.number}"]
    assert mine == {"phone_number": f"+{book.number}", "quarantine_until": until, "expired": False}
    after = book.staff.ok("GET", "/admin/phone/quarantine/stats")
    assert {name: after[name] - before[name] for name in before} == {
        "total_quarantined": 1,
        "active_quarantines": 1,
        "expired_quarantines": 0,
        "quarantines_with_cpf": 1,
        "quarantines_without_cpf": 0,
        "quarantine_history_total": 2,
    }
    book.end_quarantine()
    assert f"+{book.number}" in [one["phone_number"] for one in list_quarantined(book, "&expired=true")]
    assert refusal(book.staff("GET", "/admin/phone/quarantined?expired=x")) == (400, "expired-invalid")


# --- the person's rights ----------------------------------------------------------------------------------------------


@pytest.mark.cases("registry", "N8")
def test_the_export_has_numbers_and_history_and_the_history_no_number(book: Book, sql: Sql) -> None:
    book.prove(BRUNO)
    book.opt_in(BRUNO)
    book.opt_out("too_many_messages")
    file = book.people[BRUNO].ok("GET", f"/citizen/{BRUNO}/data-export")
    assert f"+{book.number}" in [one["phone_number"] for one in file["telefones"]]
    mine = [one for one in file["historico_telefones"] if one["phone_number"].endswith(book.number[-4:])]
    assert [(one["action"], one["reason"]) for one in mine] == [("opt_out", "too_many_messages"), ("opt_in", None)]
    entries = "SELECT string_agg(entry::text, '') FROM registry.phone_book_entry AS entry"
    assert book.number not in sql(entries)[0][0]


@pytest.mark.cases("registry", "N8")
def test_an_anonymisation_frees_the_numbers_and_keeps_the_proof(
    http: httpx.Client, issuer: Issuer, sql: Sql, drain: Drain, book: Book
) -> None:
    book.prove(CARLA)
    book.opt_in(CARLA)
    crm = RegistryClient(http, issuer.machine("crm-sandbox"))
    crm.ok("POST", "/webhooks/crm/cidadao", {"cpf": CARLA, "evento": "anonimizacao"})
    drain()
    assert book.status()["found"] is False
    assert sql("SELECT FROM registry.phone_book WHERE cpf = $1", CARLA) == []
    assert sql("SELECT FROM registry.phone_book_entry WHERE cpf = $1 AND action = 'opt_in'", CARLA) != []
    book.prove(CARLA)  # the same person proves the number again
    assert book.status()["cpf"] == Cpf(CARLA).masked


def test_a_quarantine_lasts_180_days_and_longer_if_it_already_does(book: Book, sql: Sql) -> None:
    lasting = "SELECT quarantine_until - now() AS left FROM registry.phone_book WHERE number = $1"
    book.quarantine()
    (held,) = sql(lasting, book.number)
    assert timedelta(days=179, hours=23) < held["left"] <= timedelta(days=180)
    sql("UPDATE registry.phone_book SET quarantine_until = now() + interval '200 days' WHERE number = $1", book.number)
    book.quarantine()
    (held,) = sql(lasting, book.number)
    assert held["left"] > timedelta(days=199)


@pytest.mark.parametrize(("name", "status"), [("x" * 255, 200), ("x" * 256, 400), (" ", 400)])
def test_a_name_to_compare_has_at_most_255_characters(book: Book, name: str, status: int) -> None:
    body = {"cpf": "90000000507", "name": name, "birth_date": "1990-05-17", "channel": "whatsapp"}
    assert book.post("validate-registration", body).status_code == status


def test_quarantines_that_are_over_go_after_thirty_days_and_entries_after_five_years(
    book: Book, sql: Sql, settings: Settings, database_url: str
) -> None:
    for days in (1825, 1828):  # five years contain one or two leap days
        sql(
            "INSERT INTO registry.phone_book_entry (id, number_hash, number, action, at, actor_kind, azp, request_id) "
            "VALUES (gen_random_uuid(), '', '*1234', 'released', now() - make_interval(days => $1), 'staff', '', $2)",
            *(days, f"aged {days}"),
        )
    kept = new_number()
    for number, days in ((book.number, 31), (kept, 29)):
        Book.quarantine(book) if number == book.number else book.staff.ok("POST", f"/phone/{number}/quarantine")
        sql(
            "UPDATE registry.phone_book SET quarantine_until = now() - make_interval(days => $2) WHERE number = $1",
            *(number, days),
        )
    with acting(settings, database_url, retention.OPERATION) as act:
        act(retention.run_retention, RETENTION)
    left = {row["number"] for row in sql("SELECT number FROM registry.phone_book")}
    aged = sql("SELECT request_id FROM registry.phone_book_entry WHERE request_id LIKE 'aged %'")
    assert [row["request_id"] for row in aged] == ["aged 1825"]
    assert (book.number in left, kept in left) == (False, True)


@pytest.mark.parametrize(
    ("text", "number"), [("(21)\u00a098888\u20117766", "5521988887766"), ("\u200b+49 30 901820", "4930901820")]
)
def test_a_number_may_be_pasted_into_a_path(text: str, number: str) -> None:
    assert parse_number(text) == number
