"""The judged queries find their service first, and the statements read by their indexes (rules: search 4.6)."""

import asyncio
import json
from collections.abc import Callable
from typing import cast

import asyncpg
import httpx
import pytest

from balcao.core.database.pool import Connection
from balcao.search.collection.store import read_alias
from balcao.search.public_search import matching, store, terms
from balcao.search.public_search.matching import Matching
from balcao.search.public_search.parameters import SearchRequest
from balcao.search.public_search.terms import ParsedQuery
from balcao.search.vocabulary import service as vocabulary
from balcao.settings import Settings
from bench.catalogue import make_services
from tests.search.judged import list_targets, read_queries
from tests.search.support import Explained, Explaining
from tests.support.operator_calls import acting
from tests.support.proof_sizes import size

# Beside the services that the queries look for.
OTHERS = size(300, 20_000)


@pytest.fixture(scope="module", autouse=True)
def catalogue(settings: Settings, database_url: str) -> None:
    """Store the judged services among others, straight as rows: what is derived of them the table derives itself."""
    asyncio.run(_fill(database_url))
    with acting(settings, database_url, "search.test") as act:
        act(lambda call: vocabulary.refresh_vocabulary(call.platform))


async def _fill(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    try:
        physical = await connection.fetchval("SELECT physical FROM search.search_collection")
        documents = [*make_services(OTHERS), *list_targets()]
        await connection.executemany(
            f"INSERT INTO search.{physical} (id, doc, carried, version) VALUES ($1, $2::jsonb, '{{}}', 1)",
            [(document["id"], json.dumps(document)) for document in documents],
        )
        await connection.execute("ANALYZE")
    finally:
        await connection.close()


def test_nine_of_ten_judged_queries_find_their_service_first(http: httpx.Client) -> None:
    judged = read_queries()
    assert len(judged) >= 40
    missed = [(query, expected) for query, expected in judged if _find_first(http, query) != expected]
    assert len(missed) <= len(judged) // 10, missed


def _find_first(http: httpx.Client, query: str) -> str | None:
    results = http.get("/search/api/v1/search", params={"q": query}).raise_for_status().json()["results"]
    return results[0]["title"] if results else None


def test_the_scores_agree_with_the_order_and_name_their_parts(http: httpx.Client) -> None:
    for query, _ in read_queries():
        found = http.get("/search/api/v1/search", params={"q": query, "per_page": 100}).json()
        scores = [hit["score_info"]["final_score"] for hit in found["results"]]
        assert scores == sorted(scores, reverse=True)
        assert all(0.0 <= score <= 1.0 for score in scores)


@pytest.mark.parametrize(
    ("typed", "step", "index"),
    [
        ("licença ambiental", matching.match_all_terms, "_full_idx"),
        ("licença ambi", lambda query: matching.match_prefix(query, ["ambient"]), "_full_idx"),
        ("licença ambiental rara", lambda query: matching.match_any_term(query, {}), "_full_idx"),
    ],
)
async def test_no_step_of_the_ladder_reads_every_service(
    owner: asyncpg.Connection, typed: str, step: Callable[[ParsedQuery], Matching | None], index: str
) -> None:
    await owner.execute("SET enable_seqscan = off")  # the planner would read a small table whole
    alias = await read_alias(owner)
    parts = terms.split_query(typed)
    query = terms.parse_query(parts, await store.fold_texts(owner, [part.text for part in parts]))
    chosen = step(query)
    assert chosen is not None
    explaining = Explaining(owner)
    with pytest.raises(Explained):
        await store.find_services(cast(Connection, explaining), alias, chosen, SearchRequest(q=typed))
    assert index in explaining.plan
    assert f"Seq Scan on {alias.physical}" not in explaining.plan


async def test_similar_names_are_found_by_their_trigrams(owner: asyncpg.Connection) -> None:
    alias = await read_alias(owner)
    await owner.execute("SET enable_seqscan = off")
    condition = "'licenca ambiental' OPERATOR(public.<%) nome_fold"
    plan = await owner.fetch(f"EXPLAIN SELECT id FROM search.{alias.physical} WHERE {condition}")
    assert "_nome_fold_idx" in "\n".join(row[0] for row in plan)
