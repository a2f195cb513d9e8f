"""Tests for departments (rules: registry 2.6)."""

import unicodedata
from collections.abc import Iterator
from typing import Any

import httpx
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from balcao.registry.city.departments.imports import IMPORTS
from balcao.registry.city.departments.schemas import Department, DepartmentNode
from balcao.registry.city.departments.tree import build_tree
from tests.registry.import_rows import load
from tests.support.fixture_types import Sql
from tests.support.proof_sizes import size
from tests.support.rules import read_values

PATH = "/registry/v1/departments"
MEMBERS = {
    "id",
    "cd_ua",
    "sigla_ua",
    "nome_ua",
    "cd_ua_pai",
    "nivel",
    "ordem_ua_basica",
    "ordem_absoluta",
    "ordem_relativa",
}
LEVELS = ("exact_level", "min_level", "max_level")
LETTERS = "aáàâãäbcçdeéèêëiíîïnñoóòôõöuúùûüyz"
PORTUGUESE = st.text(LETTERS + LETTERS.upper() + "019()/-%_.*\\ ", min_size=1, max_size=8)


def line(cd_ua: str, nivel: int, nome: str, sigla: str = "X", **members: Any) -> dict[str, Any]:
    return {"cd_ua": cd_ua, "sigla_ua": sigla, "nome_ua": nome, "nivel": nivel} | members


LINES = [
    line("9000", 10, "Conselho de Saúde", "CMS", cd_ua_pai="1100", ordem_absoluta="3"),
    line("1000", 1, "Prefeitura", "PPA", id="raiz", msg="Sede", updated_at="2026-01-02T03:04:05Z"),
    line("1100", 2, "Secretaria de Saúde", "SMS", cd_ua_pai="1000", ordem_absoluta="2"),
    line("1200", 2, "Secretaria de Educação", "SME", cd_ua_pai="1000", ordem_absoluta="1"),
    line("1190", 2, "Núcleo 100%_ (.*)", "NUC", cd_ua_pai="1000", ordem_absoluta="2"),
]
ORDER = ["1000", "1200", "1100", "1190", "9000"]


@pytest.fixture(scope="module", autouse=True)
def _chart(database_url: str) -> None:
    assert load(database_url, IMPORTS[0], *LINES) == len(LINES)


def codes(http: httpx.Client, **query: Any) -> list[str]:
    answer = http.get(PATH, params={"per_page": 100} | query)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["total_count"] == body["pagination"]["total"]
    return [department["cd_ua"] for department in body["departments"]]


