"""Tests for economic activities (rules: registry 2.6)."""

from typing import Any

import httpx
import msgspec
import pytest

from balcao.registry.city.activities.imports import IMPORTS
from tests.registry.import_rows import load

PATH = "/registry/v1/cnaes"


def line(secao: str, subclasse: str, denominacao: str, **members: str) -> dict[str, str]:
    group = f"{subclasse[:2]}.{subclasse[2]}"
    codes = {"secao": secao, "divisao": subclasse[:2], "grupo": group, "classe": group + subclasse[3:6]}
    return codes | {"subclasse": subclasse, "denominacao": denominacao} | members


LINES = [
    line("I", "5611-2/03", "Lanchonetes, casas de chá"),
    line("C", "1091-1/02", "Padaria e confeitaria", id="padaria"),
    line("I", "5611-2/01", "Restaurantes (100% naturais)"),
    line("I", "5510-8/01", "Hotéis"),
]
ORDER = ["1091-1/02", "5510-8/01", "5611-2/01", "5611-2/03"]


@pytest.fixture(scope="module", autouse=True)
def _classification(database_url: str) -> None:
    assert load(database_url, IMPORTS[0], *LINES) == len(LINES)


def test_the_list_is_public_cacheable_and_by_subclass(http: httpx.Client) -> None:
    answer = http.get(PATH)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    assert set(answer.json()) == {"cnaes", "pagination"}
    assert [activity["subclasse"] for activity in answer.json()["cnaes"]] == ORDER
    assert answer.json()["pagination"] == {"page": 1, "per_page": 10, "total": 4, "total_pages": 1}
    assert answer.json()["cnaes"][0] == LINES[1]
    assert answer.json()["cnaes"][1]["id"] == "5510-8/01"
    assert http.get(PATH, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"secao": "I"}, ORDER[1:]),
        ({"secao": "i"}, []),
        ({"divisao": "56"}, ORDER[2:]),
        ({"divisao": "5"}, []),
        ({"grupo": "561"}, ORDER[2:]),
        ({"grupo": "56.1"}, ORDER[2:]),
        ({"classe": "56.11-2"}, ORDER[2:]),
        ({"classe": "5611-2", "search": "cha"}, ORDER[3:]),
        ({"subclasse": "5611203"}, ORDER[3:]),
        ({"subclasse": "5611-2/03"}, ORDER[3:]),
        ({"subclasse": "./-"}, []),
        ({"search": "HOTEIS"}, ORDER[1:2]),
        ({"search": "%"}, ORDER[2:3]),
        ({"search": ".*"}, []),
        ({"page": 2, "per_page": 3}, ORDER[3:]),
        ({"page": 9}, []),
    ],
)
def test_filters_narrow_the_list(http: httpx.Client, query: dict[str, Any], expected: list[str]) -> None:
    answer = http.get(PATH, params=query)
    assert answer.status_code == 200
    assert [activity["subclasse"] for activity in answer.json()["cnaes"]] == expected


@pytest.mark.parametrize(("wanted", "given"), [("1000", 1000), ("1001", 1000), ("9" * 5000, 1000), ("101", 101)])
def test_more_than_a_thousand_items_a_page_are_a_thousand(http: httpx.Client, wanted: str, given: int) -> None:
    assert http.get(PATH, params={"per_page": wanted}).json()["pagination"]["per_page"] == given


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("per_page", "0"),
        ("per_page", "x"),
        ("page", "0"),
        ("search", ""),
        ("search", "x" * 101),
        ("secao", ""),
        ("classe", "a\0b"),
    ],
)
def test_a_bad_parameter_is_refused_by_name(http: httpx.Client, name: str, value: str) -> None:
    answer = http.get(PATH, params={name: value})
    assert (answer.status_code, set(answer.json())) == (400, {"error"})
    assert f"`{name}`" in answer.json()["error"]


def test_loading_again_changes_only_what_differs(http: httpx.Client, database_url: str) -> None:
    assert load(database_url, IMPORTS[0], *LINES) == 0
    assert load(database_url, IMPORTS[0], *LINES, LINES[1] | {"denominacao": "Padaria"}) == 1
    assert http.get(PATH).json()["cnaes"][0]["denominacao"] == "Padaria"
    with pytest.raises(msgspec.ValidationError):
        load(database_url, IMPORTS[0], LINES[0] | {"secao": ""})
