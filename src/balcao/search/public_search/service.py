"""The public search: from the words of a query to a page of services (rules: search 4.6)."""

import functools
from collections.abc import AsyncIterator, Hashable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.database.reloader import Watch
from balcao.search.collection.alias import Alias
from balcao.search.collection.store import read_alias
from balcao.search.public_search import facets_store, highlights, matching, store, terms
from balcao.search.public_search.matching import Match, Matching
from balcao.search.public_search.parameters import SearchRequest
from balcao.search.public_search.state import CHANNEL, COMPARE_SECONDS, SearchState, find_reader
from balcao.search.public_search.store import FoundPage, ScoredService
from balcao.search.public_search.terms import ParsedQuery, Part, Synonyms, Word
from balcao.search.synonyms.store import list_synonym_lexemes, read_synonyms_revision
from balcao.search.vocabulary import service as vocabulary
from balcao.search.vocabulary import spelling
from balcao.search.vocabulary.service import Correction


@dataclass(frozen=True)
class MarkedTexts:
    """A service's texts as HTML, the words of the query marked."""

    title: str
    snippet: str


@dataclass(frozen=True)
class Found:
    """A page of services, how they were found, and how they are marked, by id.

    `missed` is the folded query if it found nothing.
    """

    match: Match
    page: FoundPage
    suggestion: str | None = None
    marked: Mapping[str, MarkedTexts] = field(default_factory=dict)
    missed: str = ""


MOST_NAMES = 8
_NOTHING = FoundPage(0, 0, [], {})


@asynccontextmanager
async def keep_search_state(platform: Platform) -> AsyncIterator[None]:
    """Keep the process's cache of the catalogue current: any process's change empties it."""
    state = platform.parts[SearchState] = SearchState()
    watch = Watch(platform.database, CHANNEL, COMPARE_SECONDS, functools.partial(_reload, platform, state))
    await watch.start()
    try:
        yield
    finally:
        await watch.stop()


async def _reload(platform: Platform, state: SearchState) -> None:
    state.begin_reload()
    async with platform.database.connection() as connection:
        alias = await read_alias(connection)
        # This runs after every save, and in processes that never search. Folding the synonyms anew each time would cost
        # more than the save; the first search folds them.
        if state.synonyms is not None:
            revision = await _read_revision(connection, alias)
            if revision != state.synonyms_revision:
                state.synonyms, state.synonyms_revision = await read_synonyms(connection), revision
        state.finish_reload(alias)


async def search_services(call: Call, request: SearchRequest) -> Found:
    """Return the page that the request asks for. Raises Unavailable beyond the time budget."""
    state = call.platform.part(SearchState)
    try:
        return await _search(call, state, request)
    except store.TableGone:  # the cached alias row names a table that was dropped since
        state.alias = None
        return await _search(call, state, request)


async def suggest_names(call: Call, typed: str) -> list[str]:
    """Return at most eight names of published services for the text typed so far."""
    state = call.platform.part(SearchState)
    async with find_reader(call).connection() as connection:
        parts = terms.split_query(typed)
        words = await _fold(connection, state, [part.text for part in parts])
        folded = [word.folded for part in parts for word in words[part.text]][: terms.MOST_TERMS]
        if not folded:
            return []
        return await store.suggest_names(connection, await read_alias(connection), folded, MOST_NAMES)