def test_the_list_is_public_cacheable_and_in_the_order_of_the_chart(http: httpx.Client) -> None:
    answer = http.get(PATH)
    assert codes(http) == ORDER
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    assert set(answer.json()) == {"departments", "pagination", "total_count"}
    assert answer.json()["pagination"] == {"page": 1, "per_page": 10, "total": 5, "total_pages": 1}
    assert http.get(PATH, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


@pytest.mark.cases("registry", "A6")
def test_a_department_is_public_and_shows_what_is_set(http: httpx.Client) -> None:
    health, top = (http.get(f"{PATH}/{code}") for code in ("1100", "1000"))
    assert set(health.json()) == MEMBERS
    assert (health.json()["id"], health.json()["nivel"], health.json()["cd_ua_pai"]) == ("1100", 2, "1000")
    assert set(top.json()) == MEMBERS | {"msg", "updated_at"}
    assert (top.json()["id"], top.json()["cd_ua_pai"]) == ("raiz", None)
    assert (top.json()["msg"], top.json()["updated_at"]) == ("Sede", "2026-01-02T03:04:05Z")
    assert health.headers["Cache-Control"] == "public, max-age=300"
    unchanged = http.get(f"{PATH}/1100", headers={"If-None-Match": health.headers["ETag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")


@pytest.mark.parametrize("code", ["9999", "x" * 3000, "11%00", "%F0%9F%8C%88", "1100%20"])
def test_an_unknown_department_is_not_found(http: httpx.Client, code: str) -> None:
    answer = http.get(f"{PATH}/{code}")
    assert (answer.status_code, set(answer.json())) == (404, {"error"})


@pytest.mark.cases("registry", "H1")
@pytest.mark.parametrize(("wanted", "given"), read_values("registry", "H1 sizes"))
def test_more_than_a_thousand_items_a_page_are_a_thousand(http: httpx.Client, wanted: int, given: int) -> None:
    assert http.get(PATH, params={"per_page": wanted}).json()["pagination"]["per_page"] == given


@pytest.mark.cases("registry", "H1")
@pytest.mark.parametrize(("name", "value"), read_values("registry", "H1"))
def test_a_bad_parameter_is_refused_by_name(http: httpx.Client, name: str, value: str) -> None:
    answer = http.get(PATH, params={name: value})
    assert (answer.status_code, set(answer.json())) == (400, {"error"})
    assert f"`{name}`" in answer.json()["error"]


@pytest.mark.cases("registry", "H1")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"min_level": 3}, ["9000"]),
        ({"max_level": 1}, ["1000"]),
        ({"min_level": 2, "max_level": 2}, ["1200", "1100", "1190"]),
        ({"min_level": 3, "max_level": 2}, []),
        ({"exact_level": 10, "min_level": 1, "max_level": 2}, ["9000"]),
        ({"exact_level": 0}, []),
        ({"parent_id": "1000"}, ["1200", "1100", "1190"]),
        ({"sigla_ua": "SMS"}, ["1100"]),
        ({"sigla_ua": "SM"}, []),
        ({"search": "saude"}, ["1100", "9000"]),
        ({"search": "SAÚDE", "exact_level": 2}, ["1100"]),
        ({"search": "cms"}, ["9000"]),
        ({"search": ".*("}, []),
        ({"search": "(.*)"}, ["1190"]),
        ({"search": "%"}, ["1190"]),
        ({"search": "_"}, ["1190"]),
        ({"search": "\\"}, []),
        ({"search": "x" * 100}, []),
        ({"page": 2, "per_page": 2}, ["1100", "1190"]),
        ({"page": 1_000_000}, []),
    ],
)
def test_filters_narrow_the_list(http: httpx.Client, query: dict[str, Any], expected: list[str]) -> None:
    assert codes(http, **query) == expected


def folded(text: str) -> str:
    bare = "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
    return " ".join(bare.casefold().split())


@settings(deadline=None, max_examples=size(60, 1000), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(search=PORTUGUESE.filter(str.strip))
def test_the_search_is_a_literal_substring_blind_to_case_and_accents(http: httpx.Client, search: str) -> None:
    by_code = {found["cd_ua"]: (found["nome_ua"], found["sigla_ua"]) for found in LINES}
    expected = [code for code in ORDER if any(folded(search) in folded(text) for text in by_code[code])]
    assert codes(http, search=search) == expected


@settings(deadline=None, max_examples=size(60, 1000), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=30), min_size=1, max_size=10))
def test_the_registry_folds_texts_as_the_jobs_do(sql: Sql, texts: list[str]) -> None:
    """Services do not share schemas, so each has its own `folded` function. Both must return the same result."""
    [row] = sql(
        "SELECT array_agg(registry.folded(t)) AS here, array_agg(employability.folded(t)) AS there"
        " FROM unnest($1::text[]) AS u(t)",
        texts,
    )
    assert row["here"] == row["there"]


def test_loading_again_changes_only_what_differs(http: httpx.Client, database_url: str) -> None:
    again = [line("7000", 99, "Antes"), line("7000", 99, "Depois", cd_ua_pai="1000")]
    assert load(database_url, IMPORTS[0], *LINES) == 0
    assert load(database_url, IMPORTS[0], *again, *LINES) == 1
    assert http.get(f"{PATH}/7000").json()["nome_ua"] == "Depois"
    assert load(database_url, IMPORTS[0], again[0]) == 1
    assert http.get(f"{PATH}/7000").json()["cd_ua_pai"] is None


