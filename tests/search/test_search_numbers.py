"""The numbers of the rules that decide what a search does, each at its edge (rules: search 2.3, 3.1, 4.6, 5)."""

import itertools
import math
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from balcao.core.errors import Invalid
from balcao.search.control_queries import service as control_queries
from balcao.search.popularity import service as popularity
from balcao.search.public_search import conditions_store, facets_store, highlights, matching, responses, state, store
from balcao.search.public_search import service as public_search
from balcao.search.public_search.matching import Matching
from balcao.search.public_search.parameters import RANK_WEIGHTS, SearchRequest
from balcao.search.public_search.terms import (
    ASKING,
    ParsedQuery,
    Word,
    index_synonyms,
    parse_query,
    split_query,
    widen_query,
)
from balcao.search.services.content import merge_content
from balcao.search.synonyms import service as synonyms
from balcao.search.vocabulary import service as vocabulary
from balcao.search.zero_results import service as zero_results
from tests.search.support import body


def read(query: str) -> ParsedQuery:
    """The query whose every word is its own lexeme."""
    parts = split_query(query)
    return parse_query(parts, {part.text: [Word(word, word) for word in part.text.split()] for part in parts})


def number(count: int) -> str:
    return " ".join(f"palavra{place}" for place in range(count))


@pytest.mark.parametrize(("given", "counted"), [(31, 31), (32, 32), (33, 32), (60, 32)])
def test_a_query_has_at_most_32_terms(given: int, counted: int) -> None:
    query = read(number(given))
    assert len(query.terms) == len(query.words) == counted
    assert (query.last_word is None) == (given > 32), "the last word of a longer one is not what was typed last"


