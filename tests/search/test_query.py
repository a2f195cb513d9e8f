"""Queries are parsed into words, phrases, exclusions and alternatives (rules: search 4.6, query)."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from balcao.search.public_search.query import MOST_TERMS, Part, parse_query, split_query
from balcao.search.public_search.synonyms import Synonyms
from tests.search.small_catalogue import NO_SYNONYMS, SmallCatalogue
from tests.support.proof_sizes import EXAMPLES

OPERATORS = ["OR", "-", '"', '""', "*", "AND", "NOT", "+", "(", ")", ":", "~", "^", "[", "\\", "\0", "\n", "name:"]
QUERIES = st.lists(
    st.sampled_from([*OPERATORS, "poda", "-poda", '"poda de árvore"', "árvore", "quero", "de", "zzyzx"])
    | st.text(max_size=6),
    max_size=12,
).map(" ".join)


def list_roots(query: str, synonyms: Synonyms = NO_SYNONYMS) -> list[tuple[str, ...]]:
    return [term.alternatives[0].roots for term in parse_query(query, synonyms).terms]


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("poda de árvore", [Part("poda"), Part("de"), Part("árvore")]),
        ('"poda de árvore" -cupim', [Part("poda de árvore", is_phrase=True), Part("cupim", is_excluded=True)]),
        ('-"pé de manga"', [Part("pé de manga", is_phrase=True, is_excluded=True)]),
        ("poda OR corte", [Part("poda"), Part("corte", is_alternative=True)]),
        ("OR poda or corte", [Part("OR"), Part("poda"), Part("or"), Part("corte")]),
        ("-poda OR corte", [Part("poda", is_excluded=True), Part("OR"), Part("corte")]),
        ("- a\tb", [Part("-"), Part("a"), Part("b")]),
    ],
)
def test_a_query_is_split_into_its_parts(query: str, parts: list[Part]) -> None:
    assert split_query(query) == parts


@pytest.mark.parametrize(("given_terms", "counted"), [(31, 31), (32, 32), (33, 32), (60, 32)])
def test_a_query_has_at_most_32_terms(given_terms: int, counted: int) -> None:
    query = parse_query(" ".join(f"palavra{place}" for place in range(given_terms)), NO_SYNONYMS)
    assert len(query.terms) == counted
    assert MOST_TERMS == 32


def test_words_of_asking_count_only_if_the_query_has_no_others() -> None:
    assert list_roots("quero tirar identidade") == [("identidade",)]
    assert [roots for roots, *_ in list_roots("quero fazer")] == ["querer", "fazer"]
    assert list_roots('"quero fazer" bolo') == [("querer", "fazer"), ("bolo",)]


def test_a_word_of_asking_counts_within_a_synonym_of_several_words() -> None:
    synonyms = Synonyms([("iss", "imposto sobre serviços"), ("wifi", "wi-fi")])
    for query in ("quero imposto sobre serviços", "wi-fi"):
        [term] = parse_query(query, synonyms).terms
        assert len(term.alternatives) == 2
    assert list_roots("serviço de poda", synonyms) == [("podar",)]


def test_an_alternative_to_a_word_of_asking_is_one_to_the_word_before_it() -> None:
    [term] = parse_query("vaga quero OR poda", NO_SYNONYMS).terms
    assert [each.roots for each in term.alternatives] == [("vagar",), ("podar",)]


def test_a_word_with_a_hyphen_asks_for_each_of_its_words() -> None:
    assert list_roots("pré-natal") == list_roots("pré natal")


def test_an_alternative_binds_the_two_parts_around_it() -> None:
    query = parse_query("vaga poda OR corte creche", NO_SYNONYMS)
    assert [len(term.alternatives) > 1 for term in query.terms] == [False, True, False]
    assert [each.roots for each in query.terms[1].alternatives] == [("podar",), ("cortar",)]


@pytest.mark.parametrize(
    ("query", "last"),
    [("vaga cre", "cre"), ('"vaga cre"', ""), ("vaga -cre", "vaga"), ("", ""), ("creche ?", "creche")],
)
def test_the_last_word_may_be_incomplete(query: str, last: str) -> None:
    assert parse_query(query, NO_SYNONYMS).last == last


def test_a_highlight_marks_the_roots_of_all_alternatives() -> None:
    synonyms = Synonyms([("iptu", "imposto predial")])
    assert parse_query("iptu atrasado", synonyms).marked_roots == {"iptu", "imposto", "predial", "atrasar"}


CATALOGUE = SmallCatalogue("Poda de árvore", "Vaga em creche", "Corte de árvore com cupim")


@settings(max_examples=EXAMPLES)
@given(query=QUERIES)
def test_no_query_breaks_the_search(query: str) -> None:
    found = CATALOGUE.search(query)
    assert found.total >= len(found.services)
    assert (found.match == "none") == (not found.services)


@settings(max_examples=EXAMPLES)
@given(query=QUERIES)
@example('" "poda de árvore" "')
def test_what_is_excluded_is_never_found(query: str) -> None:
    assert not [name for name in CATALOGUE.list_results(f"{query} -árvore") if "árvore" in name]
    excluding = f'{query} -"árvore com cupim"'
    if split_query(excluding)[-1].is_phrase:  # otherwise the quotation marks pair differently
        assert "Corte de árvore com cupim" not in CATALOGUE.list_results(excluding)
