"""Queries from people in distress find a service that helps, or no service at all (rules: search 4.6, concerns)."""

import tomllib
from importlib.resources import files

import pytest

from balcao.search.public_search.concerns import list_searches
from balcao.search.public_search.query import parse_query
from balcao.search.public_search.synonyms import Synonyms
from tests.search.judged import City, list_names
from tests.search.small_catalogue import NO_SYNONYMS, SmallCatalogue

CONCERNS = tomllib.loads(files("balcao.search.public_search").joinpath("concerns.toml").read_text("utf-8"))["concern"]
PHRASES = [(phrase, concern["searches"]) for concern in CONCERNS for phrase in concern["phrases"]]


@pytest.fixture(scope="module")
def city(seeded_synonyms: Synonyms) -> City:
    return City(seeded_synonyms)


def list_for(query: str) -> list[str]:
    return list(list_searches(parse_query(query, NO_SYNONYMS)))


@pytest.mark.parametrize(("phrase", "searches"), PHRASES)
def test_a_query_with_a_phrase_leads_to_the_searches_of_its_concern(phrase: str, searches: list[str]) -> None:
    assert set(searches) <= set(list_for(f"por favor {phrase} hoje"))


@pytest.mark.parametrize(
    "query",
    [
        "meu marido me bate",
        "o marido bateu em mim",
        "quero me matar",
        "passando fome",
        "estou com depressão",
        "viciado em crack",
    ],
)
def test_forms_and_order_do_not_matter(query: str) -> None:
    assert list_for(query)


@pytest.mark.parametrize(
    "query", ["marido", "mato alto na praça", "matar mosquito", "poda de árvore", "certidão do marido"]
)
def test_everyday_queries_are_no_concern(query: str) -> None:
    assert list_for(query) == []


@pytest.mark.parametrize("query", ['"marido bate"', "marido bate -criança", "marido OR companheiro bate"])
def test_a_query_with_operators_is_searched_as_typed(query: str) -> None:
    assert list_for(query) == []


def test_without_a_service_that_helps_the_query_is_searched_as_typed() -> None:
    catalogue = SmallCatalogue("Poda de árvore")
    found = catalogue.search("meu marido me bate")
    assert (found.match, found.suggestion, list(found.services)) == ("none", None, [])


@pytest.mark.parametrize("concern", [each["name"] for each in CONCERNS])
def test_each_concern_finds_a_service_of_the_demo_city(city: City, concern: str) -> None:
    [phrase, *_] = next(each["phrases"] for each in CONCERNS if each["name"] == concern)
    found = city.search(phrase)
    assert found.match == "all_terms"
    assert list_names(found)
