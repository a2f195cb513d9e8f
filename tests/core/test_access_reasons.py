"""The access reason as the caller types it and as the audit trail stores it, over HTTP (rules: registry 1.1)."""

import re
from typing import Any
from urllib.parse import quote

import httpx
import phonenumbers
import phonenumbers.phonenumbermatcher
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.core.access.caller import from_claims
from balcao.core.values import emails, personal_data
from balcao.core.values.cpf import Cpf
from balcao.core.values.personal_data import CPF, EMAIL, KINDS, PHONE, clean_name, find_kinds, refuse_personal_data
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.refusals import refusal

ANA, ADMIN = "90000000175", "90000040126"
RECORD = f"/registry/v1/citizen/{ANA}"
LAST = "SELECT reason FROM platform.audit_event WHERE reason IS NOT NULL ORDER BY at DESC LIMIT 1"

HIDDEN = [
    ("900.000.001-75", CPF),
    ("Ana, CPF:90000000175.", CPF),
    ("900 000 001 75", CPF),
    ("900/000/001/75", CPF),
    ("900_000_001 - 75", CPF),
    ("9 0 0 0 0 0 0 0 1 7 5", CPF),
    ("sala 12 900.000.001-75", CPF),
    ("\uff19\uff10\uff10\uff0e\uff10\uff10\uff10\uff0e\uff10\uff10\uff11\uff0d\uff17\uff15", CPF),  # full-width digits
    ("\u0669\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0661\u0667\u0665", CPF),  # Arabic digits
    ("900\u200b000\u2060001\u00ad75", CPF),  # invisible characters between the digits
    ("9\ufe0f\u20e300000001 75", CPF),  # a keycap digit
    ("ver ana.b@exemplo.com.br", EMAIL),
    ("ver ana\uff20exemplo.com.br", EMAIL),
    ("ver ana@exem\u200bplo.com", EMAIL),
    ("ligue (21) 98765-4321", PHONE),
    ("ligue 2 1 9 8 7 6 5 4 3 2 1", PHONE),
    ("ligue 21\u200b98765\u200b4321", PHONE),
    ("+55.21.98765.4321", PHONE),
    ("Rua 3, 45 - (21) 98765-4321, 8 as 18", PHONE),
    ("em 2024-01-02 21 98765-4321", PHONE),
    ("de 0055 21 98765 4321", PHONE),
    ("ligue +44 20 7946 0958, 45", PHONE),
]
HARMLESS = [
    "Atendimento 4711",
    "Processo 0001234-56.2026.8.26.0100",
    "Protocolo 2026/000123, de 23/11/2026 10:30",
    "CPF 900.000.001-76",  # not a CPF, because the check digits are wrong
    "telefone 1746",
    "a @ b",
    "R$ 10.000.000,00",
    "2024-11-30 12:34:56",
    "ligue 0800 123 4567",
    "CNPJ 11.222.333/0001-81, CEP 20040-020",
]


@pytest.mark.parametrize(("text", "kind"), HIDDEN)
def test_personal_data_are_found_however_they_are_written(text: str, kind: str) -> None:
    assert kind in find_kinds(text)
    with pytest.raises(ValueError, match=kind) as refused:
        refuse_personal_data(text)
    assert "9" not in str(refused.value)


@pytest.mark.parametrize("text", HARMLESS)
def test_numbers_of_other_things_are_no_personal_data(text: str) -> None:
    assert find_kinds(text) == set()


