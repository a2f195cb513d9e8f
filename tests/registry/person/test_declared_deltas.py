"""The changes that CRM deltas make to the addresses, phones and e-mails in the merged record."""

import json
from typing import Any

import httpx
import pytest

from tests.registry.declared_values import Citizen
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import Issuer

FIRST, LATER = "2026-07-01T10:00:00Z", "2026-07-01T11:00:00Z"
LOADED = {"origem": "cadastro", "sistema": "demo"}
BASE = {
    "email": {"principal": LOADED | {"valor": "base@correio.example"}, "alternativo": []},
    "telefone": {"principal": LOADED | {"ddi": "55", "ddd": "21", "valor": "33330000"}, "alternativo": []},
    "endereco": {"principal": LOADED | {"logradouro": "da Base", "municipio": "Rio"}, "alternativo": []},
}
HOUSE = {"logradouro": "Rua A", "cidade": "Niterói", "estado": "RJ", "cep": "24000000"}
STREET = {"endereco": HOUSE}
PHONE = {"telefone1": "5521988887777"}


def _address(**parts: Any) -> dict[str, Any]:
    return {"logradouro": "Rua A", "municipio": "Niterói", "estado": "RJ", "cep": "24000000"} | parts


# Two events, a member of the record, and the member's expected main value.
CASES = [
    ({"email": "a@b.example"}, {"email": None}, "email", {"valor": "base@correio.example"}),
    ({"email": "a@b.example"}, {"email": ""}, "email", {"valor": ""}),
    ({"email": "a@b.example"}, {"genero": "Nao_binario"}, "email", {"valor": "a@b.example"}),
    (STREET, {"endereco": {"cidade": "Maricá"}}, "endereco", _address(municipio="Maricá")),
    (STREET, {"cidade": "Maricá"}, "endereco", _address(municipio="Maricá")),
    (STREET, {"endereco": {"estado": None}}, "endereco", _address(estado=None)),
    (STREET, {"endereco": {"estado": ""}}, "endereco", _address(estado="")),
    (STREET, {"endereco": None}, "endereco", {"logradouro": "da Base", "municipio": "Rio"}),
    (STREET, {"endereco": ""}, "endereco", _address(logradouro="", municipio="", estado="", cep="")),
    (STREET, {"endereco": {}}, "endereco", _address()),
    ({"cidade": "Maricá"}, {}, "endereco", {"logradouro": "da Base", "municipio": "Rio"}),
    (PHONE, {"telefone2": "5521977776666"}, "telefone", {"ddi": "55", "ddd": "21", "valor": "988887777"}),
    (PHONE, {"telefone1": None}, "telefone", {"ddd": "21", "valor": "33330000"}),
    (PHONE, {"telefone1": "abc"}, "telefone", {"ddd": "21", "valor": "33330000"}),
    (PHONE, {"telefone1": ""}, "telefone", {"ddi": "", "ddd": "", "valor": ""}),
    (PHONE, {"telefonePrincipal": "(21) 9666-5555"}, "telefone", {"ddd": "21", "valor": "96665555"}),
    (PHONE, {"telefonePrincipal": "+351 912 345 678"}, "telefone", {"ddi": "351", "ddd": "", "valor": "912345678"}),
]


def test_deltas_show_as_documented(http: httpx.Client, issuer: Issuer, sql: Sql, drain: Drain) -> None:
    citizens = [Citizen.new(http, issuer) for _ in CASES]
    for citizen, (first, later, _, _) in zip(citizens, CASES, strict=True):
        record = json.dumps(BASE | {"cpf": citizen.cpf})
        sql("INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, $2::jsonb, 't')", citizen.cpf, record)
        citizen.event(first, FIRST)
        citizen.event(later, LATER)
    drain()
    for citizen, (first, later, member, wanted) in zip(citizens, CASES, strict=True):
        main = citizen.main(member)
        assert {name: main[name] for name in wanted} == wanted, (first, later)


@pytest.mark.parametrize("later", [{}, {"telefone2": ""}])
def test_a_second_phone_stands_before_those_of_the_base(
    http: httpx.Client, issuer: Issuer, drain: Drain, later: dict[str, Any]
) -> None:
    citizen = Citizen.new(http, issuer)
    citizen.event({"telefone2": "5521977776666", "telefone3": "551133334444"}, FIRST)
    citizen.event(later, LATER)
    drain()
    shown = [other["valor"] for other in citizen.record["telefone"]["alternativo"]]
    assert shown == (["33334444"] if later else ["977776666", "33334444"])