async def _search(call: Call, state: SearchState, request: SearchRequest) -> Found:
    if request.matches_nothing:
        return Found("none", _NOTHING)
    # What is cached must be current, so the alias row and the synonyms are read from the primary.
    is_cached = state.alias is not None and state.synonyms is not None
    database = find_reader(call) if is_cached else call.platform.database
    changes = state.changes
    async with database.connection() as connection, store.open_snapshot(connection):
        alias = await _read_alias(connection, state)
        if request.q == terms.LISTS_ALL:
            page = await _try(connection, alias, matching.LIST_ALL, request)
            page = await _add_facets(connection, state, alias, matching.LIST_ALL, request, page)
            marked = await _mark(connection, state, page.services, frozenset(), request)
            return Found("all_terms", page, None, marked)
        parts = terms.split_query(request.q)
        words = await _fold(connection, state, [part.text for part in parts])
        synonyms = await _read_synonyms(connection, state, alias, changes)
        query = terms.widen_query(terms.parse_query(parts, words), synonyms)
        correctable = _list_correctable(parts, words, query)
        step = await _take_steps(connection, alias, query, correctable, request)
        page = await _add_facets(connection, state, alias, step.matching, request, step.page)
        lexemes = query.lexemes | {lexeme for each in step.corrections.values() for lexeme in each.lexemes}
        marked = await _mark(connection, state, page.services, lexemes, request)
    missed = query.folded if step.match == "none" else ""
    return Found(step.match, page, _suggest(parts, words, step.corrections if step.is_met else {}), marked, missed)


@dataclass(frozen=True)
class _Step:
    """What the ladder came to: the matching that found something, None where nothing did."""

    matching: Matching | None
    page: FoundPage
    corrections: dict[str, Correction]
    is_met: bool = False  # whether what was found has every term once the unknown words are corrected

    @property
    def match(self) -> Match:
        return self.matching.match if self.matching else "none"


async def _take_steps(
    connection: Connection,
    alias: Alias,
    query: ParsedQuery,
    correctable: Mapping[str, str],
    request: SearchRequest,
) -> _Step:
    """Try the steps of the ladder until one finds something.

    `correctable` are the folded words that may be mistyped, by lexeme.
    """
    corrections: dict[str, Correction] = {}
    # A service that only looks like "estupro" would be an insult to the person who asks.
    may_look_alike = not any(spelling.is_sensitive(word) for word in query.folded.split())
    step = matching.match_all_terms(query, request.classes)
    page = await _try(connection, alias, step, request)
    if page.total:
        return _Step(step, page, corrections)
    if query.last_word is not None:
        expansions = await vocabulary.expand_word(connection, query.last_word.folded)
        step = matching.match_prefix(query, expansions, request.classes)
        page = await _try(connection, alias, step, request)
        if page.total:
            return _Step(step, page, corrections)
    if query.terms:
        corrections = await vocabulary.correct_words(connection, alias, correctable)
        nearest = {lexeme: correction.lexemes for lexeme, correction in corrections.items()}
        if corrections:
            step = matching.match_corrected(query, nearest, request.classes)
            page = await _try(connection, alias, step, request)
            if page.total:
                return _Step(step, page, corrections, is_met=True)
        query = matching.correct_query(query, nearest)
        weights = await vocabulary.weigh_words(connection, alias, query.lexemes)
        for match in (matching.match_any_term, matching.match_rarest):
            step = match(query, weights, request.classes)
            page = await _try(connection, alias, step, request)
            if page.total:
                return _Step(step, page, corrections)
    step = matching.match_similar(query) if may_look_alike else None
    page = await _try(connection, alias, step, request)
    return _Step(step if page.total else None, page, corrections)


async def _try(connection: Connection, alias: Alias, step: Matching | None, request: SearchRequest) -> FoundPage:
    return _NOTHING if step is None else await store.find_services(connection, alias, step, request)


async def _add_facets(
    connection: Connection,
    state: SearchState,
    alias: Alias,
    step: Matching | None,
    request: SearchRequest,
    page: FoundPage,
) -> FoundPage:
    """Return the page with facets: those of more services than `MOST_COUNTED` come from the cache for a while."""
    if step is None or page.total <= store.MOST_COUNTED or not request.facets:
        return page
    key = alias.physical, step, request.filters, request.facets
    facets = state.find_facets(key)
    if facets is None:
        facets = await facets_store.count_facets(connection, alias, step, request)
        state.store_facets(key, facets)
    return msgspec.structs.replace(page, facets=facets)


async def read_synonyms(connection: Connection) -> Synonyms:
    """Return the synonyms as a query is widened by them."""
    return terms.index_synonyms(await list_synonym_lexemes(connection))


