"""The public search: from the words of a query to a page of services (rules: search 4.6)."""

import functools
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.database.reloader import Watch
from balcao.search.index.public_index import PublicIndex
from balcao.search.index.reader import ServiceIndex, ShownService
from balcao.search.portuguese.analysis import split_words, tokenize
from balcao.search.portuguese.lexicon import fold
from balcao.search.public import PublicService
from balcao.search.public_search import highlights
from balcao.search.public_search.candidates import Candidates, Match, find_candidates, restrict
from balcao.search.public_search.concerns import list_searches
from balcao.search.public_search.corrections import correct_query
from balcao.search.public_search.parameters import SearchRequest
from balcao.search.public_search.query import LISTS_ALL, ParsedQuery, Part, parse_query
from balcao.search.public_search.ranking import RERANKED, Hit, find_recency, rank_candidates, rank_rest, sort_key
from balcao.search.public_search.schemas import Highlights
from balcao.search.public_search.state import CHANNEL, COMPARE_SECONDS, SearchState
from balcao.search.public_search.suggestions import complete_names
from balcao.search.public_search.synonyms import Synonyms
from balcao.search.synonyms.store import list_synonym_terms, read_synonyms_revision

# Results after this number of candidates are not returned on any page.
MOST_CANDIDATES = 2000
MOST_FACET_VALUES = 20


@dataclass(frozen=True)
class FoundService:
    """A service on the page, with its score. `marked` is None if the caller does not want highlights."""

    shown: ShownService
    hit: Hit
    marked: Highlights | None = None

    @property
    def service(self) -> PublicService:
        """The service as the index contains it."""
        return self.shown.service


@dataclass(frozen=True)
class Found:
    """A page of services, with information about the search.

    `total` counts all matches, `passed` the candidates whose score reaches the threshold. `folded` is the query without
    accents.
    """

    match: Match
    total: int = 0
    passed: int = 0
    services: Sequence[FoundService] = ()
    facets: Mapping[str, list[tuple[str, int]]] = field(default_factory=dict)
    suggestion: str | None = None
    folded: str = ""


@asynccontextmanager
async def keep_search_state(platform: Platform) -> AsyncIterator[None]:
    """Keep the cache of this process current. A change in any process empties it."""
    state = platform.parts[SearchState] = SearchState()
    watch = Watch(platform.database, CHANNEL, COMPARE_SECONDS, functools.partial(_reload, platform, state))
    await watch.start()
    try:
        yield
    finally:
        await watch.stop()


async def _reload(platform: Platform, state: SearchState) -> None:
    """Drop the cached responses. Read changed synonyms again if this process has searched before."""
    state.note_change()
    if state.synonyms is None:
        return
    async with platform.database.connection() as connection:
        await _read_synonyms(connection, state)
    state.note_change()


async def search_services(call: Call, index: ServiceIndex, request: SearchRequest) -> Found:
    """Return the requested page of an index."""
    if request.matches_nothing:
        return Found("none")
    if request.q == LISTS_ALL:
        return _list_all(index, request)
    return search_index(index, await find_synonyms(call.platform), request)


def search_index(index: ServiceIndex, synonyms: Synonyms, request: SearchRequest) -> Found:
    """Search an index and return the requested page."""
    asked = parse_query(request.q, synonyms)
    concern = _find_concern(index, asked, synonyms, request)
    query, corrections = (concern[0], {}) if concern else correct_query(index, asked, synonyms)
    found = concern[1] if concern else _find(index, query, synonyms, request)
    ranked = rank_candidates(index, found)
    hits = _apply_request([*ranked, *rank_rest(index, found, ranked)], request)
    page = _show_page(index, query, hits, request)
    # A correction is suggested only if it explains the whole query.
    is_suggested = bool(corrections) and found.match == "all_terms"
    return Found(
        "any_term" if corrections and found.hits else found.match,
        found.total,
        len(hits),
        page,
        _count_facets(index, found, request),
        _suggest(query, corrections, page) if is_suggested else None,
        asked.folded,
    )


def _find_concern(
    index: ServiceIndex, asked: ParsedQuery, synonyms: Synonyms, request: SearchRequest
) -> tuple[ParsedQuery, Candidates] | None:
    """Search for help for a person in distress.

    Return the first of the concern's searches for which a service contains all words, with its candidates. Return None
    if the query expresses no concern or no search finds a service.
    """
    for search in list_searches(asked):
        query = parse_query(search, synonyms)
        found = _find(index, query, synonyms, request)
        if found.match == "all_terms":
            return query, found
    return None


