"""The validation of phone numbers and e-mail addresses (rules: registry 2.4)."""

from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import settings as sizes
from hypothesis import strategies as st

from balcao import app
from balcao.core.errors import Invalid
from balcao.registry.person.validators.schemas import EmailQuestion, PhoneQuestion
from balcao.registry.person.validators.service import check_email, check_phone
from balcao.settings import Settings
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import EXAMPLES
from tests.support.server import RunningServer

PHONES = [
    ("21988887777", "55", "21", "988887777", "+5521988887777", "BR"),
    ("(21) 3333-4444", "55", "21", "33334444", "+552133334444", "BR"),
    ("5521988887777", "55", "21", "988887777", "+5521988887777", "BR"),
    ("+55 21 98888-7777", "55", "21", "988887777", "+5521988887777", "BR"),
    ("55988887777", "55", "55", "988887777", "+5555988887777", "BR"),
    ("+1 212 736 3100", "1", "", "2127363100", "+12127363100", "US"),
    ("+351 912 345 678", "351", "", "912345678", "+351912345678", "PT"),
    ("0800 729 0722", "55", "", "8007290722", "+558007290722", "BR"),
]
EMAILS = [
    ("Ana.B@Correio.Example", "Ana.B", "correio.example"),
    ("  a+b@c.example ", "a+b", "c.example"),
    ("a@sub.dominio.com.br", "a", "sub.dominio.com.br"),
    ("a@b.test", "a", "b.test"),
]


@pytest.mark.parametrize(("phone", "ddi", "ddd", "numero", "e164", "region"), PHONES)
def test_a_phone_is_taken_apart(
    http: httpx.Client, phone: str, ddi: str, ddd: str, numero: str, e164: str, region: str
) -> None:
    answer = http.post("/registry/v1/validate/phone", json={"phone": phone})
    body = answer.json()
    assert (answer.status_code, bool(body.pop("message"))) == (200, True)
    assert body == {"valid": True, "ddi": ddi, "ddd": ddd, "numero": numero, "e164": e164, "region": region}


@pytest.mark.parametrize("phone", ["abc", "123", "+", "21 1234", "+999 123456", "9" * 300, "219888877771", "55"])
def test_what_is_no_phone_is_told_so(http: httpx.Client, phone: str) -> None:
    answer = http.post("/registry/v1/validate/phone", json={"phone": phone})
    body = answer.json()
    assert (answer.status_code, bool(body.pop("message"))) == (200, True)
    assert body == {"valid": False} | dict.fromkeys(("ddi", "ddd", "numero", "e164", "region"), "")


@pytest.mark.parametrize(("email", "local", "domain"), EMAILS)
def test_an_address_is_taken_apart(http: httpx.Client, email: str, local: str, domain: str) -> None:
    answer = http.post("/registry/v1/validate/email", json={"email": email})
    body = answer.json()
    assert (answer.status_code, bool(body.pop("message"))) == (200, True)
    parts = {"valid": True, "local_part": local, "domain": domain, "normalized": f"{local}@{domain}"}
    assert body == parts | {"validation_type": "format_and_structure"}


@pytest.mark.parametrize(
    "email", ["abc", "a@b", "a@test", "@b.example", "a@@b.example", "a@b.example " * 100, "a b@c.example"]
)
def test_what_is_no_address_is_told_so(http: httpx.Client, email: str) -> None:
    answer = http.post("/registry/v1/validate/email", json={"email": email})
    body = answer.json()
    assert (answer.status_code, bool(body.pop("message"))) == (200, True)
    empty = dict.fromkeys(("local_part", "domain", "normalized"), "")
    assert body == {"valid": False, "validation_type": "format_and_structure"} | empty


@pytest.mark.parametrize("member", ["phone", "email"])
@pytest.mark.parametrize("value", [None, "", "  ", 5, [], {}, "a\u0000b"], ids=repr)
def test_a_malformed_or_blank_question_is_refused(http: httpx.Client, member: str, value: Any) -> None:
    for body in ({member: value}, {}):
        answer = http.post(f"/registry/v1/validate/{member}", json=body)
        assert (answer.status_code, set(answer.json())) == (400, {"error"})
        assert member in answer.json()["error"]


@sizes(deadline=None, max_examples=EXAMPLES)
@given(st.text(max_size=300) | st.from_regex(r"\+?[0-9() -]{0,20}", fullmatch=True))
def test_any_text_gets_a_verdict_and_a_good_one_stands(text: str) -> None:
    try:
        email, phone = check_email(EmailQuestion(text)), check_phone(PhoneQuestion(text))
    except Invalid:
        return
    if email.valid:
        assert check_email(EmailQuestion(email.normalized)) == email
    if phone.valid:
        assert phone.e164 == f"+{phone.ddi}{phone.ddd}{phone.numero}"
        assert check_phone(PhoneQuestion(phone.e164)) == phone


@pytest.mark.parametrize("member", ["phone", "email"])
def test_thirty_questions_a_minute_from_one_address(settings: Settings, database_url: str, member: str) -> None:
    """Use production's limit, because the sandbox multiplies it.

    The test crosses at most one boundary between windows.
    """
    strict = settings.model_copy(update={"profile": "production"})
    with (
        RunningServer(app.build_application(strict, database_url)) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as http,
    ):
        answers = [http.post(f"/registry/v1/validate/{member}", json={member: "x"}) for _ in range(61)]
    assert [answer.status_code for answer in answers[:30]] == [200] * 30
    assert (answers[60].status_code, set(answers[60].json())) == (429, {"error"})
    assert 1 <= int(answers[60].headers["Retry-After"]) <= 60


def test_an_address_may_be_pasted() -> None:
    assert (
        check_email(EmailQuestion("\u200bana@porto\u2011aurora.example\u00a0")).normalized == "ana@porto-aurora.example"
    )
    assert check_phone(PhoneQuestion("\ufeff+49\u00a030\u2013901820")).e164 == "+4930901820"
    assert not check_email(EmailQuestion("ana @porto.example")).valid