@pytest.mark.parametrize(("terms", "half"), [(2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (7, 4), (31, 16), (32, 16)])
def test_half_of_the_terms_rounded_up_are_enough(terms: int, half: int) -> None:
    step = matching.match_any_term(read(number(terms)), {})
    assert step is not None
    assert (step.match, step.fewest, len(step.terms)) == ("any_term", half, terms)
    if terms <= 6:
        assert step.query.count("|") == math.comb(terms, half) - 1, "every choice of so many"


def test_of_one_term_there_is_no_half_and_no_rarest() -> None:
    assert matching.match_any_term(read("poda"), {}) is None
    assert matching.match_rarest(read("poda"), {"poda": 1.0}) is None


def test_one_of_the_two_rarest_terms_that_any_service_has_is_the_last_step() -> None:
    weights = {"via": 0.1, "carne": 2.0, "guia": 3.0}
    step = matching.match_rarest(read("via carne guia nada"), weights)
    assert step is not None
    assert {lexeme for lexeme in weights if f"'{lexeme}'" in step.query} == {"carne", "guia"}
    assert step.match == "any_term"
    assert step.fewest == 1
    assert step.weights == (0.1, 2.0, 3.0, matching.UNKNOWN_WEIGHT)
    assert matching.match_rarest(read("nada nenhum"), weights) is None


def test_of_more_than_six_terms_the_index_is_asked_for_the_rarest() -> None:
    """What has four of seven has one of any four of them."""
    weights = {f"palavra{place}": float(place) for place in range(1, 7)}
    step = matching.match_any_term(read(number(7)), weights)
    assert step is not None
    assert (step.fewest, len(step.terms)) == (4, 7), "all of them count"
    asked = {place for place in range(7) if f"'palavra{place}'" in step.sought}
    assert asked == {0, 6, 5, 4}, "the first of them is in no service"
    six = matching.match_any_term(read(number(6)), weights)
    assert six is not None
    assert not six.sought, "every choice of three is looked for"


def test_a_term_says_as_much_as_the_most_frequent_way_to_meet_it() -> None:
    group = frozenset({("iptu",), ("imposto", "predial"), ("tributo", "raro")})
    query = widen_query(read("iptu via"), index_synonyms([group]))
    weights = {"iptu": 5.0, "imposto": 1.0, "predial": 2.0, "tributo": 0.5, "via": 3.0}
    step = matching.match_any_term(query, weights)
    assert step is not None
    assert step.weights == (2.0, 3.0), "predial is what is rare in imposto predial; no service has the third way"


@pytest.mark.parametrize(("typed", "goes_on"), [("po", False), ("pod", True)])
def test_a_last_word_of_three_letters_may_go_on(typed: str, goes_on: bool) -> None:
    step = matching.match_prefix(read(f"pedido {typed}"), ["podar"])
    assert (step is not None) == goes_on
    assert step is None or f"'{typed}':*" in step.query


@pytest.mark.parametrize(("typed", "is_compared"), [("pod", False), ("poda", True)])
def test_a_query_of_four_letters_is_compared_with_names(typed: str, is_compared: bool) -> None:
    assert (matching.match_similar(read(typed)) is not None) == is_compared


async def test_a_name_is_similar_from_042_on(owner: asyncpg.Connection) -> None:
    starts, middles, ends = ("castra", "castel"), ("cao", "o", "r x", ""), ("", " de gato")
    names = ["".join(letters) for letters in itertools.product(starts, middles, ends)]
    await owner.execute("CREATE TABLE search.compared AS SELECT gen_random_uuid() AS id, name AS nome_fold"
                        " FROM unnest($1::text[]) AS name", names)  # fmt: skip
    try:
        rows = await owner.fetch(
            "SELECT public.word_similarity(typed, nome_fold) AS likeness,"
            " id IN (SELECT search.similar_names('compared', typed)) AS is_similar"
            " FROM search.compared, unnest($1::text[]) AS typed",
            names,
        )
    finally:
        await owner.execute("DROP TABLE search.compared")
    assert all(row["is_similar"] == (row["likeness"] >= 0.42) for row in rows)
    assert any(0.4 <= row["likeness"] < 0.42 for row in rows)
    assert any(0.42 <= row["likeness"] < 0.46 for row in rows)


def test_a_synonym_counts_for_four_fifths_and_every_term_of_a_group_for_the_others() -> None:
    assert store.SYNONYM_SHARE == 0.8
    group = frozenset({("iptu",), ("imposto", "predial"), ("tributo",)})
    for typed in group:
        [term] = widen_query(read(" ".join(typed)), index_synonyms([group])).terms
        assert {each.lexemes for each in (*term.exact, *term.wider)} == group
        assert [each.lexemes for each in term.exact] == [typed]
        assert all(each.is_phrase == (len(each.lexemes) > 1) for each in term.wider)


def test_words_of_asking_count_only_where_nothing_else_is_said() -> None:
    assert [term.exact[0].lexemes for term in read("quero tirar identidade").terms] == [("identidade",)]
    assert [term.exact[0].lexemes for term in read("quero fazer").terms] == [("quero",), ("fazer",)]
    assert [term.exact[0].lexemes for term in read('"quero fazer" bolo').terms] == [("quero", "fazer"), ("bolo",)]
    assert all(word.isalpha() and word == word.lower() for word in ASKING)


@pytest.mark.parametrize(("ahead", "is_allowed"), [(300, True), (301, False)])
def test_a_service_is_published_at_most_300_seconds_ahead(ahead: int, is_allowed: bool) -> None:
    now = datetime(2026, 11, 23, 12, tzinfo=UTC)
    sent = body(published_at=int((now + timedelta(seconds=ahead)).timestamp()))
    if is_allowed:
        assert merge_content(sent, None, now).published_at == sent.published_at
    else:
        with pytest.raises(Invalid):
            merge_content(sent, None, now)


def test_fragments_are_two_of_160_characters() -> None:
    text = " ".join(["palavra"] * 40 + ["poda"] + ["palavra"] * 40 + ["poda"] + ["palavra"] * 40 + ["poda"])
    fragments = highlights.make_snippet([text], {"poda"}).split(highlights.ELLIPSIS)
    plain = [fragment.replace("<mark>", "").replace("</mark>", "") for fragment in fragments]
    assert len(plain) == 2
    assert all(150 <= len(fragment) <= 160 for fragment in plain)
    assert 150 <= len(highlights.make_snippet(["palavra " * 60], {"nada"})) <= 160


@pytest.mark.parametrize(
    ("query", "is_kept"), [("rua 1234", True), ("rua 12345", False), ("1 2.3/4-5", False), ("a@b", False)]
)
def test_five_digits_or_an_address_are_a_persons(query: str, is_kept: bool) -> None:
    assert zero_results.may_be_kept(query) == is_kept


def test_the_score_is_made_as_the_rules_say() -> None:
    assert "0.75 * text_match + 0.15 * name_match + 0.10 * popularity" in store.SCORE
    assert (RANK_WEIGHTS, store.HALF_RANK, store.NORMALISATION) == ((0.05, 0.2, 0.5, 1.0), 0.1, 1)
    step = Matching("any_term", query="'x'", terms=("'x'", "'y'"), weights=(1.0, 3.0), folded="x")
    values = conditions_store.Values()
    share = store._write_share(step, values)
    assert [value for value in values.values if isinstance(value, float)] == [1.0, 3.0, 4.0]
    assert share.endswith("::float8")


def test_the_limits_are_those_of_the_rules() -> None:
    """What no small catalogue reaches, so that no behaviour can show it."""
    assert (conditions_store.MOST_CANDIDATES, store.MOST_COUNTED, conditions_store.BUDGET_SECONDS) == (
        2000,
        10_000,
        2.0,
    )
    assert (facets_store.MOST_FACET_VALUES, state.FACET_SECONDS, state.RESPONSE_SECONDS) == (20, 30.0, 30.0)
    assert (responses.RATE, responses.PORTAL_RATE) == ("200/4 second", "2000/4 second")
    assert (synonyms.FEWEST_TERMS, synonyms.MOST_TERMS, synonyms.MOST_GROUPS) == (2, 20, 2000)
    assert (control_queries.MOST_QUERIES, control_queries.COMPARED, public_search.MOST_NAMES) == (200, 10, 8)
    assert (zero_results.FEWEST_TIMES, zero_results.KEPT_DAYS, popularity.KEPT_DAYS) == (5, 90, 400)
    assert vocabulary.MOST_CORRECTIONS == 2
    assert SearchRequest(q="x").per_page == 10
