"""Skills in a resume: each skill is linked within one of its work areas (rules: employability 2.11)."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.employability.people import citizen, machine
from tests.support.demo_people import ANA, BRUNO
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal

PATH = "/jobs/api/v1/empregabilidade/curriculo/habilidades"
TRUCKS, LOGISTICS, TRADE = 37, 8, 9
Ana = Callable[..., httpx.Response]


@pytest.fixture
def ana(http: httpx.Client, issuer: Issuer, sql: Sql) -> Iterator[Ana]:
    def call(method: str, path: str = "", **body: Any) -> httpx.Response:
        return http.request(method, PATH + path, json=body or None, headers=citizen(issuer))

    yield call
    sql("DELETE FROM employability.resume")


def test_a_skill_is_linked_once_in_its_first_area_and_removed_by_the_links_id(
    ana: Ana, http: httpx.Client, issuer: Issuer
) -> None:
    first, second = (ana("POST", id_habilidade=TRUCKS) for _ in range(2))
    assert (first.status_code, second.status_code, first.json()) == (201, 200, second.json())
    link = first.json()
    assert (link["cpf"], link["habilidade"], link["id_area_atuacao"]) == (ANA, "Direção categoria D", LOGISTICS)
    assert ana("GET").json() == {"data": [link], "meta": {"page": 1, "page_size": 50, "total": 1}}

    by_another = http.delete(f"{PATH}/{link['id']}", headers=citizen(issuer, BRUNO))
    assert refusal(by_another) == refusal(ana("DELETE", f"/{TRUCKS}")) == (404, "link-unknown")
    first, second = (ana("DELETE", f"/{link['id']}") for _ in range(2))
    assert (refusal(first), list(first.json())) == ((200, None), ["message"])
    assert (refusal(second), list(second.json())) == ((404, "link-unknown"), ["error"])
    assert ana("GET").json()["data"] == []


def test_a_skill_of_two_areas_is_linked_in_the_one_that_is_named(ana: Ana, sql: Sql) -> None:
    sql(
        "INSERT INTO employability.skill_area (skill_id, area_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", TRUCKS, TRADE
    )
    in_trade = ana("POST", id_habilidade=TRUCKS, id_area_atuacao=TRADE).json()
    assert in_trade["id_area_atuacao"] == TRADE
    assert ana("POST", id_habilidade=TRUCKS).json() == in_trade
    assert ana("POST", id_habilidade=TRUCKS, id_area_atuacao=LOGISTICS).status_code == 201
    sql("DELETE FROM employability.skill_link")
    sql("DELETE FROM employability.skill_area WHERE skill_id = $1 AND area_id = $2", TRUCKS, TRADE)


@pytest.mark.parametrize("body", [{"id_habilidade": 999}, {"id_habilidade": 1, "id_area_atuacao": LOGISTICS}])
def test_what_is_not_in_the_catalogue_is_refused(ana: Ana, body: dict[str, int]) -> None:
    answer = ana("POST", **body)
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, "skill-unknown")


def test_a_resume_has_at_most_fifty_skills(ana: Ana, sql: Sql) -> None:
    sql("INSERT INTO employability.skill (nome) VALUES ('Mais uma') ON CONFLICT DO NOTHING")
    sql(
        """INSERT INTO employability.skill_area (skill_id, area_id)
           SELECT id, 1 FROM employability.skill WHERE nome = 'Mais uma' ON CONFLICT DO NOTHING"""
    )
    [more] = sql("SELECT id FROM employability.skill WHERE nome = 'Mais uma'")
    sql("INSERT INTO employability.resume (cpf) VALUES ($1)", ANA)
    sql(
        """INSERT INTO employability.skill_link (cpf, id_area_atuacao_habilidade)
           SELECT $1, id FROM employability.skill_area WHERE skill_id <> $2 LIMIT 50""",
        ANA,
        more["id"],
    )
    answer = ana("POST", id_habilidade=more["id"])
    assert (answer.status_code, answer.headers["Error-Code"]) == (409, "skill-limit")


def test_a_token_without_cpf_identifies_nobody(http: httpx.Client, issuer: Issuer) -> None:
    for method, path in (("GET", ""), ("POST", ""), ("DELETE", "/1")):
        body = {"id_habilidade": TRUCKS} if method == "POST" else None
        assert http.request(method, PATH + path, json=body, headers=machine(issuer)).status_code == 401
