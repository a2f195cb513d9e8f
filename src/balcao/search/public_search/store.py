"""SQL of the public search: a page with its totals and facets, by one step of the ladder."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import asyncpg
import msgspec

from balcao.core.database.pool import Connection
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import PROGRAM_VERSION
from balcao.search.document import ServiceDocument
from balcao.search.public_search import candidates_store, facets_store
from balcao.search.public_search.conditions_store import (
    BUDGET_SECONDS,
    IN_HEAD,
    IN_NAME,
    MOST_CANDIDATES,
    Values,
    write_condition,
)
from balcao.search.public_search.facets_store import Facets
from balcao.search.public_search.matching import Matching
from balcao.search.public_search.parameters import SearchRequest
from balcao.search.public_search.terms import Word

# So far the total is exact (rules: search 4.6, counts).
MOST_COUNTED = 10_000
# The table that a copy of the alias row named has been dropped meanwhile.
TableGone = asyncpg.UndefinedTableError


class ScoredService(msgspec.Struct, frozen=True):
    """A service of the page with how well it matches; `recency_factor` is 1 unless asked for."""

    document: ServiceDocument
    text_match: float
    recency_factor: float
    final_score: float


class FoundPage(msgspec.Struct, frozen=True):
    """`total` counts the matches, `passed` the candidates whose score reaches the threshold, if one was given."""

    total: int
    passed: int
    services: list[ScoredService]
    facets: Facets


# Settings of the transaction alone, in one round trip with BEGIN. Every statement of the search has one good plan, by
# the indexes, for any words, and planning it anew would take longer than most searches.
_BEGIN = """
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL enable_seqscan = off; SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL jit = off
"""


@asynccontextmanager
async def open_snapshot(connection: Connection) -> AsyncIterator[None]:
    """Let the searches of the block see one state of the catalogue and go by the indexes, with plans that are kept."""
    await connection.execute(_BEGIN)
    try:
        yield
    except BaseException:
        if not connection.is_closed():
            await connection.execute("ROLLBACK")
        raise
    await connection.execute("COMMIT")


# Of more services than are read whole nothing else is read here. Of more than are scored those of the nearer groups are
# taken whole; the group that goes beyond is cut by popularity. Popularities come by one pass over the index for sorted
# keys, at a third of the cost of looking them up one by one. Each belongs to a row of `near`; the join is a full one
# because the planner, which expects few rows, cannot make that by comparing every row with every other.
_MATCHED = """
WITH matched AS MATERIALIZED (
    SELECT service.ctid AS place, service.id, {nearness} AS nearness{facet_columns}
    FROM search.{physical} AS service WHERE {condition} LIMIT {most_read} + 1
), counted AS MATERIALIZED (
    SELECT total, CASE WHEN total > {most_read} THEN {nobody} WHEN total <= {most} THEN -1
                       WHEN named >= {most} THEN {in_name} WHEN headed >= {most} THEN {in_head} ELSE 0 END AS cut
    FROM (
        SELECT count(*) AS total, count(*) FILTER (WHERE nearness = {in_name}) AS named,
               count(*) FILTER (WHERE nearness >= {in_head}) AS headed
        FROM matched
    ) AS counts
), near AS MATERIALIZED (
    SELECT place, id, nearness, coalesce(percentile, 0) AS popularity
    FROM (SELECT * FROM matched WHERE nearness >= (SELECT cut FROM counted)) AS near
    FULL JOIN (
        SELECT service_id, percentile FROM search.service_popularity
        WHERE service_id = ANY(ARRAY(SELECT id FROM matched WHERE nearness >= (SELECT cut FROM counted)))
    ) AS popular ON service_id = id
), candidates AS MATERIALIZED (
    SELECT place, nearness, popularity FROM near WHERE nearness > (SELECT cut FROM counted)
    UNION ALL (
        SELECT place, nearness, popularity FROM near WHERE nearness = (SELECT cut FROM counted)
        ORDER BY popularity DESC, id
        LIMIT {most} - (SELECT count(*) FROM near WHERE nearness > (SELECT cut FROM counted))
    )
)"""
_FACETS_OF_COUNTED = "CASE WHEN (SELECT total FROM counted) <= {most_counted} THEN {facets} END"
_GIVEN = """
WITH candidates AS MATERIALIZED (
    SELECT chosen.place, chosen.nearness FROM unnest({places}::tid[], {nearness}) AS chosen (place, nearness)
)"""
# A row is found by its place, which costs half as much as by its id; OFFSET 0 keeps the planner to that, and to one
# evaluation of each expression. The row that is always there carries the totals of a page that is empty.
_PAGE = """, scored AS MATERIALIZED (
    SELECT place, fixar_destaque, last_update, id, text_match, recency,
           round(1e6 * ({score})) / 1e6 AS final_score
    FROM (
        SELECT candidates.place, matched.*, {text_match} AS text_match,
               {popularity} AS popularity
        FROM candidates, LATERAL (
            SELECT service.id, service.fixar_destaque, service.last_update,
                   {rank} AS rank, {share} AS share, {name_match} AS name_match, {recency} AS recency
            FROM search.{physical} AS service WHERE service.ctid = candidates.place OFFSET 0
        ) AS matched
    ) AS measured
), page AS (
    SELECT * FROM scored WHERE final_score >= {threshold}
    ORDER BY final_score DESC, fixar_destaque DESC, last_update DESC, id LIMIT {limit} OFFSET {offset}
)
SELECT {total} AS total, (SELECT count(*) FROM scored WHERE final_score >= {threshold}) AS passed, {facets} AS facets,
       shown.*
