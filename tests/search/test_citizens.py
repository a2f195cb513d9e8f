"""Citizens find the service they need in the demo city (rules: search 4.6, citizens' queries)."""

from typing import cast

import asyncpg
import pytest

from balcao.core.database.pool import Connection
from balcao.search.portuguese.analysis import fold_label, tokenize
from balcao.search.public_search.concerns import list_searches
from balcao.search.public_search.query import parse_query
from balcao.search.public_search.synonyms import Synonyms
from balcao.search.synonyms.store import list_synonym_terms
from tests.search.judged import (
    AMONG_THREE,
    AMONG_THREE_OF_SENTENCES,
    FIRST,
    FIRST_OF_SENTENCES,
    LISTS,
    UNSEEN_MARGIN,
    City,
    JudgedList,
    list_city,
    list_names,
    list_texts,
    rate,
    read_absent,
    read_phrases,
)

ACRONYMS = ["iptu", "itbi", "iss", "mei", "nfs-e", "rg", "bpc", "cras", "caps", "wi-fi"]
# With fewer sentences, a share would not be significant.
FEWEST_SENTENCES = 30


@pytest.fixture(scope="module")
def city(seeded_synonyms: Synonyms) -> City:
    return City(seeded_synonyms)


@pytest.mark.parametrize("judged", LISTS, ids=lambda judged: judged.name)
def test_citizens_find_their_service_first_or_among_three(city: City, judged: JudgedList) -> None:
    rating = rate(city.find, judged.queries)
    margin = UNSEEN_MARGIN if judged.is_unseen else 0.0
    assert rating.count >= judged.fewest
    assert rating.first >= FIRST - margin
    assert rating.among_three >= AMONG_THREE - margin


@pytest.mark.parametrize("judged", LISTS, ids=lambda judged: judged.name)
def test_sentences_find_their_service_too(city: City, judged: JudgedList) -> None:
    sentences = [each for each in judged.queries if each.is_sentence]
    if len(sentences) < FEWEST_SENTENCES:
        assert judged.file.startswith("citizens"), "only these lists may have few sentences"
        return
    rating = rate(city.find, sentences)
    margin = UNSEEN_MARGIN if judged.is_unseen else 0.0
    assert rating.first >= FIRST_OF_SENTENCES - margin
    assert rating.among_three >= AMONG_THREE_OF_SENTENCES - margin


async def test_no_held_out_query_is_known_to_those_who_tune(owner: asyncpg.Connection) -> None:
    known = {fold_label(each.query) for judged in LISTS if not judged.is_held_out for each in judged.queries}
    known |= {fold_label(phrase) for phrases in read_phrases().values() for phrase in phrases}
    known |= {fold_label(term) for group in await list_synonym_terms(cast(Connection, owner)) for term in group}
    for judged in LISTS:
        queries = {fold_label(each.query) for each in judged.queries}
        assert len(queries) == len(judged.queries), "a query occurs twice"
        if judged.is_held_out:
            # Compare only a number, because a failing test must not show a held-out query.
            assert len(queries & known) == 0


def test_every_right_service_is_in_the_demo_city(city: City) -> None:
    names = {document["nome_servico"] for document in list_city()}
    assert all(each.right and each.right | each.also <= names for judged in LISTS for each in judged.queries)


def test_no_word_that_no_service_contains_gets_a_suggestion_or_a_service_that_looks_alike(city: City) -> None:
    absent = read_absent()
    texts = {document["id"]: find_roots(list_texts(document)) for document in list_city()}
    for service_id, phrases in read_phrases().items():
        texts[service_id] |= find_roots(phrases)
    wrong = []
    for query in absent:
        found = city.search(query)
        parsed = parse_query(query, city.synonyms)
        helps = any(True for _ in list_searches(parsed))
        for each in found.services:
            met = any(
                texts[each.service.id].issuperset(alternative.roots)
                for term in parsed.terms
                for alternative in term.alternatives
            )
            if not (met or helps):
                wrong.append((query, each.service.nome_servico))
        if found.suggestion:
            wrong.append((query, found.suggestion))
    assert len(absent) >= 300
    assert wrong == []


def test_the_absent_words_are_in_no_text(city: City) -> None:
    """Compare lemmas rather than roots, because a wrong derivation would hide a similar word."""
    texts = [text for document in list_city() for text in list_texts(document)]
    texts += [phrase for phrases in read_phrases().values() for phrase in phrases]
    lemmas = {lemma for text in texts for token in tokenize(text) for lemma in token.lemmas}
    assert not [word for word in read_absent() if any(set(token.lemmas) & lemmas for token in tokenize(word))]


def find_roots(texts: list[str]) -> set[str]:
    return {root for text in texts for token in tokenize(text) for root in token.roots}


@pytest.mark.parametrize("acronym", ACRONYMS)
def test_an_acronym_finds_services_that_the_catalogue_writes_out(city: City, acronym: str) -> None:
    assert city.find(acronym)


@pytest.mark.parametrize(
    ("word", "foreign", "own", "service"),
    [
        ("médico", "edicamento", "medicamento", "Medicamento de alto custo"),
        ("posto", "Poste", "poste", "Poste danificado"),
    ],
)
def test_a_word_does_not_find_a_service_named_like_a_similar_word(
    city: City, word: str, foreign: str, own: str, service: str
) -> None:
    assert not [name for name in city.find(word) if foreign in name]
    assert city.find(own)[0] == service


@pytest.mark.parametrize(
    ("query", "suggestion"),
    [
        ("lei maria da penha", None),
        ("maria penha", None),
        ("propina", None),
        ("cama", None),
        ("vacinasao", "vacinacao"),
        ("podda de arvore", "poda de arvore"),
        ("zzyzxw qwxyz", None),
    ],
)
def test_a_suggestion_corrects_a_mistyped_word_and_finds_services(
    city: City, query: str, suggestion: str | None
) -> None:
    found = city.search(query).suggestion
    assert (fold_label(found) if found else None) == suggestion
    if found:
        assert city.search(found).total > 0


def test_if_no_service_has_half_of_the_words_the_rarest_ones_decide(city: City) -> None:
    found = city.search("hoje de manha caiu granizo e agora tem escorpião debaixo da pia inteira")
    assert found.match == "any_term"
    assert list_names(found)[0] == "Controle de ratos e escorpiões"
