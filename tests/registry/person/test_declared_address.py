"""Tests for the self-declared address (rules: registry 2.3, 4.2)."""

import json
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from balcao.registry.person.declared.federal_units import FEDERAL_UNITS
from tests.registry.declared_values import Citizen
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import Issuer
from tests.support.proof_sizes import size
from tests.support.refusals import refusal

SIX = "logradouro numero municipio estado bairro cep".split()
TEXTS = [*SIX, "complemento", "tipo_logradouro"]
HOME = {
    "tipo_logradouro": "Rua",
    "logradouro": "das Acácias",
    "numero": "S/N",
    "complemento": "casa 2",
    "bairro": "Farol",
    "municipio": "Porto Aurora",
    "estado": "RJ",
    "cep": "24000-123",
}
REMOVAL = dict.fromkeys(SIX, "null")
REGISTERS = "SELECT field, value::text FROM registry.register WHERE cpf = $1"
BASE = {"origem": "cadastro", "sistema": "demo", "logradouro": "da Base", "numero": "1", "cep": "24000999"}


@pytest.fixture
def citizen(http: httpx.Client, issuer: Issuer) -> Citizen:
    return Citizen.new(http, issuer)


@pytest.fixture
def registers(sql: Sql, citizen: Citizen) -> Any:
    return lambda: {row["field"]: json.loads(row["value"]) for row in sql(REGISTERS, citizen.cpf)}


def shown(citizen: Citizen) -> dict[str, Any]:
    main = citizen.main("endereco")
    return {name: main[name] for name in TEXTS}


_visible = st.characters(codec="utf-8", exclude_categories=["C", "Z", "M"], max_codepoint=0x24F)


def _text(shortest: int, longest: int) -> st.SearchStrategy[str]:
    return st.text(_visible, min_size=shortest, max_size=longest)


_addresses = st.fixed_dictionaries(
    {
        "logradouro": _text(1, 40),
        "numero": _text(1, 20),
        "municipio": _text(1, 40),
        "estado": st.sampled_from(sorted(FEDERAL_UNITS)) | st.just("Buenos Aires"),
        "bairro": _text(0, 40),
        "cep": st.from_regex(r"[0-9]{5}-?[0-9]{3}", fullmatch=True) | st.sampled_from(["", "Não informado"]),
    },
    optional={"complemento": _text(0, 40) | st.none(), "tipo_logradouro": _text(0, 20) | st.none()},
)


@settings(deadline=None, max_examples=size(25, 500), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_addresses)
def test_what_was_declared_is_read_back_exactly(citizen: Citizen, registers: Any, declared: dict[str, Any]) -> None:
    answer = citizen.put("address", declared)
    assert answer.status_code in (200, 409), answer.text
    typed = {name: declared.get(name) or "" for name in TEXTS}
    cep = typed["cep"].replace("-", "")
    assert shown(citizen) == typed | {"cep": cep if cep.isdigit() else None}
    street = f"{typed['logradouro']}, {typed['numero']}"
    assert registers() == {
        "endereco.logradouro": f"{typed['tipo_logradouro']} {street}" if typed["tipo_logradouro"] else street,
        "endereco.bairro": typed["bairro"],
        "endereco.cidade": typed["municipio"],
        "endereco.complemento": typed["complemento"],
        "endereco.estado": typed["estado"],
        "endereco.cep": cep if cep.isdigit() else None,
        "endereco.pais": "Brasil",
    }


def test_the_edges_of_every_length(citizen: Citizen) -> None:
    longest = {"logradouro": 200, "numero": 20, "municipio": 100, "estado": 50, "bairro": 100}
    longest |= {"complemento": 100, "tipo_logradouro": 50}
    assert citizen.put("address", HOME | {name: "é" * most for name, most in longest.items()}).status_code == 200
    for name, most in longest.items():
        answer = citizen.put("address", HOME | {name: "é" * (most + 1)})
        assert (answer.status_code, f"`{name}`" in answer.json()["error"]) == (400, True)


NO_TEXTS: list[Any] = [5, [], {}, "a\u0000b", "a\u0007b"]


@pytest.mark.parametrize(
    ("member", "value"),
    [
        *((name, value) for name in SIX for value in [None, *NO_TEXTS]),
        *((name, value) for name in ("complemento", "tipo_logradouro") for value in NO_TEXTS),
        *((name, "  ") for name in ("logradouro", "numero", "municipio", "estado")),
    ],
    ids=repr,
)
def test_what_is_wrong_is_named_and_nothing_stored(citizen: Citizen, sql: Sql, member: str, value: Any) -> None:
    answer = citizen.put("address", HOME | {member: value})
    assert (answer.status_code, set(answer.json())) == (400, {"error"})
    assert member in answer.json()["error"]
    assert sql("SELECT FROM registry.mirror_head WHERE cpf = $1", citizen.cpf) == []


