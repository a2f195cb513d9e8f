"""The staff list of services over HTTP: filters, order and rejected parameters (rules: search 2.2)."""

from typing import Any
from uuid import uuid4

import pytest

from tests.search.staff import Ask, Staff
from tests.search.support import refusal
from tests.support.rules import read_values


def listed(ask: Ask, **query: Any) -> list[str]:
    found = ask("GET", params={"order": "asc", "sort_by": "nome_servico"} | query).json()
    assert found["found"] == len(found["services"]) <= found["out_of"]
    return [service["nome_servico"] for service in found["services"]]


def test_the_portal_filters_by_state_and_field_together(ask: Ask, staff: Staff) -> None:
    mark = uuid4().hex
    draft = staff.create(nome_servico=f"Árvore {mark} um", orgao_gestor=["Órgão-Geral", mark])
    waiting = staff.create(nome_servico=f"arvore {mark} DOIS", awaiting_approval=True, orgao_gestor=[f"Ação  {mark}"])
    staff.create(nome_servico=f"Árvore {mark} três", status=1)
    both = {"field": "nome_servico", "value": f"{mark} ÁRVORE"}
    assert listed(ask, **both) == [f"arvore {mark} DOIS", f"Árvore {mark} três", f"Árvore {mark} um"]
    assert listed(ask, **both, status=0) == [f"arvore {mark} DOIS", f"Árvore {mark} um"]
    assert listed(ask, **both, status="0", awaiting_approval="true") == [waiting["nome_servico"]]
    assert listed(ask, field="orgao_gestor", value=f"acao {mark.upper()}", awaiting_approval=1) == [
        waiting["nome_servico"]
    ]
    assert listed(ask, field="orgao_gestor", value=mark) == [draft["nome_servico"]]
    assert listed(ask, field="orgao_gestor", value=f"{mark}x") == []
    assert listed(ask, field="id", value=draft["id"].upper(), per_page=1) == [draft["nome_servico"]]
    assert listed(ask, field="slug", value=draft["slug"]) == [draft["nome_servico"]]
    assert listed(ask, nome_servico=f"tre {mark}") == [f"Árvore {mark} três"]


def test_names_match_whatever_their_case_accents_hyphens_and_blanks(ask: Ask, staff: Staff) -> None:
    mark = uuid4().hex
    staff.create(nome_servico="Um", tema_geral=f"Saúde-Básica {mark}", sub_categoria=f"Vacinação {mark}")
    for text in (f"saude basica {mark}", f"SAÚDE  básica {mark}", f" saúde-basica   {mark.upper()}"):
        assert listed(ask, tema_geral=text) == listed(ask, field="tema_geral", value=text) == ["Um"]
    assert listed(ask, sub_categoria=f"VACINACAO-{mark}") == ["Um"]
    assert listed(ask, field="sub_categoria", value=mark) == []


def test_further_filters_and_orders(ask: Ask, staff: Staff) -> None:
    tema = uuid4().hex
    staff.create(nome_servico="B", tema_geral=tema, is_free=True, published_at=1_700_000_000)
    staff.create(
        nome_servico="a", tema_geral=tema, is_free=False, published_at=1_600_000_000, publico_especifico=["Idosos"]
    )
    staff.create(nome_servico="Ç", tema_geral=tema)
    assert listed(ask, tema_geral=tema) == ["a", "B", "Ç"]
    assert listed(ask, tema_geral=tema, order="desc") == ["Ç", "B", "a"]
    assert listed(ask, tema_geral=tema, sort_by="published_at") == ["a", "B", "Ç"]
    assert listed(ask, tema_geral=tema, sort_by="published_at", order="desc") == ["B", "a", "Ç"]
    assert listed(ask, tema_geral=tema, is_free="false") == ["a"]
    assert listed(ask, tema_geral=tema, published_at=1_700_000_000) == ["B"]
    assert listed(ask, tema_geral=tema, field="publico_especifico", value="idosos") == ["a"]
    assert listed(ask, tema_geral=tema, author="pessoa de-teste") == ["a", "B", "Ç"]
    assert listed(ask, tema_geral=tema, field="autor", value="outra") == []
    found = ask("GET", params={"tema_geral": tema, "per_page": 2, "page": 2, "sort_by": "created_at"}).json()
    assert (found["found"], found["page"], found["per_page"], len(found["services"])) == (3, 2, 2, 1)


def test_names_are_in_the_order_of_the_alphabet_also_those_that_begin_with_an_ordinal(ask: Ask, staff: Staff) -> None:
    tema = uuid4().hex
    for name in ("Segunda via da caderneta", "Vacinação", "Adoção", "Primeira habilitação"):
        staff.create(nome_servico=name, tema_geral=tema)
    alphabet = ["Adoção", "Primeira habilitação", "Segunda via da caderneta", "Vacinação"]
    assert listed(ask, tema_geral=tema) == alphabet
    assert listed(ask, tema_geral=tema, order="desc") == alphabet[::-1]


@pytest.mark.cases("search", "39", "42")
@pytest.mark.parametrize("query", [*read_values("search", "39, 42"), {"tema_geral": "x" * 501}])
def test_what_matches_nothing_is_an_empty_page(ask: Ask, service: dict[str, Any], query: dict[str, Any]) -> None:
    answer = ask("GET", params=query)
    assert (answer.status_code, answer.json()["services"]) == (200, [])
    assert answer.json()["out_of"] > 0


@pytest.mark.cases("search", "40")
@pytest.mark.parametrize(("query", "code"), read_values("search", "40"))
def test_a_parameter_that_no_list_has_is_refused_by_its_name(ask: Ask, query: dict[str, str], code: str) -> None:
    answer = ask("GET", params=query)
    assert (*refusal(answer), list(answer.json())) == (400, code, ["error"])


@pytest.mark.cases("search", "41")
@pytest.mark.parametrize("absent", ["", "null", "undefined"])
def test_what_generated_clients_send_for_nothing_counts_as_absent(
    ask: Ask, service: dict[str, Any], absent: str
) -> None:
    names = ("status", "awaiting_approval", "tema_geral", "field", "published_at", "page", "per_page", "sort_by")
    found = ask("GET", params=dict.fromkeys(names, absent)).json()
    assert (found["page"], found["per_page"], found["found"]) == (1, 10, found["out_of"])
    odd = ask("GET", params={"per_page": "1000", "page": "-3"}).json()
    assert (odd["page"], odd["per_page"]) == (1, 10)


def test_a_summary_counts_each_state_by_the_other_filters(ask: Ask, staff: Staff) -> None:
    theme = f"Tema {uuid4().hex}"
    staff.create(tema_geral=theme)
    awaiting = staff.create(tema_geral=theme, awaiting_approval=True)
    staff.publish(tema_geral=theme)
    found = ask("GET", "/summaries", params={"tema_geral": theme, "status": "0", "awaiting_approval": "true"}).json()
    assert found["states"] == {"in_edition": 1, "awaiting_approval": 1, "published": 1}
    assert found["found"] == 1
    [row] = found["services"]
    assert row["id"] == awaiting["id"]
    assert (row["changed_by"], row["proposals"], row["version"]) == ("Pessoa de Teste", 0, 1)
    assert row["returned_reason"] is None
    assert "descricao_completa" not in row
    empty = ask("GET", "/summaries", params={"tema_geral": "nenhum\u0001"}).json()
    assert (empty["found"], empty["services"], empty["states"]["published"]) == (0, [], 0)
