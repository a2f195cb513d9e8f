"""Tests for the self-declared gender."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.http.operations import SMALL_BODY
from balcao.registry.person.declared.choices import GENDER
from tests.support.demo_people import ANA, BRUNO
from tests.support.fixture_types import Ask, Drain, Sql
from tests.support.issuer import Issuer, bearer
from tests.support.refusals import refusal
from tests.support.rules import read_values


def path(cpf: str) -> str:
    return f"/registry/v1/citizen/{cpf}/gender"


@pytest.fixture
def put(http: httpx.Client, issuer: Issuer) -> Callable[..., httpx.Response]:
    token = bearer(issuer.person(ANA))

    def call(valor: Any, cpf: str = ANA) -> httpx.Response:
        return http.put(path(cpf), json={"valor": valor}, headers=token)

    return call


@pytest.fixture
def shown(http: httpx.Client, issuer: Issuer) -> Callable[[], Any]:
    token = bearer(issuer.person(ANA))
    return lambda: http.get(f"/registry/v1/citizen/{ANA}", headers=token).json()["genero"]


@pytest.mark.cases("registry", "G1")
@pytest.mark.parametrize("valor", [*GENDER, *read_values("registry", "G1")])
def test_any_free_text_shows_at_once(put: Ask, shown: Callable[[], Any], valor: str) -> None:
    answer = put(valor)
    assert (answer.status_code, set(answer.json())) == (200, {"message"})
    assert shown() == valor


@settings(max_examples=50)
@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=50))
def test_what_was_typed_is_what_is_read(put: Ask, shown: Callable[[], Any], text: str) -> None:
    answer = put(text)
    if answer.status_code == 200:
        assert shown().split() == " ".join(shown().split()).split()
        assert put(shown()).status_code == 200
    else:
        assert (answer.status_code, text.strip()) == (400, "")


@pytest.mark.cases("registry", "G2")
@pytest.mark.parametrize("valor", read_values("registry", "G2"), ids=repr)
def test_what_is_no_text_is_refused_and_changes_nothing(put: Ask, shown: Callable[[], Any], valor: Any) -> None:
    assert put("Agênero").status_code == 200
    answer = put(valor)
    assert (answer.status_code, set(answer.json())) == (400, {"error"})
    assert "valor" in answer.json()["error"]
    assert shown() == "Agênero"


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'"x"', b"null", b'{"valor":"\xff"}', b"\xff", b"[" * 10_000, b'{"a":' * 40 + b"1" + b"}" * 40],
    ids=lambda body: repr(body[:12]),
)
def test_a_broken_body_is_refused(http: httpx.Client, issuer: Issuer, body: bytes) -> None:
    answer = http.put(path(ANA), content=body, headers=bearer(issuer.person(ANA)))
    assert (answer.status_code, set(answer.json())) == (400, {"error"})


def test_a_body_of_more_than_a_form_is_too_large(http: httpx.Client, issuer: Issuer) -> None:
    body = b'{"valor":"' + b"a" * SMALL_BODY + b'"}'
    answer = http.put(path(ANA), content=body, headers=bearer(issuer.person(ANA)))
    assert (answer.status_code, set(answer.json())) == (413, {"error"})


@pytest.mark.cases("registry", "A6")
def test_json_counts_whatever_its_label_says(http: httpx.Client, issuer: Issuer) -> None:
    headers = bearer(issuer.person(ANA)) | {"Content-Type": "multipart/form-data"}
    assert http.put(path(ANA), content=b'{"valor":"Outro"}', headers=headers).status_code == 200


def test_line_breaks_and_tabs_become_blanks(put: Ask, shown: Callable[[], Any]) -> None:
    assert put("uma\tduas\nlinhas").status_code == 200
    assert shown() == "uma duas linhas"


@pytest.mark.cases("registry", "A2")
def test_only_owner_or_holder_of_the_action_may_write(http: httpx.Client, issuer: Issuer) -> None:
    def told(token: str, cpf: str) -> tuple[int, str | None]:
        return refusal(http.put(path(cpf), json={"valor": "x"}, headers=bearer(token)))

    assert told(issuer.person(BRUNO), ANA) == (403, "forbidden")
    assert told(issuer.machine("portal-cidadao", "rmi:pessoa-fisica:read"), ANA) == (403, "forbidden")
    assert told(issuer.person(ANA), "123") == (403, "forbidden")
    assert told(issuer.admin(), ANA) == (200, None)
    assert told(issuer.admin(), "123") == (400, "cpf-invalid")
    assert told(issuer.person("900.000.001-75"), "900.000.001-75") == (200, None)


@pytest.mark.cases("registry", "G3")
def test_an_own_write_wins_over_every_event_before_it_and_loses_to_a_later_one(
    http: httpx.Client, issuer: Issuer, put: Ask, shown: Callable[[], Any], drain: Drain
) -> None:
    def crm(at: str, genero: str) -> None:
        body = {"cpf": ANA, "updatedAt": at, "dados": {"genero": genero}}
        headers = bearer(issuer.machine("crm-sandbox"))
        assert http.post("/registry/v1/webhooks/crm/cidadao", json=body, headers=headers).status_code == 202
        drain()

    crm("2098-01-01T00:00:00Z", "Homem_cisgenero")
    assert shown() == "Homem cisgênero"
    assert put("livre").status_code == 200
    crm("2020-01-01T00:00:00Z", "Mulher_cisgenero")
    assert shown() == "livre"
    crm("2099-01-01T00:00:00Z", "Outro_Prefere_nao_informar")
    assert shown() == "livre"
    crm("2099-01-01T00:00:01Z", "Homem_cisgenero")
    assert shown() == "Homem cisgênero"


@pytest.mark.cases("registry", "A7")
def test_the_change_and_its_audit_event_stand_or_fall_together(put: Ask, shown: Callable[[], Any], sql: Sql) -> None:
    assert put("antes").status_code == 200
    sql("REVOKE INSERT ON platform.audit_event FROM balcao_app")
    try:
        answer = put("depois")
    finally:
        sql("GRANT INSERT ON platform.audit_event TO balcao_app")
    assert (answer.status_code, answer.headers["Error-Code"]) == (503, "audit-not-written")
    assert shown() == "antes"


def test_a_write_that_expects_another_state_is_refused(
    http: httpx.Client, issuer: Issuer, shown: Callable[[], Any]
) -> None:
    token = bearer(issuer.person(ANA))
    etag = http.get(f"/registry/v1/citizen/{ANA}", headers=token).headers["ETag"]
    writes = [http.put(path(ANA), json={"valor": text}, headers=token | {"If-Match": etag}) for text in ("um", "dois")]
    assert [answer.status_code for answer in writes] == [200, 412]
    assert shown() == "um"


@pytest.mark.parametrize("valor", ["\u200b", "\u200f \u200d"])
def test_what_nobody_can_see_is_blank(put: Ask, valor: str) -> None:
    assert put(valor).status_code == 400
