"""Public lists of categories and subcategories, and their order (rules: search 2.3, 2.5)."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import pytest

from tests.search.staff import EDITOR, Staff
from tests.search.support import refusal
from tests.support.issuer import Issuer, bearer
from tests.support.rules import read_values

CATEGORIES = "/search/api/v1/categories"
SEEDED = [
    "Cidade", "Transporte", "Saúde", "Educação", "Tributos", "Cidadania", "Licenças", "Meio Ambiente", "Trânsito",
    "Servidor", "Segurança", "Defesa Civil", "Trabalho", "Cultura", "Cursos", "Ordem Pública", "Obras", "Animais",
    "Ouvidoria", "Peticionamentos", "Lei de Acesso à Informação (LAI)", "Lei Geral de Proteção de Dados (LGPD)",
    "Central Anticorrupção",
]  # fmt: skip

Sql = Callable[..., list[asyncpg.Record]]


@pytest.fixture
def category(staff: Staff) -> str:
    """Create a category with two published services, a draft and a service for agents, in two subcategories."""
    name = f"Praças-e Jardins {uuid4().hex}"
    kinds: list[dict[str, Any]] = [{"status": 1}, {"status": 1}, {}, {"status": 1, "agents": AGENTS}]
    for number, members in enumerate(kinds):
        staff.create(tema_geral=name, sub_categoria=f"Áreas {number % 2}", nome_servico=f"Serviço {number}", **members)
    return name


AGENTS = {"exclusive_for_agents": True}


def ask(http: httpx.Client, path: str = "", **query: Any) -> dict[str, Any]:
    answer = http.get(f"{CATEGORIES}{path}", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.cases("search", "45")
@pytest.mark.usefixtures("empty_catalogue")
def test_a_fresh_installation_has_the_seeded_categories_in_their_order(http: httpx.Client) -> None:
    found = ask(http, include_empty="true")
    assert [one["name"] for one in found["categories"]] == SEEDED
    assert {one["count"] for one in found["categories"]} == {0}
    assert [one["popularity_score"] for one in found["categories"]][:2] == [5000, 4500]
    assert (found["total_categories"], found["metadata"]["popularity_source"]) == (23, "seed")
    assert isinstance(found["metadata"]["timestamp"], int)
    assert ask(http)["categories"] == []


@pytest.mark.cases("search", "36")
def test_a_category_counts_what_everybody_may_see(http: httpx.Client, category: str) -> None:
    [counted] = [one for one in ask(http)["categories"] if one["name"] == category]
    assert (counted["count"], counted["popularity_score"]) == (2, 0)
    found = ask(http, filter_category=category.upper().replace("Ç", "c"), per_page=1)["filtered_category"]
    assert (found["total_services"], found["page"], found["per_page"], len(found["services"])) == (2, 1, 1, 1)
    [listed] = found["services"]
    assert listed["title"] in {"Serviço 0", "Serviço 1"}
    assert (listed["category"], listed["status"]) == (category, 1)
    assert listed["description"] == "Solicita a poda de árvores."
    assert "autor" not in listed["metadata"]
    assert not {"nome_servico", "version", "id"} & set(listed["metadata"])
    assert listed["metadata"]["orgao_gestor"] == ["Secretaria de Conservação"]


@pytest.mark.cases("search", "43")
def test_names_match_however_they_are_written(http: httpx.Client, category: str) -> None:
    found = [ask(http, f"/{name}/subcategories") for name in (category, category.lower(), category.replace("-", "  "))]
    assert found[0]["subcategories"] == [
        {"name": "Áreas 0", "category": category, "count": 1, "popularity_score": 0},
        {"name": "Áreas 1", "category": category, "count": 1, "popularity_score": 0},
    ]
    assert found[0]["total_subcategories"] == 2
    assert [one["subcategories"] for one in found] == [found[0]["subcategories"]] * 3
    seeded = [ask(http, f"/{name}/subcategories")["category"] for name in ("saude", "SAÚDE", "saúde")]
    assert seeded == ["Saúde"] * 3


def test_the_services_of_a_subcategory(http: httpx.Client, category: str) -> None:
    address = "/search/api/v1/subcategories/areas 0/services"
    found = http.get(address, params={"category": category}).json()
    assert (found["subcategory"], found["total_services"], found["page"]) == ("Áreas 0", 1, 1)
    assert [one["title"] for one in found["services"]] == ["Serviço 0"]
    assert http.get(address, params={"category": "Saúde"}).json()["services"] == []
    beyond = http.get(address, params={"category": category, "page": 9}).json()
    assert (beyond["services"], beyond["total_services"], beyond["page"]) == ([], 1, 9)


@pytest.mark.parametrize("name", ["nenhuma", "%00", "x" * 300, "a'--", "%25"])
def test_what_is_no_category_has_nothing(http: httpx.Client, name: str) -> None:
    assert ask(http, f"/{name}/subcategories")["subcategories"] == []
    assert http.get(f"/search/api/v1/subcategories/{name}/services").json()["services"] == []
    if not name.startswith("%"):
        filtered = ask(http, filter_category=name)["filtered_category"]
        assert (filtered["name"], filtered["services"], filtered["total_services"]) == (name, [], 0)


@pytest.mark.cases("search", "44")
@pytest.mark.parametrize("query", read_values("search", "44"))
@pytest.mark.parametrize("path", ["", "/Cidade/subcategories"])
def test_an_unknown_word_is_refused(http: httpx.Client, path: str, query: dict[str, str]) -> None:
    answer = http.get(f"{CATEGORIES}{path}", params=query)
    assert (*refusal(answer), list(answer.json())) == (400, f"{next(iter(query))}-invalid", ["error"])


def test_the_orders(http: httpx.Client, staff: Staff, category: str) -> None:
    small = f"A {category}"
    staff.publish(tema_geral=small)
    for query, wanted in (
        ({"sort_by": "count"}, [category, small]),
        ({"sort_by": "count", "order": "asc"}, [small, category]),
        ({"sort_by": "alpha", "order": "asc"}, [small, category]),
        ({"sort_by": "alpha"}, [category, small]),
    ):
        names = [one["name"] for one in ask(http, **query)["categories"]]
        assert [name for name in names if category in name] == wanted


@pytest.mark.cases("search", "37")
def test_drafts_are_for_staff_alone(http: httpx.Client, issuer: Issuer, staff: Staff, category: str) -> None:
    drafts = {"include_inactive": "true", "filter_category": category}
    subcategory = "/search/api/v1/subcategories/Áreas 0/services"
    paths = [CATEGORIES, f"{CATEGORIES}/{category}/subcategories", subcategory]
    editor = bearer(issuer.person("90000020281", realm_access={"roles": [EDITOR]}))
    for path in paths:
        assert http.get(path, params=drafts).status_code == 401
        expired = bearer(issuer.admin(exp=1))
        assert http.get(path, params=drafts, headers=expired).status_code == 401
        assert http.get(path, headers=expired).status_code == 200
        citizen = bearer(issuer.person("90000000175"))
        assert http.get(path, params=drafts, headers=citizen).status_code == 403
        answer = http.get(path, params=drafts, headers=editor)
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    found = http.get(CATEGORIES, params=drafts, headers=editor).json()["filtered_category"]
    assert (found["total_services"], {one["status"] for one in found["services"]}) == (3, {0, 1})
    assert ask(http, filter_category=category)["filtered_category"]["total_services"] == 2


def test_an_answer_counts_until_a_service_changes(http: httpx.Client, staff: Staff, category: str) -> None:
    first = http.get(CATEGORIES)
    assert first.headers["Cache-Control"] == "public, max-age=30"
    again = http.get(CATEGORIES, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_staff_order_the_categories(http: httpx.Client, staff: Staff, category: str) -> None:
    assert staff("GET", "/categories").json()["categories"][0]["popularity_seed"] >= 5000
    assert staff("GET", f"/categories/{category}").status_code == 404
    body = {"popularity_seed": 9000}
    made = staff("PUT", f"/categories/{category}", json=body)
    assert (made.status_code, made.json()) == (200, {"name": category, "popularity_seed": 9000, "active": True})
    assert staff("GET", f"/categories/{category.upper()}").json() == made.json()
    hidden = staff("PUT", f"/categories/{category.upper()}", json=body | {"active": False}).json()
    assert hidden == {"name": category, "popularity_seed": 9000, "active": False}


@pytest.mark.parametrize(
    ("name", "body", "code"),
    [
        ("Cidade", {}, "body-invalid"),
        ("Cidade", {"popularity_seed": -1}, "body-invalid"),
        ("Cidade", {"popularity_seed": "1"}, "body-invalid"),
        ("---", {"popularity_seed": 1}, "name-invalid"),
        ("x" * 201, {"popularity_seed": 1}, "name-length"),
    ],
)
def test_what_is_no_order_is_refused(staff: Staff, name: str, body: dict[str, Any], code: str) -> None:
    assert refusal(staff("PUT", f"/categories/{name}", json=body)) == (400, code)


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("GET", "/Cidade"), ("PUT", "/Cidade")])
def test_only_administrators_of_the_search_order(
    http: httpx.Client, issuer: Issuer, staff: Staff, method: str, path: str
) -> None:
    address, body = f"/search/api/v1/admin/categories{path}", {"popularity_seed": 5000}
    assert http.request(method, address, json=body).status_code == 401
    assert http.request(method, address, json=body, headers=bearer(issuer.person("90000000175"))).status_code == 403
    assert staff(method, f"/categories{path}", role=EDITOR, json=body).status_code == 403
    assert staff(method, f"/categories{path}", json=body).status_code == 200
