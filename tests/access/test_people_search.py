"""Searches for people by part of a name or CPF, and reads by id (rules: access 2.3)."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from balcao.access.users import store
from tests.access import stored
from tests.access.callers import EDITOR, SUPERADMIN, Send, sender
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal

PEOPLE = {
    "90000041017": "José Antônio d'Ávila Conceição",
    "90000041106": "JOSE ANTONIO DA SILVA",
    "90000041289": "Antônia 100% Souza_Lima",
    "90000041360": None,
}


@pytest.fixture
def reader(http: httpx.Client, issuer: Issuer) -> Send:
    return sender(http, issuer.person("90000040207", realm_access={"roles": ["acessos:leitor"]}))


@pytest.fixture(autouse=True)
def people(sql: Sql) -> None:
    for cpf, name in PEOPLE.items():
        sql("INSERT INTO access.person (cpf, display_name) VALUES ($1, $2) ON CONFLICT DO NOTHING", cpf, name)


@pytest.fixture
def find(reader: Send) -> Callable[[str], list[Any]]:
    def find(search: str) -> list[Any]:
        answer = reader("GET", f"/users?{httpx.QueryParams({'search': search})}")
        assert answer.status_code == 200, answer.text
        assert answer.json()["total"] == len(answer.json()["items"])
        return [person["display_name"] for person in answer.json()["items"] if person["cpf"] in PEOPLE]

    return find


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("antonio", ["José Antônio d'Ávila Conceição", "JOSE ANTONIO DA SILVA"]),
        ("  JOSÉ   silva ", ["JOSE ANTONIO DA SILVA"]),
        ("silva jose", []),
        ("conceicao", ["José Antônio d'Ávila Conceição"]),
        ("d'avila", ["José Antônio d'Ávila Conceição"]),
        ("0% sou", ["Antônia 100% Souza_Lima"]),
        ("za_li", ["Antônia 100% Souza_Lima"]),
        ("zaxli", []),
        ("900.000.412-89", ["Antônia 100% Souza_Lima"]),
        ("90000041289", ["Antônia 100% Souza_Lima"]),
        ("000.413", [None]),
    ],
)
def test_people_are_found_by_words_of_their_name_or_digits_of_their_number(
    find: Callable[[str], list[Any]], search: str, found: list[Any]
) -> None:
    assert find(search) == found


@pytest.mark.parametrize("search", ["ab", "de", "a b c", "12", "1.2-", "x" * 101, "ana\0"])
def test_what_everybody_would_match_is_not_looked_for(reader: Send, search: str) -> None:
    answer = reader("GET", f"/users?{httpx.QueryParams({'search': search})}")
    assert refusal(answer) == (422, "invalid")
    assert [fault["loc"] for fault in answer.json()["detail"]] == [["query", "search"]]


def test_an_empty_search_is_none(reader: Send) -> None:
    everybody = reader("GET", "/users").json()["total"]
    assert reader("GET", "/users?search=%20").json()["total"] == everybody >= len(PEOPLE)
    assert reader("GET", "/users?search=antonio&has_groups=true").json()["total"] == 0


def test_a_search_is_theirs_who_may_read_people_and_is_recorded_without_its_words(
    http: httpx.Client, issuer: Issuer, reader: Send, sql: Sql
) -> None:
    assert reader("GET", "/users?search=conceicao").status_code == 200
    event = stored.read_denials(sql)[-1]
    assert (event["operation"], event["outcome"]) == ("user.list", "done")
    assert "conceicao" not in str(event)
    for token in (issuer.person(EDITOR), issuer.machine("portal-interno", "busca:search")):
        assert refusal(sender(http, token)("GET", "/users?search=conceicao")) == (403, "forbidden")


def test_a_person_is_read_by_id_as_by_number_and_the_read_names_them(
    http: httpx.Client, issuer: Issuer, reader: Send, sql: Sql
) -> None:
    person = reader("GET", "/users?search=90000041017").json()["items"][0]
    assert reader("GET", f"/users/by-id/{person['id']}").json() == person
    event = stored.read_denials(sql)[-1]
    assert (event["operation"], event["subject"]["cpf"]) == ("user.read", "***.000.410-**")
    for unknown in ("999999999", "0", "9" * 30):
        assert refusal(reader("GET", f"/users/by-id/{unknown}")) == (404, "not-found")
    assert reader("GET", "/users/by-id/abc").status_code == 422
    denied = sender(http, issuer.person(EDITOR))("GET", f"/users/by-id/{person['id']}")
    assert refusal(denied) == (403, "forbidden")


def test_of_many_people_those_who_match_are_read_through_the_index(sql: Sql) -> None:
    sql(
        "INSERT INTO access.person (cpf, display_name) "
        "SELECT to_char(number, 'FM00000000000'), 'Pessoa ' || md5(number::text) "
        "FROM generate_series(1, 20000) AS number"
    )
    sql("VACUUM ANALYZE access.person")  # VACUUM also moves new rows into the index
    bound = {"search": "conceicao", "has_groups": False, "limit": 50, "skip": 0, "token_roles": []}
    text, values = store.search_users.sql, store.search_users.bind([], bound)
    plan = "\n".join(row[0] for row in sql(f"EXPLAIN {text}", *values))
    sql("DELETE FROM access.person WHERE display_name LIKE 'Pessoa %'")
    assert "person_search" in plan, plan
    assert "Seq Scan on person" not in plan


def test_whoever_administers_finds_themselves(http: httpx.Client, issuer: Issuer) -> None:
    token = issuer.person(SUPERADMIN, name="Marina Sales", realm_access={"roles": ["superadmin"]})
    me = sender(http, token)
    me("GET", "/users/me")
    found = me("GET", "/users?search=marina sal").json()["items"]
    assert [person["cpf"] for person in found] == [SUPERADMIN]
