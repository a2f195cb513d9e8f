"""The order of the results, and the judged queries for which it is tuned (rules: search 4.6, score)."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.search.public_search.candidates import CITIZENS, restrict
from balcao.search.public_search.ranking import (
    DECAY_PER_DAY,
    FRESH_DAYS,
    LEAST_RECENCY,
    RERANKED,
    WEIGHTS,
    find_recency,
    sort_key,
)
from balcao.search.public_search.synonyms import Synonyms
from bench.catalogue import make_services
from tests.search.judged import list_targets, read_queries
from tests.search.small_catalogue import SmallCatalogue, make_service
from tests.support.proof_sizes import EXAMPLES, size

# Services that are right for none of the judged queries.
OTHERS = size(300, 20_000)
WORDS = "consulta idosos creche municipal multa atendimento documento vaga cartão escola rua obra licença 2 via".split()
QUERIES = st.lists(st.sampled_from([*WORDS, "OR", "zzyzx"]), min_size=1, max_size=4).map(" ".join)
DAY = 86_400


@pytest.fixture(scope="module")
def catalogue() -> SmallCatalogue:
    services = [*make_services(OTHERS), *list_targets()]
    popularity = {each["nome_servico"]: place % 40 / 40 for place, each in enumerate(services) if place % 2}
    return SmallCatalogue(*services, popularity=popularity)


def test_nine_of_ten_judged_queries_find_their_service_first(seeded_synonyms: Synonyms) -> None:
    catalogue = SmallCatalogue(*make_services(OTHERS), *list_targets(), synonyms=seeded_synonyms)
    judged = read_queries()
    assert len(judged) >= 40
    missed = [
        (query, expected) for query, expected in judged if catalogue.list_results(query, per_page=1) != [expected]
    ]
    assert len(missed) <= len(judged) // 10, missed


@settings(max_examples=EXAMPLES)
@given(query=QUERIES, boost=st.booleans())
def test_scores_are_between_0_and_1_and_decide_the_order(catalogue: SmallCatalogue, query: str, boost: bool) -> None:
    hits = [each.hit for each in catalogue.search(query, per_page=100, recency_boost=boost).services]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(0.0 <= hit.score <= 1.0 and 0.0 <= hit.text_match <= 1.0 for hit in hits)
    assert hits[:RERANKED] == sorted(hits[:RERANKED], key=sort_key)


@settings(max_examples=EXAMPLES)
@given(query=QUERIES, per_page=st.integers(5, 30))
def test_pages_partition_the_results(catalogue: SmallCatalogue, query: str, per_page: int) -> None:
    whole = catalogue.search(query, per_page=100)
    first = catalogue.search(query, per_page=per_page)
    pages = [
        each.service.id
        for page in range(1, 100 // per_page + 1)
        for each in catalogue.search(query, page=page, per_page=per_page).services
    ]
    assert first.total == whole.total
    assert len(pages) == len(set(pages))
    assert set(pages) >= {each.service.id for each in whole.services[: len(pages)]} or whole.total > RERANKED
    assert pages[:RERANKED] == [each.service.id for each in whole.services][: len(pages[:RERANKED])]


@settings(max_examples=EXAMPLES)
@given(query=QUERIES, threshold=st.floats(0, 1))
def test_a_threshold_removes_the_end_of_the_results(catalogue: SmallCatalogue, query: str, threshold: float) -> None:
    whole = catalogue.search(query, per_page=100, threshold=0.0)
    passed = catalogue.search(query, per_page=100, threshold=threshold)
    assert passed.total == whole.total
    expected = [each.hit.score for each in whole.services if each.hit.score >= threshold]
    assert [each.hit.score for each in passed.services] == expected
    assert whole.passed >= passed.passed >= len(expected)


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("poda", "Poda", "Poda de árvore e de jardim"),  # a greater share of the name
        ("poda", "Poda", make_service("Jardim", resumo="Fazemos a poda")),  # the name before the summary
        ("jardim", make_service("Verde", resumo="jardim"), make_service("Rua", descricao_completa="jardim")),
        ("pagamento", "Pagamento de multa", "Multa paga"),  # the word itself before a related one
        ("poda grama", "Grama", "Poda urbana"),  # the rarer term before the frequent one
    ],
)
def test_the_better_match_comes_first(query: str, better: object, worse: object) -> None:
    others = [f"Poda número {number}" for number in range(5)] if query == "poda grama" else ["Creche"]
    catalogue = SmallCatalogue(worse, better, *others)  # type: ignore[arg-type]
    name = better if isinstance(better, str) else better["nome_servico"]  # type: ignore[index]
    assert catalogue.rank(query)[0] == name


def test_a_synonym_counts_less_than_the_word_itself() -> None:
    catalogue = SmallCatalogue("Guia da taxa", "Boleto da taxa", synonyms=Synonyms([("guia", "boleto")]))
    assert catalogue.rank("boleto") == ["Boleto da taxa", "Guia da taxa"]
    assert catalogue.rank("guia") == ["Guia da taxa", "Boleto da taxa"]


def test_a_phrase_of_citizens_finds_its_service_before_a_description_that_has_the_words() -> None:
    other = make_service("Vistoria", descricao_completa="A rua estava escura de noite.")
    catalogue = SmallCatalogue(other, "Troca de lâmpada", phrases={"Troca de lâmpada": ["rua escura de noite"]})
    assert catalogue.rank("rua escura")[0] == "Troca de lâmpada"


def test_of_equal_matches_the_more_popular_comes_first_then_the_highlighted_then_the_newer() -> None:
    services = [
        make_service(f"Poda {name}", fixar_destaque=name == "sul", last_update=1000 + (name == "leste"))
        for name in ("norte", "sul", "leste", "oeste")
    ]
    catalogue = SmallCatalogue(*services, popularity={"Poda oeste": 0.5})
    assert catalogue.rank("poda") == ["Poda oeste", "Poda sul", "Poda leste", "Poda norte"]


def test_all_services_are_listed_by_popularity() -> None:
    catalogue = SmallCatalogue("Creche", "Poda", "Vacina", popularity={"Poda": 1.0, "Vacina": 0.5})
    wanted = restrict(catalogue.index, None, CITIZENS)
    for offset in range(4):
        total, hits = catalogue.index.list_in_order(wanted, 2, offset)
        entries = catalogue.index.read_entries([address for _, address in hits])
        assert total == 3
        assert [set(entry.name) for entry in entries] == [{"podar"}, {"vacinar"}, {"creche"}][offset : offset + 2]


@given(days=st.integers(0, 5000))
def test_a_change_keeps_its_full_weight_for_30_days_then_loses_half_at_most(days: int) -> None:
    now = int(time.time())
    factor = find_recency(now - days * DAY, now)
    assert LEAST_RECENCY <= factor <= 1.0
    assert (factor == 1.0) == (days <= FRESH_DAYS)
    assert find_recency(now - (days + 1) * DAY, now) <= factor
    assert (FRESH_DAYS, DECAY_PER_DAY, LEAST_RECENCY) == (30, 0.00207, 0.5)


def test_a_change_in_the_future_is_new() -> None:
    assert find_recency(2000, 1000) == 1.0


def test_the_highest_score_is_reached_only_if_everything_matches() -> None:
    catalogue = SmallCatalogue("Poda", "Creche", popularity={"Poda": 1.0})
    [found] = catalogue.search("poda").services
    assert found.hit.score == 1.0
    assert WEIGHTS.popularity < WEIGHTS.engine
