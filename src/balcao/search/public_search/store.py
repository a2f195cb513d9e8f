"""SQL of the public search: one statement for a page with its totals and facets, by whichever step of the ladder."""

from collections.abc import Sequence
from typing import Any

import asyncpg
import msgspec

from balcao.core.database.pool import Connection
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import PROGRAM_VERSION
from balcao.search.document import ServiceDocument
from balcao.search.public_search.matching import Matching
from balcao.search.public_search.parameters import SearchRequest
from balcao.search.public_search.terms import Word
from balcao.search.public_search.tsquery import MOST_COMBINED_TERMS

BUDGET_SECONDS = 2.0
MOST_CANDIDATES = 2000
MOST_FACET_VALUES = 20
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
    facets: dict[str, list[tuple[str, int]]]


class _Values:
    """The parameters of one statement, in their order."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def add(self, value: Any, kind: str) -> str:
        """Return the place of a further parameter, as its type."""
        self.values.append(value)
        # A tsquery comes as text: the driver does not know the type.
        return f"${len(self.values)}::text::tsquery" if kind == "tsquery" else f"${len(self.values)}::{kind}"


# `matched` holds every match once, narrow, because total and facets need all of them. Only the candidates are looked at
# again for their score. The row that is always there carries the totals of a page that is empty.
_SEARCH = """
WITH matched AS MATERIALIZED (
    SELECT service.id, {nearness} AS nearness, coalesce(popularity.percentile, 0) AS popularity{facet_columns}
    FROM search.{physical} AS service
    LEFT JOIN search.service_popularity AS popularity ON popularity.service_id = service.id
    WHERE {condition}
), candidates AS MATERIALIZED (
    SELECT id, popularity FROM matched ORDER BY nearness DESC, popularity DESC, id LIMIT {most}
), measured AS MATERIALIZED (
    SELECT service.id, service.fixar_destaque, service.last_update, candidates.popularity,
           {text_match} AS text_match, {name_match} AS name_match, {recency} AS recency
    FROM candidates JOIN search.{physical} AS service ON service.id = candidates.id
), scored AS (
    SELECT id, fixar_destaque, last_update, text_match, recency,
           round(({score})::numeric, 6)::float8 AS final_score
    FROM measured
), page AS (
    SELECT *, row_number() OVER (ORDER BY final_score DESC, fixar_destaque DESC, last_update DESC, id) AS place
    FROM scored WHERE final_score >= {threshold}
    ORDER BY place LIMIT {limit} OFFSET {offset}
)
SELECT (SELECT count(*) FROM matched) AS total,
       (SELECT count(*) FROM scored WHERE final_score >= {threshold}) AS passed,
       {facets} AS facets,
       shown.*
