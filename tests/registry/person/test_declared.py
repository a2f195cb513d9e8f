"""Tests for self-declared fields with a single value (rules: registry 2.3)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.registry.declared_values import Citizen
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import Issuer, bearer
from tests.support.proof_sizes import size
from tests.support.refusals import refusal
from tests.support.rules import read_list, read_values

LISTS = {
    name: read_list("registry", "List", name)
    for name in ("ethnicity", "family-income", "education", "disability", "gender")
}
IN_THE_CRM = {"indigena": "Indígena"} | {name: name.capitalize() for name in LISTS["ethnicity"] if name != "indigena"}
MEMBERS = {
    "ethnicity": "raca",
    "family-income": "renda_familiar",
    "education": "escolaridade",
    "disability": "deficiencia",
    "exhibition-name": "nome_exibicao",
}
REGISTERS = {"ethnicity": "raca", "family-income": "rendaFamiliar", "education": "escolaridade"}
REGISTERS |= {"disability": "deficiencia", "exhibition-name": "nomeExibicao"}
AGE = "UPDATE registry.register SET at = at - interval '181 days' WHERE cpf = $1"
REGISTER = "SELECT value::text, origin FROM registry.register WHERE cpf = $1 AND field = $2"


@pytest.fixture
def citizen(http: httpx.Client, issuer: Issuer) -> Citizen:
    return Citizen.new(http, issuer)


@pytest.mark.parametrize("name", LISTS)
def test_the_list_is_open_exact_and_kept_by_whoever_wants(http: httpx.Client, name: str) -> None:
    answer = http.get(f"/registry/v1/citizen/{name}/options")
    assert (answer.status_code, answer.json()) == (200, LISTS[name])
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    etag = answer.headers["ETag"]
    again = http.get(f"/registry/v1/citizen/{name}/options", headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("name", ["ethnicity", "family-income", "education", "disability"])
def test_each_option_shows_at_once_and_goes_to_the_crm_in_its_form(citizen: Citizen, sql: Sql, name: str) -> None:
    for option in LISTS[name]:
        answer = citizen.declare(name, option)
        assert (answer.status_code, set(answer.json())) == (200, {"message"})
        assert citizen.record[MEMBERS[name]] == option
        (held,) = sql(REGISTER, citizen.cpf, REGISTERS[name])
        assert tuple(held) == (f'"{IN_THE_CRM.get(option, option)}"', "citizen")


def test_a_line_break_is_a_blank_where_a_text_has_one_line(citizen: Citizen) -> None:
    assert citizen.declare("exhibition-name", "Ana\r\nBia\tCruz").status_code == 200
    assert citizen.record["nome_exibicao"] == "Ana  Bia Cruz"
    changed = {"channel": "web", "opt_in": False, "reason": "uma linha\noutra"}
    assert citizen.put("notification-preferences", changed).status_code == 200
    (entry,) = citizen.http.get(
        f"/registry/v1/citizen/{citizen.cpf}/notification-preferences/history",
        headers=bearer(citizen.issuer.person(citizen.cpf)),
    ).json()["data"]
    assert entry["reason"] == "uma linha\noutra"


NO_TEXTS: list[Any] = [None, 5, [], {}]


@pytest.mark.cases("registry", "G4")
@pytest.mark.parametrize(("name", "valor", "code"), read_values("registry", "G4"), ids=repr)
def test_what_is_not_on_the_list_or_no_text_is_refused(citizen: Citizen, name: str, valor: Any, code: str) -> None:
    answer = citizen.declare(name, valor)
    assert (*refusal(answer), set(answer.json())) == (400, code, {"error"})
    assert "valor" in answer.json()["error"]
    assert citizen.record[MEMBERS[name]] is None


@settings(deadline=None, max_examples=size(20, 500), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=255))
def test_any_visible_name_is_read_back(citizen: Citizen, name: str) -> None:
    if (answer := citizen.declare("exhibition-name", name)).status_code == 200:
        assert citizen.declare("exhibition-name", citizen.record["nome_exibicao"]).status_code == 200
    else:  # the normal form of a name can be longer than the limit
        assert answer.headers["Error-Code"] == "valor-length"


def test_the_longest_name(citizen: Citizen) -> None:
    assert citizen.declare("exhibition-name", "é" * 255).status_code == 200
    assert citizen.record["nome_exibicao"] == "é" * 255


_labels = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True).filter(lambda label: label[2:4] != "--")
_locals = st.from_regex(r"[A-Za-z0-9_+]{1,20}(\.[A-Za-z0-9_+]{1,10}){0,2}", fullmatch=True)


@settings(deadline=None, max_examples=size(20, 500), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_locals, st.lists(_labels, min_size=1, max_size=3))
def test_an_address_is_kept_as_typed_but_for_the_domains_case(citizen: Citizen, local: str, labels: list[str]) -> None:
    domain = ".".join([*labels, "example"])
    answer = citizen.declare("email", f" {local}@{domain.upper()} ")
    assert answer.status_code in (200, 409)
    assert citizen.main("email")["valor"].lower() == f"{local}@{domain}".lower()
    if answer.status_code == 200:
        assert citizen.main("email")["valor"] == f"{local}@{domain}"


NO_ADDRESSES: dict[str, list[Any]] = {
    "body-invalid": [None, 5, []],
    "valor-length": ["", "  ", f"a@{'b' * 60}.{'c' * 60}.{'d' * 60}.{'e' * 60}.{'f' * 10}.example"],
    "valor-control": ["a@b.example\u0000"],
    "email-invalid": [
        *("ana", "ana@", "@a.example", "a@b", "a@b@c.example", "a b@c.example", "a@-b.example"),
        *("a@b_c.example", "a@b..example", f"{'a' * 65}@b.example", f"a@{'b' * 64}.example"),
    ],
}


@pytest.mark.parametrize(
    ("valor", "code"),
    [(valor, code) for code, wrong in NO_ADDRESSES.items() for valor in wrong],
    ids=repr,
)
def test_what_is_no_address_is_refused(citizen: Citizen, valor: Any, code: str) -> None:
    answer = citizen.declare("email", valor)
    assert (*refusal(answer), set(answer.json())) == (400, code, {"error"})
    assert "valor" in answer.json()["error"]
    assert citizen.main("email") is None


@pytest.mark.cases("registry", "G4")
def test_the_same_address_is_no_change_until_it_has_aged(citizen: Citizen, sql: Sql) -> None:
    assert citizen.declare("email", "Ana.B@Correio.Example").status_code == 200
    first = citizen.main("email")
    assert (first["valor"], first["origem"], first["sistema"]) == (
        "Ana.B@correio.example",
        "self-declared",
        "registry",
    )
    again = citizen.declare("email", "ana.b@CORREIO.example")
    assert (again.status_code, again.headers["Error-Code"]) == (409, "no-change")
    assert citizen.main("email") == first
    sql(AGE, citizen.cpf)
    assert citizen.declare("email", "ana.b@CORREIO.example").status_code == 200
    assert citizen.main("email")["valor"] == "ana.b@correio.example"
    assert citizen.main("email")["updated_at"] >= first["updated_at"]


def test_what_the_crm_holds_is_confirmed(citizen: Citizen, drain: Drain) -> None:
    citizen.event({"email": "ana@correio.example"}, "2026-01-01T10:00:00Z")
    drain()
    assert citizen.main("email")["origem"] == "crm"
    assert [citizen.declare("email", "ana@correio.example").status_code for _ in range(2)] == [200, 409]
    assert citizen.main("email")["origem"] == "self-declared"


def test_of_equal_addresses_at_once_one_is_the_change(citizen: Citizen) -> None:
    with ThreadPoolExecutor(8) as many:
        answers = list(many.map(lambda _: refusal(citizen.declare("email", "ana@correio.example")), range(8)))
    assert sorted(answers) == [(200, None)] + [(409, "no-change")] * 7


def test_after_a_clearing_the_citizen_declares_anew(citizen: Citizen, drain: Drain) -> None:
    assert citizen.declare("email", "antes@correio.example").status_code == 200
    citizen.event(None, "2099-01-01T00:00:00Z", "anonimizacao")
    drain()
    assert (citizen.main("email"), citizen.record["nome_exibicao"]) == (None, None)
    assert citizen.declare("email", "antes@correio.example").status_code == 200
    assert citizen.declare("exhibition-name", "Bia").status_code == 200
    assert (citizen.main("email")["valor"], citizen.record["nome_exibicao"]) == ("antes@correio.example", "Bia")


BODIES = {
    "email": {"valor": "ana@correio.example"},
    "exhibition-name": {"valor": "Bia"},
    "ethnicity": {"valor": "parda"},
    "family-income": {"valor": "1 a 2 salários mínimos"},
    "education": {"valor": "Mestrado"},
    "disability": {"valor": "Visual"},
    "gender": {"valor": "Outro"},
    "address": dict.fromkeys("logradouro numero municipio estado bairro cep".split(), "null"),
}


@pytest.mark.parametrize("name", BODIES)
def test_each_is_written_by_owner_or_staff_and_on_the_state_they_know(
    citizen: Citizen, issuer: Issuer, sql: Sql, name: str
) -> None:
    body = BODIES[name]
    assert citizen.put(name, body, token=issuer.person("90000000256")).status_code == 403
    assert citizen.put(name, body, token=issuer.machine("portal-cidadao", "rmi:pessoa-fisica:read")).status_code == 403
    assert sql("SELECT FROM registry.mirror_head WHERE cpf = $1", citizen.cpf) == []
    etag = citizen.read().headers["ETag"]
    assert citizen.put(name, body, token=issuer.admin(), **{"If-Match": etag}).status_code == 200
    assert citizen.put(name, body, **{"If-Match": etag}).status_code == 412
    assert {row["origin"] for row in sql("SELECT origin FROM registry.register WHERE cpf = $1", citizen.cpf)} == {
        "staff"
    }
    trail = sql(
        """SELECT action, actor_kind, "grant" FROM platform.audit_event
           WHERE operation = $1 AND subject = $2 AND action <> 'denied' ORDER BY at""",
        f"registry.declare_{name.replace('-', '_')}",
        f"***.{citizen.cpf[3:6]}.{citizen.cpf[6:9]}-**",
    )
    assert [tuple(row) for row in trail] == [("update", "staff", "citizen:write")]


def test_without_its_audit_event_nothing_is_declared(citizen: Citizen, sql: Sql) -> None:
    sql("REVOKE INSERT ON platform.audit_event FROM balcao_app")
    try:
        statuses = [citizen.put(name, body).status_code for name, body in BODIES.items()]
    finally:
        sql("GRANT INSERT ON platform.audit_event TO balcao_app")
    assert statuses == [503] * len(BODIES)
    assert sql("SELECT FROM registry.mirror_head WHERE cpf = $1", citizen.cpf) == []