def _find(index: ServiceIndex, query: ParsedQuery, synonyms: Synonyms, request: SearchRequest) -> Candidates:
    needs_all = request.threshold is not None or request.recency_boost
    most = MOST_CANDIDATES if needs_all else min(max(request.last_place, RERANKED), MOST_CANDIDATES)
    return find_candidates(index, query, synonyms, request.filters, request.zones, most)


def _list_all(index: ServiceIndex, request: SearchRequest) -> Found:
    """Return a page of all services, ordered by popularity."""
    wanted = restrict(index, None, request.filters)
    total, listed = index.list_in_order(wanted, MOST_CANDIDATES, 0)
    orders = index.read_orders([address for _, address in listed])
    hits = [
        Hit(address, order, text_match=0.0, score=round(order.popularity, 6))
        for (_, address), order in zip(listed, orders, strict=True)
    ]
    hits = _apply_request(hits, request)
    found = Candidates("all_terms", total, listed, query=wanted)
    page = _show_page(index, None, hits, request)
    return Found("all_terms", total, len(hits), page, _count_facets(index, found, request))


def _apply_request(hits: list[Hit], request: SearchRequest) -> list[Hit]:
    """Apply the recency boost and the threshold of the request."""
    if request.recency_boost:
        now = int(time.time())
        factors = [find_recency(hit.order.updated, now) for hit in hits]
        hits = [
            hit._replace(recency=factor, score=round(hit.score * factor, 6))
            for hit, factor in zip(hits, factors, strict=True)
        ]
        hits.sort(key=sort_key)
    if request.threshold is not None:
        hits = [hit for hit in hits if hit.score >= request.threshold]
    return hits


def _show_page(
    index: ServiceIndex, query: ParsedQuery | None, hits: Sequence[Hit], request: SearchRequest
) -> list[FoundService]:
    page = hits[request.first_place : request.last_place]
    services = index.read_services([hit.address for hit in page])
    marked = query.marked_roots if query is not None else frozenset()
    return [
        FoundService(each, hit, _mark(each.service, marked) if request.highlight else None)
        for each, hit in zip(services, page, strict=True)
    ]


def _mark(service: PublicService, roots: frozenset[str]) -> Highlights:
    return Highlights(
        highlights.mark_words(service.nome_servico, roots),
        highlights.make_snippet((service.resumo_plaintext, service.descricao_completa_plaintext), roots),
    )


def _count_facets(index: ServiceIndex, found: Candidates, request: SearchRequest) -> dict[str, list[tuple[str, int]]]:
    if found.query is None:
        return {facet: [] for facet in request.facets}
    return index.count_values(found.query, request.facets, MOST_FACET_VALUES)


def _suggest(query: ParsedQuery, corrections: Mapping[str, str], found: Sequence[FoundService]) -> str:
    """Return the query with corrected words, in the spelling of the found services."""
    texts = " ".join(f"{each.service.nome_servico} {each.service.resumo_plaintext}" for each in found)
    written = {fold(word): word for word in split_words(texts)}
    spelled = {mistyped: written.get(word, word) for mistyped, word in corrections.items()}
    return " ".join(_write_part(part, spelled) for part in query.parts)


def _write_part(part: Part, corrections: Mapping[str, str]) -> str:
    words = [token.folded for token in tokenize(part.text)]
    text = corrections.get(words[0], part.text) if len(words) == 1 else part.text
    quoted = f'"{text}"' if part.is_phrase else text
    return f"{'OR ' if part.is_alternative else ''}{'-' if part.is_excluded else ''}{quoted}"


async def suggest_names(call: Call, typed: str) -> list[str]:
    """Return names of published services for the text typed so far. Raises Unavailable if there is no index."""
    index = await call.platform.part(PublicIndex).read()
    return complete_names(index, await find_synonyms(call.platform), typed)


async def find_synonyms(platform: Platform) -> Synonyms:
    """Return the synonym groups of the city, as last read by this process."""
    state = platform.part(SearchState)
    if state.synonyms is None:
        async with platform.database.connection() as connection:
            await _read_synonyms(connection, state)
    assert state.synonyms is not None
    return state.synonyms


async def _read_synonyms(connection: Connection, state: SearchState) -> None:
    revision = await read_synonyms_revision(connection)
    if state.synonyms is None or revision != state.synonyms_revision:
        state.synonyms, state.synonyms_revision = await read_synonyms(connection), revision


async def read_synonyms(connection: Connection) -> Synonyms:
    """Return the synonym groups of the city."""
    return Synonyms(await list_synonym_terms(connection))