FROM (VALUES (true)) AS always
LEFT JOIN (
    SELECT page.place, page.text_match, page.recency, page.final_score, stepped.doc::text AS doc
    FROM page JOIN search.{physical} AS service ON service.id = page.id,
         search.step(service.id, service.doc, service.carried, {schema_version}, {program_version}) AS stepped
) AS shown ON true
ORDER BY shown.place
"""


async def search(connection: Connection, alias: Alias, matching: Matching, request: SearchRequest) -> FoundPage:
    """Return the page of the services that match. Raises TableGone, and Unavailable beyond the time budget."""
    values = _Values()
    threshold = values.add(request.threshold or 0.0, "float8")
    statement = _SEARCH.format(
        physical=alias.physical,
        nearness=_write_nearness(matching, values),
        facet_columns=_write_facet_columns(request.facets),
        condition=" AND ".join([*_write_match(alias, matching, values), *_write_filters(request, values)]),
        most=MOST_CANDIDATES,
        text_match=_write_text_match(matching, request, values),
        name_match=_write_name_match(matching, values),
        recency=_RECENCY if request.recency_boost else "1.0",
        score=SCORE if matching.folded else SCORE_OF_LIST,
        threshold=threshold,
        limit=values.add(request.per_page, "int"),
        offset=values.add(min((request.page - 1) * request.per_page, MOST_CANDIDATES), "int"),
        facets=_write_facets(request.facets),
        schema_version=values.add(alias.schema_version, "text"),
        program_version=values.add(PROGRAM_VERSION, "text"),
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
        msgspec.json.decode(rows[0]["facets"], type=dict[str, list[tuple[str, int]]]),
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


def _write_match(alias: Alias, matching: Matching, values: _Values) -> list[str]:
    conditions = []
    if matching.query:
        conditions.append(f'service."full" @@ {values.add(matching.query, "tsquery")}')
    if len(matching.terms) > MOST_COMBINED_TERMS:  # of fewer terms the tsquery itself demands enough
        conditions.append(f"{_count_terms(matching, values)} >= {values.add(matching.fewest, 'int')}")
    if matching.name_parts:
        # One condition for each: an index serves no comparison with all of a list.
        conditions += [f"service.nome_fold LIKE {values.add(f'%{part}%', 'text')}" for part in matching.name_parts]
    if matching.similar_to:
        physical, folded = values.add(alias.physical, "text"), values.add(matching.similar_to, "text")
        conditions.append(f"service.id IN (SELECT search.similar_names({physical}, {folded}))")
    return conditions


def _count_terms(matching: Matching, values: _Values) -> str:
    each = [f'(service."full" @@ {values.add(term, "tsquery")})::int' for term in matching.terms]
    return f"({' + '.join(each)})"


def _write_filters(request: SearchRequest, values: _Values) -> list[str]:
    conditions = [] if request.include_inactive else ["service.status = 1"]
    if request.exclude_agent_exclusive:
        conditions.append("NOT service.exclusive")
    if request.category is not None:
        conditions.append(f"service.tema_fold = search.fold_label({values.add(request.category, 'text')})")
    if request.sub_category is not None:
        conditions.append(f"service.sub_fold = search.fold_label({values.add(request.sub_category, 'text')})")
    if request.orgao is not None:
        conditions.append(f"search.fold_label({values.add(request.orgao, 'text')}) = ANY(service.orgao_fold)")
    if request.publico is not None:
        conditions.append(f"search.fold_label({values.add(request.publico, 'text')}) = ANY(service.publico_fold)")
    if request.is_free is not None:
        conditions.append(f"service.is_free = {values.add(request.is_free, 'boolean')}")
    return conditions


def _write_nearness(matching: Matching, values: _Values) -> str:
    """Return which group of candidates a match belongs to: name, head, or anywhere."""
    if not matching.query:
        return "0"
    name, head = values.add(matching.name, "tsquery"), values.add(matching.head, "tsquery")
    return f"CASE WHEN service.head @@ {name} THEN 2 WHEN service.head @@ {head} THEN 1 ELSE 0 END"


def _write_text_match(matching: Matching, request: SearchRequest, values: _Values) -> str:
    if matching.similar_to:
        similar = values.add(matching.similar_to, "text")
        return f"public.word_similarity({similar}, service.nome_fold)::float8"
    if not matching.query:
        return "0.0::float8"
    weights = values.add(list(request.rank_weights), "real[]")
    ranks = [_write_rank(weights, values.add(matching.exact, "tsquery"))]
    if matching.query != matching.exact:
        ranks.append(f"{SYNONYM_SHARE} * {_write_rank(weights, values.add(matching.query, 'tsquery'))}")
    rank = f"greatest({', '.join(ranks)})"
    share = f"{_count_terms(matching, values)}::float8 / {len(matching.terms)} * " if matching.terms else ""
    return _TEXT_MATCH.format(share=share, rank=rank, half=HALF_RANK)


_TEXT_MATCH = "({share}(SELECT rank / (rank + {half}) FROM (SELECT {rank} AS rank) AS ranked))::float8"


def _write_rank(weights: str, query: str) -> str:
    return f'ts_rank({weights}, service."full", {query}, {NORMALISATION})::float8'


# More for a name that says little else.
_HOLDS_ALL = "0.4 + 0.3 * least(1.0, {asked}::float8 / greatest(length(ts_filter(service.head, '{{a}}')), 1))"


def _write_name_match(matching: Matching, values: _Values) -> str:
    if not matching.folded:
        return "0.0::float8"
    folded = values.add(matching.folded, "text")
    holds_all = ""
    if matching.name:
        name, asked = values.add(matching.name, "tsquery"), values.add(matching.asked, "int")
        holds_all = f"WHEN service.head @@ {name} THEN {_HOLDS_ALL.format(asked=asked)}"
    return f"""(CASE WHEN service.nome_fold = {folded} THEN 1.0
        WHEN starts_with(service.nome_fold, {folded} || ' ') THEN 0.7 {holds_all} ELSE 0.0 END)::float8"""


# What a facet counts by, and the label that is shown, side by side. A name that a service has twice counts once.
_FACETS = {
    "tema_geral": ("ARRAY[service.tema_fold]", "ARRAY[service.tema_geral]", "*"),
    "sub_categoria": ("ARRAY[service.sub_fold]", "ARRAY[service.sub_categoria]", "*"),
    "orgao_gestor": ("service.orgao_fold", "service.orgao_gestor", "DISTINCT id"),
    "publico_especifico": ("service.publico_fold", "service.publico", "DISTINCT id"),
    "is_free": ("ARRAY[service.is_free::text]", "ARRAY[service.is_free::text]", "*"),
}
_FACET_COLUMNS = ", {keys} AS {field}_keys, {labels} AS {field}_labels"
_FACET = """(SELECT coalesce(jsonb_agg(jsonb_build_array(label, services) ORDER BY services DESC, label), '[]') FROM (
    SELECT min(label COLLATE "C") AS label, count({counted}) AS services
    FROM matched, unnest({field}_keys, {field}_labels) AS each (key, label)
    WHERE key IS NOT NULL GROUP BY key ORDER BY services DESC, label LIMIT {most}) AS most_frequent)"""


def _write_facet_columns(fields: Sequence[str]) -> str:
    return "".join(
        _FACET_COLUMNS.format(field=field, keys=_FACETS[field][0], labels=_FACETS[field][1]) for field in fields
    )


def _write_facets(fields: Sequence[str]) -> str:
    pairs = [
        f"'{field}', {_FACET.format(field=field, counted=_FACETS[field][2], most=MOST_FACET_VALUES)}"
        for field in fields
    ]
    return f"jsonb_build_object({', '.join(pairs)})::text"


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
    values = _Values()
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
    """Return the words of each text as the folding of the collection makes them."""
    words: dict[str, list[Word]] = {text: [] for text in texts}
    for row in await connection.fetch(_WORDS, texts, timeout=BUDGET_SECONDS):
        words[row["text"]].append(Word(row["folded"], row["lexeme"]))
    return words