@pytest.mark.parametrize(
    "changes",
    [{"nivel": "2"}, {"nivel": 100}, {"nivel": -1}, {"cd_ua": ""}, {"nome_ua": None}, {"updated_at": "2026-01-02"}],
    ids=repr,
)
def test_a_row_that_is_no_department_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(line("1", 1, "Nome") | changes, IMPORTS[0].row)


# --- the tree ---------------------------------------------------------------------------------------------------------


def chart(parents: dict[int, int | None]) -> list[Department]:
    return [
        Department(
            id=str(code),
            cd_ua=str(code),
            sigla_ua="X",
            nome_ua="X",
            cd_ua_pai=None if parent is None else str(parent),
            nivel=1,
            ordem_ua_basica="",
            ordem_absoluta="",
            ordem_relativa="",
        )
        for code, parent in parents.items()
    ]


def walk(nodes: list[DepartmentNode], above: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each department of the tree with its ancestors."""
    for node in nodes:
        yield node.cd_ua, above
        yield from walk(node.children, (*above, node.cd_ua))


@pytest.mark.cases("registry", "H3")
@given(parents=st.dictionaries(st.integers(0, 30), st.none() | st.integers(0, 32), max_size=31))
def test_every_department_is_in_the_tree_once_and_below_its_parent_unless_that_is_unknown_or_a_ring(
    parents: dict[int, int | None],
) -> None:
    found = dict(walk(build_tree(chart(parents))))
    assert sorted(found) == sorted(map(str, parents))
    for code, above in found.items():
        parent, seen = parents[int(code)], {int(code)}
        chain: list[str] = []
        while parent in parents and parent not in seen:
            seen.add(parent)
            chain.insert(0, str(parent))
            parent = parents[parent]
        assert above == (() if parent in seen else tuple(chain))


def test_a_chain_longer_than_there_are_levels_still_makes_a_tree_that_can_be_sent() -> None:
    tree = build_tree(chart({code: code - 1 if code else None for code in range(150)}))
    assert len(msgspec.json.encode(tree)) > 0
    assert sorted(int(code) for code, _ in walk(tree)) == list(range(150))
    assert max(len(above) for _, above in walk(tree)) == 99


def list_codes(nodes: list[dict[str, Any]]) -> list[str]:
    return [code for node in nodes for code in (node["cd_ua"], *list_codes(node["children"]))]


@pytest.mark.cases("registry", "H3")
def test_the_tree_and_the_ancestors_agree_over_http(http: httpx.Client) -> None:
    body = http.get(f"{PATH}/tree").json()
    assert body["total_count"] == len(list_codes(body["departments"]))
    [top] = [node for node in body["departments"] if node["cd_ua"] == "1000"]
    assert set(top) == MEMBERS | {"children", "msg", "updated_at"}
    assert [(node["cd_ua"], len(node["children"])) for node in top["children"]] == [
        ("1200", 0),
        ("1100", 1),
        ("1190", 0),
    ]

    def ancestors(code: str) -> list[str]:
        answer = http.get(f"{PATH}/{code}/ancestors")
        assert answer.status_code == 200
        return [department["cd_ua"] for department in answer.json()["departments"]]

    assert (ancestors("9000"), ancestors("1100"), ancestors("1000")) == (["1000", "1100"], ["1000"], [])
    unknown = http.get(f"{PATH}/7777/ancestors")
    assert (unknown.status_code, unknown.headers["Error-Code"]) == (404, "department-unknown")


def test_departments_of_a_ring_have_no_ancestors(http: httpx.Client, sql: Sql) -> None:
    sql("UPDATE registry.department SET cd_ua_pai = '9000' WHERE cd_ua = '1100'")
    try:
        tops = [node["cd_ua"] for node in http.get(f"{PATH}/tree").json()["departments"]]
        assert {"1000", "1100", "9000"} <= set(tops)
        for code in ("1100", "9000"):
            assert http.get(f"{PATH}/{code}/ancestors").json() == {"departments": []}
    finally:
        sql("UPDATE registry.department SET cd_ua_pai = '1000' WHERE cd_ua = '1100'")
