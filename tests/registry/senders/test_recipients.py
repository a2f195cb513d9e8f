"""Tests for the check of recipients (rules: registry 4.17)."""

import json
from typing import Any

import httpx
import pytest

from balcao.core.values.cpf import Cpf
from balcao.registry.consent.preferences.options import OPT_OUT_REASONS
from tests.registry.person.phone_book_calls import ANA, BRUNO, CARLA, Book, load_people, new_number
from tests.registry.registry_client import RegistryClient, new_cpf
from tests.registry.senders.sender_calls import SCOPE, SENDER, Sender, check_path
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal

BODY = {"purpose": "public_campaign", "campaign": "gripe-2026", "cpfs": [ANA]}


@pytest.fixture(scope="module", autouse=True)
def people(http: httpx.Client, database_url: str) -> None:
    load_people(database_url)


@pytest.fixture
def book(http: httpx.Client, issuer: Issuer, sql: Sql) -> Book:
    return Book(http, issuer, sql, new_number())


def choose(http: httpx.Client, issuer: Issuer, cpf: str, **members: Any) -> None:
    citizen = RegistryClient(http, issuer.person(cpf))
    citizen.ok("PUT", f"/citizen/{cpf}/notification-preferences", {"channel": "web"} | members)


@pytest.mark.cases("registry", "U1")
def test_only_a_machine_with_the_scope_checks_recipients(http: httpx.Client, issuer: Issuer) -> None:
    def status(token: str | None) -> int:
        return RegistryClient(http, token)("POST", check_path(), BODY).status_code

    assert status(None) == 401
    assert status(issuer.machine(SENDER, "sms:read")) == 403
    assert status(issuer.person(ANA)) == 403
    assert status(issuer.admin()) == 403
    assert status(issuer.person(ANA, azp=SENDER, scope=f"openid {SCOPE}")) == 403
    assert status(issuer.machine(SENDER, SCOPE)) == 200
    assert status(issuer.machine("balcao-platform")) == 200