async def rank_ids(connection: Connection, alias: Alias, query: str, known: Synonyms, most: int = 10) -> list[str]:
    """Return the ids of the best services for a query in this table, found as the public search finds them."""
    parts = terms.split_query(query)
    request = SearchRequest(q=query, per_page=most, highlight=False)
    async with store.open_snapshot(connection):
        words = await store.fold_texts(connection, [part.text for part in parts])
        parsed = terms.widen_query(terms.parse_query(parts, words), known)
        step = await _take_steps(connection, alias, parsed, _list_correctable(parts, words, parsed), request)
    return [service.document.id for service in step.page.services]


def _list_correctable(parts: Sequence[Part], words: terms.Words, query: ParsedQuery) -> dict[str, str]:
    """Return the folded form of each word that may be mistyped, by its lexeme.

    None that stands in a phrase, has synonyms, or is a name of people or part of a law's.
    """
    left_alone = {
        word.lexeme
        for place in spelling.list_left_alone([part.text for part in parts])
        for word in words[parts[place].text]
    }
    single = {term.exact[0].lexemes[0] for term in query.terms if len(term.exact[0].lexemes) == 1 and not term.wider}
    return {
        word.lexeme: word.folded
        for word in query.words
        if word.lexeme is not None and word.lexeme in single and word.lexeme not in left_alone
    }


def _suggest(parts: Sequence[Part], words: terms.Words, corrections: dict[str, Correction]) -> str | None:
    """Return the query with its unknown words replaced by the nearest known ones, None when there is none."""
    if not corrections:
        return None
    return " ".join(_write_part(part, words[part.text], corrections) for part in parts)


def _write_part(part: Part, words: Sequence[Word], corrections: dict[str, Correction]) -> str:
    unknown = [corrections[word.lexeme].word for word in words if word.lexeme in corrections]
    text = unknown[0] if unknown and len(words) == 1 else part.text
    quoted = f'"{text}"' if part.is_phrase else text
    return f"{'OR ' if part.is_alternative else ''}{'-' if part.is_excluded else ''}{quoted}"


async def _mark(
    connection: Connection,
    state: SearchState,
    services: Sequence[ScoredService],
    wanted: frozenset[str],
    request: SearchRequest,
) -> dict[str, MarkedTexts]:
    """Return the page's texts with the wanted words marked."""
    if not request.highlight:
        return {}
    documents = [service.document for service in services]
    texts = [
        (document.nome_servico, document.resumo_plaintext, document.descricao_completa_plaintext)
        for document in documents
    ]
    written = highlights.list_words(text for group in texts for text in group) if wanted else set()
    words = await _fold(connection, state, written)
    marked = {text for text, found in words.items() if any(word.lexeme in wanted for word in found)}
    return {
        document.id: MarkedTexts(
            highlights.mark_words(name, marked),
            highlights.make_snippet([summary, description], marked),
        )
        for document, (name, summary, description) in zip(documents, texts, strict=True)
    }


async def _read_alias(connection: Connection, state: SearchState) -> Alias:
    if state.alias is None:
        state.alias = await read_alias(connection)
    return state.alias


async def _read_synonyms(connection: Connection, state: SearchState, alias: Alias, changes: int) -> Synonyms:
    """Return the synonyms; they are kept unless there was a change since `changes`, which they may lack."""
    if state.synonyms is not None:
        return state.synonyms
    revision = await _read_revision(connection, alias)
    synonyms = await read_synonyms(connection)
    if changes == state.changes:
        state.synonyms, state.synonyms_revision = synonyms, revision
    return synonyms


async def _read_revision(connection: Connection, alias: Alias) -> Hashable:
    return alias.fold_revision, await read_synonyms_revision(connection)


async def _fold(connection: Connection, state: SearchState, texts: Iterable[str]) -> dict[str, Sequence[Word]]:
    """Return the words of each text; the database folds those that were not asked for lately."""
    known: dict[str, Sequence[Word]] = {}
    unknown = []
    for text in texts:
        words = state.find_words(text)
        if words is None:
            unknown.append(text)
        else:
            known[text] = words
    if unknown:
        for text, words in (await store.fold_texts(connection, unknown)).items():
            state.store_words(text, words)
            known[text] = words
    return known
