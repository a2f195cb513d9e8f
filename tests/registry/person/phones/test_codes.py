"""The limits for codes: sending, attempts and lifetime (rules: registry 4.7)."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import httpx
import pytest

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.registry.person.citizens.imports import IMPORTS
from balcao.registry.person.phones import service
from balcao.registry.person.phones.schemas import PhoneBody
from balcao.settings import Settings
from balcao_sandbox.passing_time.service import pass_time
from tests.registry.declared_values import Citizen
from tests.registry.import_rows import load
from tests.registry.person.phones.numbers import (
    AGE,
    AGE_COUNTS,
    FORGET_COUNTS,
    HELD,
    mobile,
    other_than,
)
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        *((code, "body-invalid") for code in (None, 123456)),
        *((code, "code-invalid") for code in ("", "12345", "1234567", "12345a", "١٢٣٤٥٦")),
    ],
)
def test_what_is_no_code_is_refused_and_no_try(citizen: Citizen, sql: Sql, code: Any, fault: str) -> None:
    phone = mobile()
    assert citizen.put("phone", phone).status_code == 200
    answer = citizen.post("phone/validate", phone | {"code": code})
    assert (*refusal(answer), "code" in answer.json()["error"]) == (400, fault, True)
    assert sql(HELD, citizen.cpf)[0]["attempts"] == 0


@pytest.mark.cases("registry", "G7")
def test_a_code_is_good_once_for_its_number_and_while_it_lasts(
    citizen: Citizen, code_of: Callable[[dict[str, str]], str], sql: Sql
) -> None:
    phone = mobile()
    assert refusal(citizen.post("phone/validate", phone | {"code": "123456"})) == (404, "phone-code-wrong")
    assert citizen.put("phone", phone).status_code == 200
    code = code_of(phone)
    another = citizen.post("phone/validate", mobile() | {"code": code})
    wrong = citizen.post("phone/validate", phone | {"code": other_than(code)})
    assert (another.status_code, another.text) == (wrong.status_code, wrong.text)
    assert (wrong.status_code, wrong.headers["Error-Code"]) == (404, "phone-code-wrong")
    assert wrong.json() == {
        "error": "Invalid or expired verification code",
        "message": "O código não confere ou não vale mais para este telefone.",
    }
    assert sql(HELD, citizen.cpf)[0]["attempts"] == 2
    assert citizen.post("phone/validate", phone | {"code": f" {code} "}).status_code == 200
    assert refusal(citizen.post("phone/validate", phone | {"code": code})) == (404, "phone-code-wrong")


@pytest.mark.cases("registry", "G7")
def test_a_code_ends_after_its_time(citizen: Citizen, code_of: Callable[[dict[str, str]], str], sql: Sql) -> None:
    phone = mobile()
    assert citizen.put("phone", phone).status_code == 200
    code = code_of(phone)
    (held,) = sql("SELECT expires_at - sent_at AS lasting FROM registry.phone_verification WHERE cpf = $1", citizen.cpf)
    assert held["lasting"] == timedelta(seconds=600)
    sql(AGE, citizen.cpf, 601.0)
    assert refusal(citizen.post("phone/validate", phone | {"code": code})) == (404, "phone-code-wrong")
    assert citizen.main("telefone") is None


@pytest.mark.cases("registry", "G7")
def test_five_wrong_tries_end_it_until_a_new_code_is_asked_for(
    citizen: Citizen, code_of: Callable[[dict[str, str]], str], sql: Sql
) -> None:
    phone = mobile()
    assert citizen.put("phone", phone).status_code == 200
    code = code_of(phone)
    tries = [refusal(citizen.post("phone/validate", phone | {"code": other_than(code)})) for _ in range(5)]
    assert tries == [(404, "phone-code-wrong")] * 5
    refused = citizen.post("phone/validate", phone | {"code": code})
    assert (refused.status_code, refused.headers["Error-Code"]) == (429, "phone-code-tries")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    sql(AGE_COUNTS, 61.0)
    assert citizen.put("phone", phone).status_code == 200
    assert citizen.post("phone/validate", phone | {"code": code_of(phone)}).status_code == 200


def test_however_many_guess_at_once_only_five_are_heard(
    citizen: Citizen, code_of: Callable[[dict[str, str]], str], sql: Sql
) -> None:
    phone = mobile()
    assert citizen.put("phone", phone).status_code == 200
    wrong = other_than(code_of(phone))
    with ThreadPoolExecutor(12) as many:
        answers = list(many.map(lambda _: citizen.post("phone/validate", phone | {"code": wrong}), range(12)))
    assert sorted(map(refusal, answers)) == [(404, "phone-code-wrong")] * 5 + [(429, "phone-code-tries")] * 7
    assert sql(HELD, citizen.cpf)[0]["attempts"] == 5


def test_of_equal_confirmations_at_once_one_counts(citizen: Citizen, code_of: Callable[[dict[str, str]], str]) -> None:
    phone = mobile()
    assert citizen.put("phone", phone).status_code == 200
    body = phone | {"code": code_of(phone)}
    with ThreadPoolExecutor(5) as many:
        answers = list(many.map(lambda _: refusal(citizen.post("phone/validate", body)), range(5)))
    assert sorted(answers) == [(200, None)] + [(404, "phone-code-wrong")] * 4


def test_a_new_code_voids_the_one_before(citizen: Citizen, code_of: Callable[[dict[str, str]], str], sql: Sql) -> None:
    first, second = mobile(), mobile()
    assert citizen.put("phone", first).status_code == 200
    code = code_of(first)
    sql(AGE_COUNTS, 61.0)
    assert citizen.put("phone", second).status_code == 200
    assert refusal(citizen.post("phone/validate", first | {"code": code})) == (404, "phone-code-wrong")
    assert citizen.post("phone/validate", second | {"code": code_of(second)}).status_code == 200


@pytest.mark.cases("registry", "G6")
def test_a_code_a_minute_for_the_citizen_and_for_the_number(
    http: httpx.Client, issuer: Issuer, citizen: Citizen, code_of: Callable[[dict[str, str]], str], sql: Sql
) -> None:
    phone, another = mobile(), mobile()
    assert citizen.put("phone", phone).status_code == 200
    (before,) = sql(HELD, citizen.cpf)
    refused = citizen.put("phone", another)
    assert (refused.status_code, refused.headers["Error-Code"]) == (429, "phone-code-limit")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    stranger = Citizen.new(http, issuer)
    assert refusal(stranger.put("phone", phone)) == (429, "phone-code-limit")
    assert sql(HELD, citizen.cpf) == [before]
    assert citizen.post("phone/validate", phone | {"code": code_of(phone)}).status_code == 200
    assert refusal(citizen.put("phone", another)) == (429, "phone-code-limit")
    sql(AGE_COUNTS, 61.0)
    assert citizen.put("phone", another).status_code == 200


@pytest.mark.parametrize(
    ("whose", "sent", "window"),
    [("citizen", 5, 3_600), ("citizen", 20, 86_400), ("number", 10, 3_600), ("number", 20, 86_400)],
)
def test_so_many_codes_an_hour_and_a_day(
    http: httpx.Client, issuer: Issuer, sql: Sql, whose: str, sent: int, window: int
) -> None:
    """Spread the calls over the window, so that no other limit is reached.

    Once the oldest call has left the window, another call succeeds.
    """
    sql(FORGET_COUNTS)
    one, number, step = Citizen.new(http, issuer), mobile(), window / (sent + 1)
    for _ in range(sent):
        asking, phone = (one, mobile()) if whose == "citizen" else (Citizen.new(http, issuer), number)
        assert asking.put("phone", phone).status_code == 200
        sql(AGE_COUNTS, step)
    asking, phone = (one, mobile()) if whose == "citizen" else (Citizen.new(http, issuer), number)
    refused = asking.put("phone", phone)
    assert refusal(refused) == (429, "phone-code-limit")
    assert abs(int(refused.headers["Retry-After"]) - step) < 60
    sql(AGE_COUNTS, step)
    assert asking.put("phone", phone).status_code == 200


@pytest.mark.cases("registry", "G9")
@pytest.mark.parametrize("step", [61.0, 3_700.0], ids=["within an hour", "over the day"])
def test_nobody_alone_spends_the_codes_of_a_number(
    http: httpx.Client, issuer: Issuer, citizen: Citizen, sql: Sql, step: float
) -> None:
    sql(FORGET_COUNTS)
    stranger, phone = Citizen.new(http, issuer), mobile()
    for _ in range(5):
        assert stranger.put("phone", phone).status_code == 200
        sql(AGE_COUNTS, step)
    sql(AGE_COUNTS, 3_600.0)  # stay below the hourly limit of a person
    refused = stranger.put("phone", phone)
    assert refusal(refused) == (429, "phone-code-limit")
    assert abs(int(refused.headers["Retry-After"]) - (86_400 - 5 * step - 3_600)) < 60
    assert stranger.put("phone", mobile()).status_code == 200
    sql(AGE_COUNTS, -3_600.0)
    assert citizen.put("phone", phone).status_code == 200


@pytest.mark.cases("registry", "G9")
@pytest.mark.parametrize("told_by", ["city", "city, as another one", "CRM"])
def test_however_many_spend_a_number_whoever_has_it_in_their_record_gets_a_code(
    http: httpx.Client, issuer: Issuer, citizen: Citizen, sql: Sql, drain: Drain, database_url: str, told_by: str
) -> None:
    sql(FORGET_COUNTS)
    phone = mobile()
    if told_by == "CRM":
        citizen.event({"telefone2": f"+55 (21) {phone['valor']}"})
        drain()
    else:
        known = {"ddi": "55", "ddd": "21", "valor": phone["valor"]}
        listed = {"principal": known} if told_by == "city" else {"alternativo": [{"valor": f"21{phone['valor'][1:]}"}]}
        load(database_url, IMPORTS[0], {"_id": "a", "source": "teste", "cpf": citizen.cpf, "telefone": listed})
    for _ in range(4):
        stranger = Citizen.new(http, issuer)
        for _ in range(5):
            assert stranger.put("phone", phone).status_code == 200
            sql(AGE_COUNTS, 800.0)
    assert refusal(Citizen.new(http, issuer).put("phone", phone)) == (429, "phone-code-limit")
    for _ in range(5):
        assert citizen.put("phone", phone).status_code == 200
        sql(AGE_COUNTS, 800.0)
    assert refusal(citizen.put("phone", phone)) == (429, "phone-code-limit")  # counts the caller's own number too


async def test_of_many_who_ask_at_once_for_one_number_one_gets_a_code(
    http: httpx.Client, issuer: Issuer, platform: Platform
) -> None:
    phone, call = PhoneBody(**mobile()), operator_call(platform, "registry.declare_phone")
    citizens = [Cpf(Citizen.new(http, issuer).cpf) for _ in range(8)]
    asked = (service.declare_phone(call, cpf, phone) for cpf in citizens)
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert sorted(type(answer).__name__ for answer in answers) == ["Message"] + ["TooMany"] * 7


def test_the_trial_lets_the_lifetime_of_one_persons_code_pass(
    http: httpx.Client,
    issuer: Issuer,
    settings: Settings,
    database_url: str,
    code_of: Callable[[dict[str, str]], str],
) -> None:
    theirs, anothers = Citizen.new(http, issuer), Citizen.new(http, issuer)
    codes = {}
    for citizen in (theirs, anothers):
        phone = mobile()
        assert citizen.put("phone", phone).status_code == 200
        codes[citizen] = phone | {"code": code_of(phone)}
    lifetime = timedelta(seconds=settings.phone_code_ttl)
    aged = asyncio.run(pass_time(database_url, Cpf(theirs.cpf), lifetime + timedelta(minutes=1)))
    assert aged["código de telefone"] == 1
    assert [each.post("phone/validate", codes[each]).status_code for each in (theirs, anothers)] == [404, 200]