@pytest.mark.cases("registry", "U2")
def test_a_person_who_chose_is_shown_with_the_proof(
    sender: Sender, http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    choose(http, issuer, ANA, opt_in=False, category_opt_ins={"courses": True})
    choose(http, issuer, ANA, opt_in=True)
    (found,) = sender.check("courses", cpfs=[ANA])
    history = RegistryClient(http, issuer.person(ANA)).ok("GET", f"/citizen/{ANA}/notification-preferences/history")
    by_category = {entry["category"]: entry["id"] for entry in reversed(history["data"])}
    assert (found["recipient"], found["accepts"], found["channel"], found["basis"]) == (ANA, True, "email", "choice")
    assert found["proof"] == [by_category["courses"], by_category[None]]
    assert found["unsubscribe"].startswith("http")
    assert ANA not in found["unsubscribe"] + found["reference"]


@pytest.mark.cases("registry", "U3")
def test_a_person_without_a_choice_has_the_default_of_the_category(sender: Sender) -> None:
    (found,) = sender.check("health", cpfs=[BRUNO])
    assert (found["accepts"], found["basis"], found["proof"]) == (True, "default", [])
    assert sender.accepting([BRUNO], "courses") == [False]


@pytest.mark.cases("registry", "U4")
def test_refused_and_unknown_people_get_the_same_bytes_apart_from_their_cpf(
    sender: Sender, http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    refused, partly, erased, dead, unknown = (new_cpf() for _ in range(5))
    for cpf in (refused, partly, erased, dead):
        record = '{"obito": {"indicador": true}}' if cpf == dead else "{}"
        sql("INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, $2::jsonb, 'test')", cpf, record)
    choose(http, issuer, refused, opt_in=False)
    choose(http, issuer, partly, category_opt_ins={"health": False})
    sql("INSERT INTO registry.mirror_head (cpf, anonymised_at) VALUES ($1, now())", erased)
    asked = [refused, partly, erased, dead, unknown]
    answer = sender.send(cpfs=asked)
    items = [
        json.dumps(item, sort_keys=False).replace(cpf, "") for item, cpf in zip(_items(answer), asked, strict=True)
    ]
    assert len(set(items)) == 1
    alone = [sender.send(cpfs=[cpf]) for cpf in asked]
    texts = {str({**each.json(), "checked_at": ""}).replace(cpf, "") for each, cpf in zip(alone, asked, strict=True)}
    assert len(texts) == 1
    names = {frozenset(each.headers) for each in alone}
    assert len(names) == 1


def _items(answer: httpx.Response) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = answer.json()["recipients"]
    return found


@pytest.mark.cases("registry", "U5")
def test_an_opt_out_is_honoured_by_the_next_check(sender: Sender, http: httpx.Client, issuer: Issuer) -> None:
    assert sender.accepting([CARLA]) == [True]
    changes: list[tuple[dict[str, Any], bool]] = [
        ({"opt_in": False}, False),
        ({"opt_in": True}, True),
        ({"category_opt_ins": {"health": False}}, False),
        ({"category_opt_ins": {"health": True}}, True),
    ]
    for change, accepts in changes:
        choose(http, issuer, CARLA, **change)
        assert sender.accepting([CARLA]) == [accepts]


@pytest.mark.cases("registry", "U6")
def test_each_person_sees_a_mailing_once(sender: Sender, http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    asked, other = new_cpf(), new_cpf()

    def seen(cpf: str) -> list[tuple[Any, ...]]:
        accesses = RegistryClient(http, issuer.person(cpf)).ok("GET", f"/citizen/{cpf}/data-access")["data"]
        return [(each["actor"], each["actor_kind"], each["fields"], each["reason"]) for each in accesses]

    for _ in range(3):
        sender.check(campaign="uma-vez", cpfs=[asked, asked])
    number = sender.send(campaign="uma-vez", cpfs=[other]).json()["campaign"]
    reason = f"Envio {number} sobre Saúde: campanha de interesse público."
    assert seen(asked) == [(SENDER, "client", ["opt_in", "category_opt_ins"], reason)]
    assert seen(other) == seen(asked)
    sender.check(campaign="outra", cpfs=[asked])
    sender.check("courses", campaign="uma-vez", cpfs=[asked])
    assert len(seen(asked)) == 3
    listed = RegistryClient(http, issuer.admin()).ok("GET", "/admin/campaigns?per_page=100")["data"]
    (shown,) = [each for each in listed if each["number"] == number]
    assert (shown["client"], shown["code"], shown["purpose"], shown["people"]) == (
        SENDER,
        "uma-vez",
        "public_campaign",
        2,
    )


@pytest.mark.cases("registry", "U7")
def test_the_words_of_a_sender_never_reach_the_person(sender: Sender, sql: Sql) -> None:
    cpf = new_cpf()
    sender.call(
        "POST",
        check_path(),
        BODY | {"campaign": "palavras-de-quem-envia", "cpfs": [cpf]},
        X_Access_Reason="Vote em mim",
    )
    events = sql("SELECT * FROM platform.audit_event WHERE operation = 'registry.check_recipients'")
    assert events
    assert not any("palavras" in str(tuple(event)) or "Vote" in str(tuple(event)) for event in events)


@pytest.mark.cases("registry", "U8")
def test_the_purpose_of_a_mailing_never_changes(sender: Sender, http: httpx.Client, issuer: Issuer) -> None:
    assert sender.send(campaign="fixa", cpfs=[ANA]).status_code == 200
    assert refusal(sender.send(campaign="fixa", cpfs=[ANA], purpose="survey")) == (409, "campaign-purpose")
    other = Sender(http, issuer, "portal-cidadao")
    assert other.send(campaign="fixa", cpfs=[ANA], purpose="survey").status_code == 200


@pytest.mark.cases("registry", "U9")
def test_a_phone_accepts_only_with_the_consent_of_the_person_to_whom_it_is_bound(sender: Sender, book: Book) -> None:
    phone = f"+{book.number}"

    def accepts() -> bool:
        (found,) = sender.check(phones=[phone])
        assert found["recipient"] == phone
        assert found["unsubscribe"] is None
        return bool(found["accepts"])

    assert not accepts()
    book.prove(BRUNO)
    assert not accepts()
    book.opt_in(BRUNO)
    assert accepts()
    book.opt_out("too_many_messages")
    assert not accepts()
    book.opt_in(BRUNO)
    book.prove(ANA)  # the number now belongs to another person
    assert not accepts()
    book.opt_in(ANA)
    assert accepts()
    book.quarantine()
    assert not accepts()


def test_a_phone_without_its_ninth_digit_is_the_same_phone(sender: Sender, book: Book) -> None:
    book.number = book.number[:5] + "8" + book.number[6:]  # after the ninth digit, a mobile number has 6 to 9
    book.prove(ANA)
    book.opt_in(ANA)
    written, short = sender.check(phones=[f"+{book.number}", f"{book.number[:4]}{book.number[5:]}"])
    assert written == short
    assert short["accepts"]


@pytest.mark.cases("registry", "U10")
def test_the_proof_of_a_phone_includes_its_own_entry(sender: Sender, book: Book, sql: Sql) -> None:
    book.prove(BRUNO)
    book.opt_in(BRUNO)
    book.opt_out("too_many_messages")
    book.opt_in(BRUNO)
    (found,) = sender.check(phones=[book.number])
    newest = sql(
        "SELECT id FROM registry.phone_book_entry WHERE cpf = $1 AND action = 'opt_in' ORDER BY at DESC LIMIT 1", BRUNO
    )
    assert found["proof"] == [str(newest[0]["id"])]
    assert (found["channel"], BRUNO in str(found), Cpf(BRUNO).masked in str(found)) == ("phone", False, False)


@pytest.mark.cases("registry", "U10")
def test_the_preferences_of_a_person_count_for_their_phones(
    sender: Sender, book: Book, http: httpx.Client, issuer: Issuer
) -> None:
    book.prove(BRUNO)
    book.opt_in(BRUNO)
    choose(http, issuer, BRUNO, category_opt_ins={"alerts": False})
    assert [each["accepts"] for each in sender.check("alerts", phones=[book.number])] == [False]
    assert [each["accepts"] for each in sender.check("services", phones=[book.number])] == [True]


@pytest.mark.cases("registry", "U9")
def test_a_number_without_proof_accepts_until_its_binding_ends(sender: Sender, book: Book, sql: Sql) -> None:
    book.bind_own(BRUNO)
    book.opt_in(BRUNO)
    assert [each["accepts"] for each in sender.check("services", phones=[book.number])] == [True]
    sql("UPDATE registry.phone_book SET bound_at = bound_at - interval '31 days' WHERE number = $1", book.number)
    assert [each["accepts"] for each in sender.check("services", phones=[book.number])] == [False]


def test_answers_have_the_order_of_the_request_and_repetitions_are_answered_again(sender: Sender) -> None:
    asked = [CARLA, new_cpf(), ANA, CARLA]
    assert [each["recipient"] for each in sender.check(cpfs=asked)] == asked


@pytest.mark.cases("registry", "U11")
@pytest.mark.parametrize("category", ["nobody_knows", "inactive_two"])
def test_an_unknown_or_inactive_category_is_refused_and_nothing_is_stored(
    sender: Sender, http: httpx.Client, issuer: Issuer, sql: Sql, category: str
) -> None:
    new = {"id": "inactive_two", "name": "Inativa", "description": "Não se oferece.", "active": False}
    RegistryClient(http, issuer.admin())("POST", "/admin/notification-categories", new)
    cpf = new_cpf()
    assert refusal(sender.send(category, campaign="nada", cpfs=[cpf])) == (422, "category-unknown")
    assert sql("SELECT FROM registry.campaign WHERE code = 'nada'") == []


TOO_MANY = [Cpf.with_stem(f"{900000000 + number}").digits for number in range(1001)]
HOSTILE: list[tuple[Any, str]] = [
    (b"", "body-missing"),
    (b"{", "body-malformed"),
    (b"[]", "body-not-object"),
    (b"null", "body-not-object"),
    ({}, "body-invalid"),
    (BODY | {"purpose": "spam"}, "purpose-invalid"),
    (BODY | {"purpose": None}, "body-invalid"),
    (BODY | {"campaign": "G"}, "campaign-invalid"),
    (BODY | {"campaign": "x" * 65}, "campaign-invalid"),
    (BODY | {"campaign": "oi você"}, "campaign-invalid"),
    (BODY | {"campaign": f"a-{ANA}"}, "campaign-personal"),
    (BODY | {"campaign": "a\u0000b"}, "campaign-control"),
    ({**BODY, "phones": ["+5521999990000"]}, "recipients-kind"),
    ({"purpose": "survey", "campaign": "aa"}, "recipients-kind"),
    (BODY | {"cpfs": []}, "recipients-number"),
    (BODY | {"cpfs": TOO_MANY}, "recipients-number"),
    (BODY | {"cpfs": [ANA, "90000000176"]}, "recipient-invalid"),
    (BODY | {"cpfs": ["9" * 11]}, "recipient-invalid"),
    (BODY | {"cpfs": ["9" * 20_000]}, "recipient-invalid"),
    (BODY | {"cpfs": [90000000175]}, "body-invalid"),
    (BODY | {"cpfs": None}, "body-invalid"),
    (BODY | {"cpfs": {}}, "body-invalid"),
    ({"purpose": "survey", "campaign": "aa", "phones": ["123"]}, "recipient-invalid"),
    ({"purpose": "survey", "campaign": "aa", "phones": ["+" + "1" * 16]}, "recipient-invalid"),
]


@pytest.mark.cases("registry", "U12")
@pytest.mark.parametrize(("body", "code"), HOSTILE, ids=range(len(HOSTILE)))
def test_a_malformed_question_is_refused_and_stores_nothing(sender: Sender, sql: Sql, body: Any, code: str) -> None:
    before = sql("SELECT count(*) FROM registry.campaign_person")
    answer = sender.call("POST", check_path(), body)
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, code), answer.text
    assert "9000000017" not in answer.text
    assert sql("SELECT count(*) FROM registry.campaign_person") == before


def test_a_body_above_the_limit_is_refused(sender: Sender) -> None:
    assert sender.send(cpfs=[ANA] * 10_000).status_code == 413


def test_an_invalid_item_is_named_by_its_position(sender: Sender) -> None:
    answer = sender.send(cpfs=[ANA, "x"])
    assert answer.json() == {"error": "O item 2 de `cpfs` não é válido."}


def test_no_reason_of_a_form_is_added(http: httpx.Client) -> None:
    assert RegistryClient(http).ok("GET", "/config/opt-out-reasons") == list(OPT_OUT_REASONS)