@pytest.mark.parametrize(
    "word", ["a@b_{} ", "+999{:07} ", "20 2{:03}-{:04} ", "1.", "@", "(", "{:011} ", "\u0301", "a@a."]
)
def test_few_parts_of_a_long_text_are_shown_to_the_libraries(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each library look-up takes a tenth of a millisecond, and agents' data sets contain megabytes of text."""
    asked = count_calls(monkeypatch)
    find_kinds("".join(word.format(number % 1000, number) for number in range(5_000)))
    assert len(asked) <= 100


@given(st.text("0123456789 .", max_size=60))
def test_a_cpf_is_found_wherever_groups_of_digits_make_one(text: str) -> None:
    groups = re.findall("[0-9]+", text)
    rows = (groups[first:last] for first in range(len(groups)) for last in range(first + 1, len(groups) + 1))
    is_there = any(Cpf.parse("".join(row)) for row in rows)
    is_close = re.search(r"[ .]{4}", text.strip(" .")) is None
    assert not is_close or (CPF in find_kinds(text)) == is_there


@given(st.integers(1, 999_999_998), st.text("0123456789 ", max_size=20), st.lists(st.integers(0, 11), max_size=4))
def test_a_cpf_is_found_beside_other_numbers(stem: int, other: str, blanks: list[int]) -> None:
    digits = append_check_digits(stem)
    for place in sorted(blanks, reverse=True):
        digits = f"{digits[:place]} {digits[place:]}"
    assert CPF in find_kinds(f"{other} {' '.join(digits.split())} {other}")


def append_check_digits(stem: int) -> str:
    try:
        return Cpf.with_stem(f"{stem:09}").digits
    except ValueError:  # the check digits for this stem would repeat one digit
        return "90000000175"


def count_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    asked: list[str] = []
    find_address, parse = emails.is_address, phonenumbers.parse

    def is_address(text: str) -> bool:
        asked.append(text)
        return find_address(text)

    def count_parsed(text: str, *rest: Any, **named: Any) -> Any:
        asked.append(text)
        return parse(text, *rest, **named)

    monkeypatch.setattr(personal_data, "is_address", is_address)
    monkeypatch.setattr(phonenumbers, "parse", count_parsed)
    monkeypatch.setattr("phonenumbers.phonenumbermatcher.parse", count_parsed)
    return asked


def read(http: httpx.Client, issuer: Issuer, reason: str | bytes) -> httpx.Response:
    sent = reason.encode() if isinstance(reason, str) else reason
    token = bearer(issuer.admin(ADMIN))["Authorization"]
    return http.get(RECORD, headers={b"Authorization": token.encode(), b"X-Access-Reason": sent})


@pytest.fixture(scope="module", autouse=True)
def _record(http: httpx.Client, sql: Sql) -> None:
    sql(
        "INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, '{\"_id\": \"a\"}', 'teste') "
        "ON CONFLICT DO NOTHING",
        ANA,
    )


@pytest.mark.parametrize("text", ["7", "ab", "%20ab%20", "x" * 201, "é" * 201, "x" * 2000])
def test_a_reason_has_three_to_two_hundred_characters_and_is_never_cut(
    http: httpx.Client, issuer: Issuer, sql: Sql, text: str
) -> None:
    before = sql("SELECT count(*) FROM platform.audit_event")[0][0]
    assert refusal(read(http, issuer, text)) == (400, "access-reason-invalid")
    assert sql("SELECT count(*) FROM platform.audit_event")[0][0] == before


@pytest.mark.parametrize("text", ["abc", "x" * 200, "é" * 200])
def test_a_reason_within_the_bounds_is_kept_whole(http: httpx.Client, issuer: Issuer, sql: Sql, text: str) -> None:
    assert read(http, issuer, text).status_code == 200
    assert sql(LAST)[0][0] == text


@pytest.mark.parametrize(("text", "kind"), HIDDEN)
@pytest.mark.parametrize("encoded", [False, True])
def test_a_reason_with_personal_data_is_refused_in_the_words_of_the_health_reasons(
    http: httpx.Client, issuer: Issuer, sql: Sql, text: str, kind: str, encoded: bool
) -> None:
    before = sql("SELECT count(*) FROM platform.audit_event")[0][0]
    answer = read(http, issuer, quote(text) if encoded else text)
    assert refusal(answer) == (400, "access-reason-personal")
    assert "não pode conter dados pessoais (" in answer.json()["error"]
    assert kind in answer.json()["error"]
    assert sql("SELECT count(*) FROM platform.audit_event")[0][0] == before


@pytest.mark.parametrize(
    "sent",
    ["Solicitação".encode(), "Solicitação".encode("latin-1"), quote("Solicitação").encode()],
    ids=["utf-8", "latin-1", "percent"],
)
def test_accents_travel_as_utf8_latin1_or_percent_encoded(
    http: httpx.Client, issuer: Issuer, sql: Sql, sent: bytes
) -> None:
    assert read(http, issuer, sent).status_code == 200
    assert sql(LAST)[0][0] == "Solicitação"


@pytest.mark.parametrize("text", ["50% de desconto", "taxa de 5%", "100%de x"])
def test_a_mere_percent_sign_stays(http: httpx.Client, issuer: Issuer, sql: Sql, text: str) -> None:
    assert read(http, issuer, text).status_code == 200
    assert sql(LAST)[0][0] == text


def test_who_may_not_call_is_refused_before_the_reason_is_looked_at(http: httpx.Client, issuer: Issuer) -> None:
    stranger = bearer(issuer.person("90000000256")) | {"X-Access-Reason": "7"}
    assert http.get(RECORD, headers=stranger).status_code == 403
    assert http.get(RECORD, headers={"X-Access-Reason": "7"}).status_code == 401
    assert http.get("/registry/v1/health", headers={"X-Access-Reason": "7"}).status_code == 200


@pytest.mark.parametrize(
    ("reason", "code"),
    [("x" * 201, "reason-length"), ("xy", "reason-length"), ("pedido de ana@exemplo.com", "reason-personal")],
)
def test_the_reasons_of_bodies_and_parameters_obey_the_same_rule(
    http: httpx.Client, issuer: Issuer, reason: str, code: str
) -> None:
    staff = bearer(issuer.admin(ADMIN))
    assert refusal(http.post(f"{RECORD}/anonymisation", headers=staff, json={"reason": reason})) == (400, code)
    dropped = http.delete("/registry/v1/admin/jobs/dead-letters/1", headers=staff, params={"reason": reason})
    assert refusal(dropped) == (400, code)


def test_the_kind_of_jobs_to_retry_is_the_callers_word_until_there_are_some(
    http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    body = {"kind": "Ana 900.000.001-75"}
    answer = http.post("/registry/v1/admin/jobs/dead-letters/retry", headers=bearer(issuer.admin(ADMIN)), json=body)
    assert answer.json() == {"retried": 0}
    fields = "SELECT fields FROM platform.audit_event WHERE operation = 'registry.retry_dead_letters'"
    assert [row["fields"] for row in sql(fields)] == [["jobs"]]


@pytest.mark.parametrize(
    ("claim", "name"),
    [
        ("Ana\n\x1b[31mBia\u202e", "Ana [31mBia"),
        ("x" * 151, "x" * 150),
        ("x" * 150, "x" * 150),
        ("  Ana   Beatriz ", "Ana Beatriz"),
        ("90000000175", None),
        ("ana@exemplo.com.br", None),
        ("\u200b\u202e", None),
    ],
)
def test_the_name_of_a_token_is_cleaned_and_cut_and_never_a_refusal(claim: str, name: str | None) -> None:
    claims = {"sub": "s", "exp": 0}
    assert clean_name(claim) == name
    assert from_claims(claims | {"name": claim}).name == name
    assert from_claims(claims | {"given_name": claim}).name == name


def test_the_filter_knows_three_kinds() -> None:
    assert {"CPF", "e-mail", "telefone"} == KINDS