FROM (VALUES (true)) AS always
LEFT JOIN (
    SELECT page.*, stepped.doc::text AS doc
    FROM page, LATERAL (
        SELECT {doc} FROM search.{physical} AS service{stepped} WHERE service.ctid = page.place OFFSET 0
    ) AS stepped
) AS shown ON true
ORDER BY shown.final_score DESC, shown.fixar_destaque DESC, shown.last_update DESC, shown.id
"""
_STEPPED = ", search.step(service.id, service.doc, service.carried, {schema_version}, {program_version}) AS stepped"
_POPULARITY = "coalesce((SELECT percentile FROM search.service_popularity WHERE service_id = matched.id), 0)"


async def find_services(connection: Connection, alias: Alias, matching: Matching, request: SearchRequest) -> FoundPage:
    """Return the page of the services that match, with the facets.

    A total above `MOST_COUNTED` says only that it is above, and then there are no facets.
    Raises TableGone, and Unavailable beyond the time budget.
    """
    values = Values()
    matched = _MATCHED.format(
        physical=alias.physical,
        facet_columns=facets_store.write_columns(request.facets),
        condition=" AND ".join(write_condition(alias, matching, request, values)),
        most=MOST_CANDIDATES,
        most_read=max(MOST_COUNTED, candidates_store.LARGEST_READ_WHOLE),
        nobody=IN_NAME + 1,
        in_name=IN_NAME,
        in_head=IN_HEAD,
        nearness=_write_nearness(matching, values),
    )
    facets = facets_store.write_facets(request.facets, "matched")
    found = await _read_page(
        connection, alias, matching, request, matched, values,
        popularity="candidates.popularity",
        total="(SELECT total FROM counted)",
        facets=_FACETS_OF_COUNTED.format(most_counted=MOST_COUNTED, facets=facets),
    )  # fmt: skip
    if found.total <= max(MOST_COUNTED, candidates_store.LARGEST_READ_WHOLE):
        return found
    values = Values()
    places, nearness = await candidates_store.list_search_candidates(connection, alias, matching, request)
    given = _GIVEN.format(places=values.add(places, "text[]"), nearness=values.add(nearness, "int[]"))
    return await _read_page(
        connection, alias, matching, request, given, values,
        popularity=_POPULARITY, total=str(found.total), facets="NULL",
    )  # fmt: skip


async def _read_page(
    connection: Connection,
    alias: Alias,
    matching: Matching,
    request: SearchRequest,
    candidates: str,
    values: Values,
    *,
    popularity: str,
    total: str,
    facets: str,
) -> FoundPage:
    """Score the candidates, of which `candidates` is the beginning of the statement, with the parameters `values`."""
    stepped = ""
    if alias.schema_version != PROGRAM_VERSION:
        stored, wanted = values.add(alias.schema_version, "text"), values.add(PROGRAM_VERSION, "text")
        stepped = _STEPPED.format(schema_version=stored, program_version=wanted)
    statement = candidates + _PAGE.format(
        physical=alias.physical,
        rank=_write_rank_of(matching, request, values),
        share=_write_share(matching, values),
        text_match=f"share * (rank / (rank + {HALF_RANK}))" if matching.query else "rank",
        name_match=_write_name_match(matching, values),
        recency=_RECENCY if request.recency_boost else "1.0::float8",
        popularity=popularity,
        score=SCORE if matching.folded else SCORE_OF_LIST,
        threshold=values.add(request.threshold or 0.0, "float8"),
        limit=values.add(request.per_page, "int"),
        offset=values.add(min((request.page - 1) * request.per_page, MOST_CANDIDATES), "int"),
        total=total,
        facets=facets,
        doc="stepped.doc" if stepped else "service.doc",
        stepped=stepped,
    )
    rows = await connection.fetch(statement, *values.values, timeout=BUDGET_SECONDS)
    return FoundPage(
        rows[0]["total"],
        rows[0]["passed"],
        [
            ScoredService(
                msgspec.json.decode(row["doc"], type=ServiceDocument),
                row["text_match"],
                row["recency"],
                row["final_score"],
            )
            for row in rows
            if row["doc"] is not None
        ],
        facets_store.decode_facets(rows[0]["facets"]) if rows[0]["facets"] else {},
    )


# The share of the text, of the name and of the popularity; tuned on the judged queries (rules: search 4.6).
SCORE = "recency * (0.75 * text_match + 0.15 * name_match + 0.10 * popularity)"
# A list without a query is one by popularity alone.
SCORE_OF_LIST = "recency * popularity"
_RECENCY = """least(1.0, greatest(0.5, CASE WHEN service.last_update > now() - interval '30 days' THEN 1.0
    ELSE exp(-0.00207 * extract(epoch FROM now() - service.last_update) / 86400) END))::float8"""
# Half of the score is reached by a text rank of this size.
HALF_RANK = 0.1
SYNONYM_SHARE = 0.8
# Divides the rank by 1 + the logarithm of the document's length.
NORMALISATION = 1


def _write_nearness(matching: Matching, values: Values) -> str:
    """Return which group of candidates a match belongs to: name, head, or anywhere."""
    if not matching.query:
        return "0"
    name, head = values.add(matching.name, "tsquery"), values.add(matching.head, "tsquery")
    return f"CASE WHEN service.head @@ {name} THEN {IN_NAME} WHEN service.head @@ {head} THEN {IN_HEAD} ELSE 0 END"


def _write_rank_of(matching: Matching, request: SearchRequest, values: Values) -> str:
    """Return the rank of a service's text; of a name that only looks like the query, how much it does."""
    if matching.similar_to:
        similar = values.add(matching.similar_to, "text")
        return f"public.word_similarity({similar}, service.nome_fold)::float8"
    if not matching.query:
        return "0.0::float8"
    weights = values.add(list(request.rank_weights), "real[]")
    ranks = [_write_rank(weights, values.add(matching.exact, "tsquery"))]
    if matching.query != matching.exact:
        ranks.append(f"{SYNONYM_SHARE} * {_write_rank(weights, values.add(matching.query, 'tsquery'))}")
    return f"greatest({', '.join(ranks)})"


