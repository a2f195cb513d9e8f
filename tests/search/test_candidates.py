"""The candidates for a query, in steps from all terms to any rare term (rules: search 4.6, steps)."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.search.index.schema import DOCUMENTS, HEAD, NAME, write_filter
from balcao.search.public_search.candidates import (
    ALL,
    HEAD_ZONES,
    Filters,
    Zones,
    find_candidates,
    restrict,
    weigh_term,
)
from balcao.search.public_search.parameters import SearchRequest
from balcao.search.public_search.query import parse_query
from balcao.search.public_search.synonyms import Synonyms
from bench.catalogue import make_services
from tests.search.small_catalogue import NO_SYNONYMS, SmallCatalogue, make_service
from tests.support.proof_sizes import EXAMPLES

WORDS = "consulta idosos creche municipal multa atendimento documento vaga cartão escola rua obra licença 2 via".split()
QUERIES = st.lists(st.sampled_from([*WORDS, "OR", "-obra", '"vaga em creche"', "zzyzx"]), min_size=1, max_size=5).map(
    " ".join
)
TREES = SmallCatalogue(
    "Poda de árvore",
    "Poda de jardim",
    make_service("Corte de grama", resumo="Corte da grama de praças"),
    make_service("Vistoria", descricao_completa="A equipe poda a árvore doente."),
    make_service("Alvará de obra", documentos_necessarios=["Planta da árvore"]),
)


def list_services() -> list[dict[str, Any]]:
    """Return generated services. Some are drafts or only for agents, and some themes are in capital letters."""
    chance = random.Random(1)
    services = list(make_services(200))
    for place, each in enumerate(services):
        each["is_free"] = [True, False, None][place % 3]
        each["status"] = place % 5 and 1
        each["agents"] = {"exclusive_for_agents": True} if place % 7 == 0 else None
        each["tema_geral"] = chance.choice([each["tema_geral"], each["tema_geral"].upper()])
    return services


SERVICES = list_services()
DRAFTS = {each["id"] for each in SERVICES if each["status"] == 0}
FOR_AGENTS = {each["id"] for each in SERVICES if each["agents"]}
CITY = SmallCatalogue(*SERVICES)
EVERYTHING = Filters(hidden=())


def list_found(query: str, filters: Filters) -> set[str]:
    found = find_candidates(CITY.index, parse_query(query, NO_SYNONYMS), NO_SYNONYMS, filters, ALL, 500)
    assert found.total == len(found.hits)
    return {entry.id for entry in CITY.index.read_entries([address for _, address in found.hits])}


@pytest.mark.parametrize(
    ("query", "match", "names"),
    [
        ("poda árvore", "all_terms", {"Poda de árvore", "Vistoria"}),
        ("podar árvores", "all_terms", {"Poda de árvore", "Vistoria"}),
        ("poda jardim zzyzx", "any_term", {"Poda de jardim", "Poda de árvore", "Vistoria"}),
        ("poda creche", "any_term", {"Poda de árvore", "Poda de jardim", "Vistoria"}),
        ("zzyzx", "none", set()),
        ("zzyzx qwxyz", "none", set()),
        ("planta", "all_terms", {"Alvará de obra"}),
        ("de", "all_terms", {"Poda de árvore", "Poda de jardim", "Corte de grama", "Alvará de obra"}),
        ("do", "none", set()),
        ("", "none", set()),
        # Stop words are not in the index, so other stop words may be in their place in a phrase.
        ('"poda de árvore"', "all_terms", {"Poda de árvore", "Vistoria"}),
        ('"árvore poda"', "none", set()),
        ("poda -jardim", "all_terms", {"Poda de árvore", "Vistoria"}),
        ("jardim OR grama", "all_terms", {"Poda de jardim", "Corte de grama"}),
    ],
)
def test_the_strictest_step_with_results_answers(query: str, match: str, names: set[str]) -> None:
    assert TREES.list_found(query) == (match, names)


def test_a_long_query_first_searches_names_phrases_and_summaries() -> None:
    catalogue = SmallCatalogue(
        make_service("Consulta médica", descricao_completa="Vaga na creche para o filho."),
        make_service("Creche", resumo="Vaga para o filho"),
    )
    assert HEAD_ZONES[0] == NAME
    assert catalogue.list_found("vaga creche filho") == ("all_terms", {"Creche"})
    assert catalogue.list_found("vaga creche") == ("all_terms", {"Creche", "Consulta médica"})


@pytest.mark.parametrize(("terms", "enough"), [(2, 1), (3, 1), (4, 2), (6, 2), (7, 3)])
def test_a_third_of_the_terms_rounded_up_is_enough(terms: int, enough: int) -> None:
    words = [f"palavra{letter}" for letter in "abcdefg"[:terms]]
    # The first service contains enough of the terms. The second one contains too few.
    catalogue = SmallCatalogue(" ".join(words[:enough]), " ".join(words[: enough - 1]) or "outra")
    match, names = catalogue.list_found(" ".join(words))
    assert match == ("all_terms" if enough == terms else "any_term")
    assert names == {" ".join(words[:enough])}


def test_one_of_the_two_rarest_terms_is_the_last_step() -> None:
    catalogue = SmallCatalogue("Guia de rua", "Rua com vaga", "Rua sem nome", "Escorpião", synonyms=NO_SYNONYMS)
    match, names = catalogue.list_found("escorpião granizo tempestade ontem rua madrugada telhado")
    assert match == "any_term"
    assert "Escorpião" in names


def test_the_words_of_a_synonym_count_each_if_no_service_has_it() -> None:
    synonyms = Synonyms([("poste apagado", "breu total")])
    catalogue = SmallCatalogue("Conserto de poste", "Poda de árvore", synonyms=synonyms)
    assert catalogue.list_found("poste apagado") == ("any_term", {"Conserto de poste"})


def test_a_synonym_of_several_words_may_have_words_in_between() -> None:
    synonyms = Synonyms([("itbi", "imposto transmissão")])
    near, far = "Imposto sobre a transmissão de imóveis", "Imposto que o cartório local cobra por ano e por transmissão"
    catalogue = SmallCatalogue(near, far, synonyms=synonyms)
    assert catalogue.list_found("itbi") == ("all_terms", {near})


def test_only_the_chosen_zones_are_searched() -> None:
    chosen = Zones(((HEAD, 5.0),))
    assert TREES.list_found("grama", chosen) == ("all_terms", {"Corte de grama"})
    assert TREES.list_found("jardim", chosen) == ("none", set())
    assert TREES.list_found("árvore", Zones(((DOCUMENTS, 1.0),))) == ("all_terms", {"Alvará de obra"})


def test_a_term_weighs_as_much_as_its_most_frequent_alternative() -> None:
    index = TREES.index
    [frequent] = parse_query("poda", NO_SYNONYMS).terms
    [rare] = parse_query("grama", NO_SYNONYMS).terms
    [either] = parse_query("poda OR grama", NO_SYNONYMS).terms
    [unknown] = parse_query("zzyzx", NO_SYNONYMS).terms
    assert weigh_term(index, rare) > weigh_term(index, frequent) == weigh_term(index, either) > 0
    assert weigh_term(index, unknown) == 0


@settings(max_examples=EXAMPLES)
@given(query=QUERIES, theme=st.sampled_from(["Saúde", "saude", "TRIBUTOS"]))
def test_filters_only_remove(query: str, theme: str) -> None:
    """A filter may leave a step without results, so compare only searches that end with the same step."""
    chosen = write_filter("tema_geral", theme)
    parsed = parse_query(query, NO_SYNONYMS)
    whole = find_candidates(CITY.index, parsed, NO_SYNONYMS, EVERYTHING, ALL, 500)
    if whole.query is None:
        return
    total, _ = CITY.index.search(whole.query, 500)
    within = restrict(CITY.index, whole.query, Filters([chosen], ()))
    fewer, hits = CITY.index.search(within, 500)
    assert (whole.total, fewer) == (total, len(hits))
    assert list_found(query, EVERYTHING) >= {entry.id for entry in CITY.index.read_entries([at for _, at in hits])}


@settings(max_examples=EXAMPLES)
@given(query=QUERIES | st.just("*"), drafts=st.booleans(), for_agents=st.booleans())
def test_drafts_and_services_for_agents_are_found_only_on_request(query: str, drafts: bool, for_agents: bool) -> None:
    request = SearchRequest(query, include_inactive=drafts, exclude_agent_exclusive=not for_agents)
    found = list_found("" if query == "*" else query, request.filters)
    assert drafts or not found & DRAFTS
    assert for_agents or not found & FOR_AGENTS
    listed, _ = CITY.index.search(restrict(CITY.index, None, request.filters), 500)
    hidden = (set() if drafts else DRAFTS) | (set() if for_agents else FOR_AGENTS)
    assert listed == len(SERVICES) - len(hidden)


@settings(max_examples=EXAMPLES)
@given(query=QUERIES, excluded=st.sampled_from(WORDS))
def test_exclusions_never_appear(query: str, excluded: str) -> None:
    [term] = parse_query(excluded, NO_SYNONYMS).terms or [None]
    if term is None:
        return
    root = term.alternatives[0].roots[0]
    for each in CITY.search(f"{query} -{excluded}", per_page=100).services:
        [entry] = CITY.index.read_entries([each.hit.address])
        assert root not in {*entry.name, *entry.head}
