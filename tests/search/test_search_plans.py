"""The search's statements find what a plain reading of the rules finds, however few rows they look at (search 4.6)."""

import asyncio
import json
import random
import re
import unicodedata
from collections import Counter
from typing import Any, cast

import asyncpg
import msgspec
import pytest

from balcao.core.database.pool import Connection
from balcao.search.collection.alias import Alias
from balcao.search.collection.store import read_alias
from balcao.search.public_search import candidates_store, facets_store, matching, store, terms
from balcao.search.public_search.matching import Matching
from balcao.search.public_search.parameters import FACETS, SearchRequest
from balcao.search.public_search.store import FoundPage
from balcao.search.services import listing_store
from balcao.search.services.filters import ServiceFilters
from bench.catalogue import make_services
from tests.search.judged import list_targets
from tests.search.support import Explained, Explaining
from tests.support.proof_sizes import size

OTHERS = 250
WORDS = "consulta idosos creche municipal multa atendimento documento vaga cartão escola rua obra licença 2 via".split()

# Everything that matches, with all that the order depends on.
_ALL = """
SELECT service.id::text, tema_geral, sub_categoria, orgao_gestor, publico, is_free, fixar_destaque, last_update,
       CASE WHEN $2 = '' THEN 0 WHEN head @@ $3::tsquery THEN 2 WHEN head @@ $4::tsquery THEN 1 ELSE 0 END AS nearness,
       coalesce((SELECT percentile FROM search.service_popularity WHERE service_id = service.id), 0)::float8
           AS popularity,
       CASE WHEN $2 = '' THEN 0 ELSE greatest(ts_rank($5, "full", $6::tsquery, 1)::float8,
            0.8 * ts_rank($5, "full", $2::tsquery, 1)::float8) END AS rank,
       (SELECT count(*) FROM unnest($7::text[]) AS term WHERE "full" @@ term::tsquery) AS met,
       CASE WHEN $8 = '' THEN 0 WHEN nome_fold = $8 THEN 1 WHEN starts_with(nome_fold, $8 || ' ') THEN 0.7
            WHEN $3 <> '' AND head @@ $3::tsquery
            THEN 0.4 + 0.3 * least(1.0, $9::float8 / greatest(length(ts_filter(head, '{{a}}')), 1))
            ELSE 0 END::float8 AS name_match
FROM search.{physical} AS service
WHERE status = 1 AND NOT exclusive AND ($1::text IS NULL OR tema_fold = search.fold_label($1))
  AND ($2 = '' OR "full" @@ $2::tsquery)
"""


@pytest.fixture(scope="module", autouse=True)
def catalogue(database_url: str) -> None:
    asyncio.run(_fill(database_url))


async def _fill(database_url: str) -> None:
    """Store services of which half have a popularity, some of them the same."""
    chance = random.Random(1)
    connection = await asyncpg.connect(database_url)
    try:
        physical = await connection.fetchval("SELECT physical FROM search.search_collection")
        documents = [*make_services(OTHERS), *list_targets()]
        for place, each in enumerate(documents):  # names that differ as they are written, and one twice in a service
            each["tema_geral"] = chance.choice([each["tema_geral"], each["tema_geral"].upper()])
            each["publico_especifico"] = [*each["publico_especifico"], each["publico_especifico"][0].upper()]
            each["is_free"] = [True, False, None][place % 3]
        await connection.executemany(
            "INSERT INTO search.service_head (id, next_version, created_at) VALUES ($1, 2, now())",
            [(each["id"],) for each in documents],
        )
        await connection.executemany(
            f"INSERT INTO search.{physical} (id, doc, carried, version) VALUES ($1, $2::jsonb, '{{}}', 1)",
            [(each["id"], json.dumps(each)) for each in documents],
        )
        await connection.executemany(
            "INSERT INTO search.service_popularity (service_id, percentile, weight, recent) VALUES ($1, $2, 1, 1)",
            [(each["id"], (place % 40 + 1) / 40) for place, each in enumerate(documents[::2])],
        )
        await connection.execute("ANALYZE")
    finally:
        await connection.close()


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch, counted: int, read_whole: int) -> int:
    """Let few services be many: every way to the candidates is taken in a small catalogue."""
    most = 12
    monkeypatch.setattr(store, "MOST_CANDIDATES", most)
    monkeypatch.setattr(candidates_store, "MOST_CANDIDATES", most)
    monkeypatch.setattr(store, "MOST_COUNTED", counted)
    monkeypatch.setattr(candidates_store, "LARGEST_READ_WHOLE", read_whole)
    return most


@pytest.mark.parametrize(("counted", "read_whole"), [(1000, 0), (20, 1000), (20, 15), (20, 0)])
async def test_few_rows_looked_at_or_many_the_page_is_the_same(
    owner: asyncpg.Connection, narrow: int, counted: int
) -> None:
    alias = await read_alias(owner)
    chance = random.Random(counted)
    tried: Counter[str] = Counter()
    for _ in range(size(40, 1000)):
        typed = _type(chance)
        parts = terms.split_query(typed)
        query = terms.parse_query(parts, await store.fold_texts(owner, [part.text for part in parts]))
        steps = [matching.match_all_terms(query), matching.match_any_term(query, {})]
        request = _ask(chance, typed)
        for step in [matching.LIST_ALL] if typed == terms.LISTS_ALL else [each for each in steps if each]:
            async with store.open_snapshot(owner):
                found = await store.find_services(owner, alias, step, request)
                if found.total > counted and request.facets:
                    facets = await facets_store.count_facets(owner, alias, step, request)
                    found = msgspec.structs.replace(found, facets=facets)
            wanted = await _search_plainly(owner, alias, step, request, narrow)
            assert _describe(found, counted) == _describe(wanted, counted), (typed, step.match, request)
            tried["beyond the count" if found.total > counted else "counted"] += 1
    assert tried["counted"]
    assert tried["beyond the count"] or counted == 1000


