"""Why a call is made, in somebody's own words, as the trail keeps it (rules: registry 1.1), over HTTP."""

from urllib.parse import quote

import httpx
import pytest

from balcao.core.access.caller import from_claims
from balcao.core.values.personal_data import CPF, EMAIL, KINDS, PHONE, clean_name, find_kinds, refuse_personal_data
from tests.support.fixtures import Sql
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
    ("\uff19\uff10\uff10\uff0e\uff10\uff10\uff10\uff0e\uff10\uff10\uff11\uff0d\uff17\uff15", CPF),  # full width
    ("\u0669\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0661\u0667\u0665", CPF),  # Arabic digits
    ("900\u200b000\u2060001\u00ad75", CPF),  # between them what nobody sees
    ("9\ufe0f\u20e300000001 75", CPF),  # a digit on a key
    ("ver ana.b@exemplo.com.br", EMAIL),
    ("ver ana\uff20exemplo.com.br", EMAIL),
    ("ver ana@exem\u200bplo.com", EMAIL),
    ("ligue (21) 98765-4321", PHONE),
    ("ligue 2 1 9 8 7 6 5 4 3 2 1", PHONE),
    ("ligue 21\u200b98765\u200b4321", PHONE),
    ("+55.21.98765.4321", PHONE),
]
HARMLESS = [
    "Atendimento 4711",
    "Processo 0001234-56.2026.8.26.0100",
    "Protocolo 2026/000123, de 23/11/2026 10:30",
    "CPF 900.000.001-76",  # none: its check digits are wrong
    "telefone 1746",
    "a @ b",
    "R$ 10.000.000,00",
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


def read(http: httpx.Client, issuer: Issuer, reason: str | bytes) -> httpx.Response:
    sent = reason.encode() if isinstance(reason, str) else reason
    token = bearer(issuer.admin(ADMIN))["Authorization"]
    return http.get(RECORD, headers={b"Authorization": token.encode(), b"X-Access-Reason": sent})


@pytest.fixture(scope="module", autouse=True)
def _record(http: httpx.Client, sql: Sql) -> None:
    sql("INSERT INTO registry.base_record VALUES ($1, '{\"_id\": \"a\"}', 'teste') ON CONFLICT DO NOTHING", ANA)


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