def _write_rank(weights: str, query: str) -> str:
    return f'ts_rank({weights}, service."full", {query}, {NORMALISATION})::float8'


def _write_share(matching: Matching, values: Values) -> str:
    """Return which share of what the terms say a service has."""
    if not matching.terms:
        return "1.0::float8"
    met = [
        f'(service."full" @@ {values.add(term, "tsquery")})::int * {values.add(weight, "float8")}'
        for term, weight in zip(matching.terms, matching.weights, strict=True)
    ]
    return f"({' + '.join(met)}) / {values.add(sum(matching.weights), 'float8')}"


# More for a name that says little else.
_HOLDS_ALL = "0.4 + 0.3 * least(1.0, {asked}::float8 / greatest(length(ts_filter(service.head, '{{a}}')), 1))"


def _write_name_match(matching: Matching, values: Values) -> str:
    if not matching.folded:
        return "0.0::float8"
    folded = values.add(matching.folded, "text")
    holds_all = ""
    if matching.name:
        asked = values.add(matching.asked, "int")
        holds_all = f"WHEN candidates.nearness = {IN_NAME} THEN {_HOLDS_ALL.format(asked=asked)}"
    return f"""(CASE WHEN service.nome_fold = {folded} THEN 1.0
        WHEN starts_with(service.nome_fold, {folded} || ' ') THEN 0.7 {holds_all} ELSE 0.0 END)::float8"""


# Every word begins one of the name's words; the first comparison is the one that the trigram index serves.
_SUGGEST = """
SELECT DISTINCT ON (popularity, length, name) name FROM (
    SELECT service.doc ->> 'nome_servico' AS name, coalesce(popularity.percentile, 0) AS popularity,
           length(service.nome_fold) AS length
    FROM search.{physical} AS service
    LEFT JOIN search.service_popularity AS popularity ON popularity.service_id = service.id
    WHERE service.status = 1 AND NOT service.exclusive AND {condition}
) AS named ORDER BY popularity DESC, length, name LIMIT $1
"""


async def suggest_names(connection: Connection, alias: Alias, words: Sequence[str], most: int) -> list[str]:
    """Return names that have words that begin like these folded ones, the most popular and the shortest first.

    Raises TableGone, and Unavailable beyond the time budget.
    """
    values = Values()
    values.values.append(most)
    conditions = [
        f"service.nome_fold LIKE {values.add(f'%{word}%', 'text')}"
        f" AND (' ' || service.nome_fold) LIKE {values.add(f'% {word}%', 'text')}"
        for word in words
    ]
    statement = _SUGGEST.format(physical=alias.physical, condition=" AND ".join(conditions))
    return [row["name"] for row in await connection.fetch(statement, *values.values, timeout=BUDGET_SECONDS)]


_WORDS = "SELECT text, folded, lexeme FROM search.words_of($1)"


async def fold_texts(connection: Connection, texts: Sequence[str]) -> dict[str, list[Word]]:
    """Return the words of each text, however often it is given, as the folding of the collection makes them."""
    words: dict[str, list[Word]] = {text: [] for text in texts}
    for row in await connection.fetch(_WORDS, list(words), timeout=BUDGET_SECONDS):
        words[row["text"]].append(Word(row["folded"], row["lexeme"]))
    return words