async def test_names_are_compared_by_the_index_once_for_each_statement_however_many_look_like_the_query(
    owner: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    alias = await read_alias(owner)
    typed = "consultoria"
    parts = terms.split_query(typed)
    step = matching.match_similar(terms.parse_query(parts, await store.fold_texts(owner, [typed])))
    assert step is not None
    whole = await store.find_services(owner, alias, step, SearchRequest(typed))
    monkeypatch.setattr(store, "MOST_COUNTED", 1)
    monkeypatch.setattr(candidates_store, "LARGEST_READ_WHOLE", 1)
    await owner.execute("SET track_functions = 'pl'")
    async with store.open_snapshot(owner):
        found = await store.find_services(owner, alias, step, SearchRequest(typed))
        calls = "SELECT calls FROM pg_stat_xact_user_functions WHERE funcname = 'similar_names'"
        assert await owner.fetchval(calls) == 2
    assert whole.total > 2
    assert _describe(found, 1)[1:] == _describe(whole, 1)[1:]


async def test_a_text_has_the_same_words_however_often_it_is_given(owner: asyncpg.Connection) -> None:
    once = await store.fold_texts(owner, ["Vagas em creche", "obra"])
    assert [word.folded for word in once["Vagas em creche"]] == ["vaga", "em", "creche"]
    assert await store.fold_texts(owner, ["obra", "Vagas em creche", "obra", "obra"]) == once


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("sort_by", ["last_update", "created_at", "published_at"])
async def test_the_staff_list_is_read_in_its_order(owner: asyncpg.Connection, sort_by: str, order: str) -> None:
    alias = await read_alias(owner)
    await owner.execute("SET enable_seqscan = off")
    explaining = Explaining(owner)
    with pytest.raises(Explained):
        await listing_store.list_services(
            cast(Connection, explaining), alias, ServiceFilters(sort_by=sort_by, order=order), 1, 10
        )
    assert re.search(r"Index Scan( Backward)? using \S+_(last_update|int8)_id_idx", explaining.plan), explaining.plan


def _type(chance: random.Random) -> str:
    words = chance.choices(WORDS, k=chance.randint(1, 4))
    if chance.random() < 0.2:
        words.append(f"-{chance.choice(WORDS)}")
    return "*" if chance.random() < 0.1 else " ".join(words)


def _ask(chance: random.Random, typed: str) -> SearchRequest:
    return SearchRequest(
        typed,
        page=chance.randint(1, 3),
        per_page=5,
        category=chance.choice([None, None, "Saude", "trânsito"]),
        facets=chance.choice([(), tuple(chance.sample(FACETS, 2)), FACETS]),
        threshold=chance.choice([None, None, 0.1, 0.3]),
    )


async def _search_plainly(
    connection: asyncpg.Connection, alias: Alias, step: Matching, request: SearchRequest, most: int
) -> FoundPage:
    values = [
        request.category,
        step.query,
        step.name,
        step.head,
        list(request.rank_weights),
        step.exact,
        list(step.terms),
    ]
    rows = await connection.fetch(_ALL.format(physical=alias.physical), *values, step.folded, step.asked)
    nearest = sorted(rows, key=lambda row: (-row["nearness"], -row["popularity"], row["id"]))[:most]
    scored = [(_score(step, row), row["fixar_destaque"], row["last_update"], row["id"]) for row in nearest]
    scored.sort(key=lambda entry: entry[3])
    scored.sort(key=lambda entry: entry[:3], reverse=True)
    passed = [entry for entry in scored if entry[0] >= (request.threshold or 0)]
    shown: Any = passed[(request.page - 1) * request.per_page :][: request.per_page]
    return FoundPage(len(rows), len(passed), shown, {field: _count_plainly(rows, field) for field in request.facets})


def _count_plainly(rows: list[asyncpg.Record], field: str) -> list[tuple[str, int]]:
    """Return the 20 most frequent values; those that differ in case, accents or hyphens are one."""
    labels: dict[str, set[str]] = {}
    counts: Counter[str] = Counter()
    for row in rows:
        found = row["publico" if field == "publico_especifico" else field]
        values = [found] if not isinstance(found, list) else found
        written = [str(value).lower() if isinstance(value, bool) else value for value in values if value is not None]
        counts.update({_fold(label) for label in written})
        for label in written:
            labels.setdefault(_fold(label), set()).add(label)
    most_frequent = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:20]
    return [(min(labels[key]), count) for key, count in most_frequent]


def _fold(label: str) -> str:
    plain = "".join(char for char in unicodedata.normalize("NFKD", label.lower()) if not unicodedata.combining(char))
    return " ".join(plain.replace("-", " ").split())


def _score(step: Matching, row: asyncpg.Record) -> float:
    if not step.folded:
        return round(float(row["popularity"]), 6)
    share = row["met"] / len(step.terms) if step.terms else 1.0
    text_match = share * row["rank"] / (row["rank"] + store.HALF_RANK)
    return float(round(0.75 * text_match + 0.15 * row["name_match"] + 0.10 * row["popularity"], 6))


def _describe(found: FoundPage, counted: int) -> Any:
    shown: list[Any] = list(found.services)
    ids = [(each.document.id, each.final_score) if hasattr(each, "document") else (each[3], each[0]) for each in shown]
    return min(found.total, counted + 1), found.passed, ids, found.facets