@pytest.mark.parametrize(
    "cep", ["2400012", "240001234", "24.000-123", "24000 123", "abcdefgh", "null", "-", "２４０００１２３"]
)
def test_what_is_no_cep_is_refused_and_nothing_stored(citizen: Citizen, sql: Sql, cep: str) -> None:
    answer = citizen.put("address", HOME | {"cep": cep})
    assert (*refusal(answer), set(answer.json())) == (400, "cep-invalid", {"error"})
    assert sql("SELECT FROM registry.mirror_head WHERE cpf = $1", citizen.cpf) == []


@pytest.mark.parametrize("missing", SIX)
def test_all_six_are_needed(citizen: Citizen, missing: str) -> None:
    answer = citizen.put("address", {name: text for name, text in HOME.items() if name != missing})
    assert (answer.status_code, missing in answer.json()["error"]) == (400, True)


def test_a_federal_unit_is_known_by_code_and_name(citizen: Citizen) -> None:
    def kept(text: str) -> str:
        assert citizen.put("address", HOME | {"estado": text}).status_code in (200, 409)
        return str(citizen.main("endereco")["estado"])

    assert len(FEDERAL_UNITS) == 27
    assert [kept(name) for name in FEDERAL_UNITS.values()] == list(FEDERAL_UNITS)
    assert [kept(text) for text in ("sp", "sao paulo", "Lisboa")] == ["SP", "SP", "Lisboa"]


@pytest.mark.cases("registry", "G5")
def test_what_is_unknown_may_be_left_open(citizen: Citizen) -> None:
    assert citizen.put("address", HOME | {"cep": "Não informado", "bairro": ""}).status_code == 200
    assert (shown(citizen)["cep"], shown(citizen)["bairro"], shown(citizen)["numero"]) == (None, "", "S/N")


@pytest.mark.cases("registry", "G5")
def test_a_removal_hides_the_base_address_too_and_may_be_repeated(citizen: Citizen, registers: Any, sql: Sql) -> None:
    record = json.dumps({"cpf": citizen.cpf, "endereco": {"principal": BASE, "alternativo": []}})
    sql("INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, $2::jsonb, 'test')", citizen.cpf, record)
    assert citizen.main("endereco")["logradouro"] == "da Base"
    assert citizen.put("address", HOME).status_code == 200
    for _ in range(2):
        answer = citizen.put("address", REMOVAL | {"complemento": None})
        assert (answer.status_code, set(answer.json())) == (200, {"message"})
    assert not any(shown(citizen).values())
    assert citizen.record["endereco"]["indicador"] is False
    assert set(registers().values()) == {""}
    assert len(registers()) == 7
    assert sql("SELECT FROM registry.wording WHERE cpf = $1", citizen.cpf) == []
    assert citizen.put("address", HOME).status_code == 200
    assert shown(citizen) == HOME | {"cep": "24000123"}


def test_some_words_null_are_no_removal(citizen: Citizen) -> None:
    assert citizen.put("address", REMOVAL | {"cep": ""}).status_code == 200
    assert shown(citizen)["logradouro"] == "null"


def test_the_same_address_is_no_change_until_it_has_aged(citizen: Citizen, sql: Sql) -> None:
    assert citizen.put("address", HOME).status_code == 200
    same = HOME | {"cep": "24000123", "estado": "Rio de Janeiro", "logradouro": " das Acácias "}
    again = citizen.put("address", same)
    assert (again.status_code, again.headers["Error-Code"]) == (409, "no-change")
    assert citizen.put("address", HOME | {"complemento": None}).status_code == 200
    assert citizen.put("address", HOME).status_code == 200
    sql("UPDATE registry.register SET at = at - interval '181 days' WHERE cpf = $1", citizen.cpf)
    aged = citizen.main("endereco")["updated_at"]
    assert citizen.put("address", HOME).status_code == 200
    assert citizen.main("endereco")["updated_at"] > aged


def test_what_the_crm_touched_may_be_confirmed(citizen: Citizen, drain: Drain) -> None:
    assert citizen.put("address", HOME).status_code == 200
    citizen.event({"cidade": "Maricá"}, "2098-01-01T00:00:00Z")
    citizen.event({"cidade": "Porto Aurora"}, "2099-01-01T00:00:00Z")
    drain()
    assert citizen.main("endereco")["municipio"] == "Porto Aurora"
    assert [citizen.put("address", HOME).status_code for _ in range(2)] == [200, 409]


def test_the_echo_of_the_line_leaves_what_was_typed_and_another_line_replaces_it(
    citizen: Citizen, drain: Drain
) -> None:
    assert citizen.put("address", HOME).status_code == 200
    citizen.event({"endereco": {"logradouro": "Rua das Acácias, S/N", "cidade": "Niterói"}}, "2098-01-01T00:00:00Z")
    drain()
    assert shown(citizen) == HOME | {"cep": "24000123", "municipio": "Niterói"}
    citizen.event({"endereco": {"logradouro": "Rua B, 2"}}, "2099-01-01T00:00:00Z")
    drain()
    assert (shown(citizen)["tipo_logradouro"], shown(citizen)["logradouro"], shown(citizen)["numero"]) == (
        None,
        "Rua B, 2",
        None,
    )
