"""Finds the candidates for a query, in steps that relax the query from all terms to any rare term.

Rules: search 4.6, steps.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from tantivy import Occur, Query

from balcao.search.index import schema
from balcao.search.index.reader import Hits, ServiceIndex
from balcao.search.index.schema import DOCUMENTS, HEAD, LEMMAS, NAME, PHRASES, REST
from balcao.search.public_search.query import ParsedQuery
from balcao.search.public_search.synonyms import Alternative, Synonyms, Term

Match = Literal["all_terms", "any_term", "similar", "none"]

# A word in the name should hardly score again if the summary repeats it.
TIE_BREAKER = 0.1
# In the last step but one, a service needs one third of the terms, rounded up.
FEWEST_SHARE = 3
# In the last step, a service needs one of the two rarest terms.
RAREST = 2
# From this many terms on, the first step skips descriptions, because most words occur in at least one description.
LONG_QUERY = 3
MOST_CACHED_WORDS = 10_000
# The zones that the first step searches. Half of all services require an identity card, so documents come later.
HEAD_ZONES = (NAME, PHRASES, HEAD)
FIRST_ZONES = (*HEAD_ZONES, REST)
ALL_ZONES = (*FIRST_ZONES, DOCUMENTS)


@dataclass(frozen=True, slots=True)
class Zones:
    """The zones to search, each with the boost of a match."""

    boosts: tuple[tuple[str, float], ...] = (
        (NAME, 8.0),
        (PHRASES, 4.0),
        (HEAD, 4.0),
        (REST, 1.0),
        (DOCUMENTS, 0.2),
        (LEMMAS, 4.0),
    )

    def among(self, zones: Iterable[str]) -> list[tuple[str, float]]:
        """Return the given zones that are searched, with their boosts."""
        return [(zone, boost) for zone, boost in self.boosts if zone in zones]

    @property
    def lemma_boost(self) -> float:
        """The boost of a lemma in the name, or 0 if names are not searched."""
        return dict(self.boosts).get(LEMMAS, 0.0)


ALL = Zones()


class Filters(NamedTuple):
    """The values that every result must have, and the values that no result may have."""

    required: Sequence[str] = ()
    hidden: Sequence[str] = (schema.DRAFT, schema.EXCLUSIVE)


# The filters for searches by citizens.
CITIZENS = Filters()


@dataclass(frozen=True, slots=True)
class Candidates:
    """The results and terms of the strictest step with results. `query` selects all matches, to count facets."""

    match: Match
    total: int
    hits: Hits
    terms: Sequence[Term] = ()
    query: Query | None = None


NOTHING = Candidates("none", 0, [])


def find_candidates(
    index: ServiceIndex, query: ParsedQuery, synonyms: Synonyms, filters: Filters, zones: Zones, most: int
) -> Candidates:
    """Return up to `most` candidates of the strictest step that finds a service with all filter values."""
    for match, terms, wanted in _list_steps(index, query, synonyms, zones):
        if wanted is None:
            continue
        found = restrict(index, wanted, filters, query.excluded, zones)
        total, hits = index.search(found, most)
        if hits:
            return Candidates(match, total, hits, terms, found)
    return NOTHING


def weigh_term(index: ServiceIndex, term: Term) -> float:
    """Return the weight of a term.

    It is higher if the term's most frequent alternative is rarer, and 0 for an unknown term.
    """
    counts = [min(index.count_services(root) for root in alternative.roots) for alternative in term.alternatives]
    return math.log(1 + max(index.count(), 1) / max(counts)) if any(counts) else 0.0


def restrict(
    index: ServiceIndex,
    wanted: Query | None,
    filters: Filters,
    excluded: Iterable[tuple[str, ...]] = (),
    zones: Zones = ALL,
) -> Query:
    """Return a query for services that match `wanted` and the filters, and contain no excluded run of roots.

    Without `wanted`, the query only requires the filters.
    """
    # Use a constant score of 0, because filters must not affect the order of the results.
    required = filters.required if wanted is not None else (schema.EVERY, *filters.required)
    clauses = [(Occur.Must, Query.const_score_query(_write_filter(value), 0.0)) for value in required]
    if wanted is not None:
        clauses.append((Occur.Must, wanted))
    clauses += [(Occur.MustNot, _write_filter(value)) for value in filters.hidden]
    for roots in excluded:
        clauses += [(Occur.MustNot, _write_run(index, zone, roots)) for zone, _ in zones.among(ALL_ZONES)]
    return Query.boolean_query(clauses)


def _list_steps(
    index: ServiceIndex, query: ParsedQuery, synonyms: Synonyms, zones: Zones
) -> Iterator[tuple[Match, Sequence[Term], Query | None]]:
    """Yield the steps. A step without a query finds nothing."""
    if not query.terms:
        # The query consists only of stop words. Search for them as typed, in the only field with the stop words of
        # names.
        words = query.folded.split()
        if words and not query.excluded:
            each = [Query.term_query(index.schema, schema.WORDS, word, "basic") for word in words]
            yield "all_terms", (), require_all(each)
        return
    searched = FIRST_ZONES if len(query.terms) < LONG_QUERY else HEAD_ZONES
    yield "all_terms", query.terms, require_all([write_term(index, term, zones, searched) for term in query.terms])
    # If neither a synonym of several words nor the synonym's alternatives match a service, each of its words becomes a
    # separate term. In the last steps, this applies to all synonyms of several words.
    runs = [term for term in query.terms if len(term.tokens) > 1]
    unmatched = [term for term in runs if not weigh_term(index, term)]
    yield from _list_relaxed(index, _split_terms(query.terms, unmatched, synonyms), zones)
    if len(unmatched) < len(runs):
        yield from _list_relaxed(index, _split_terms(query.terms, runs, synonyms), zones)


def _split_terms(terms: Iterable[Term], chosen: Sequence[Term], synonyms: Synonyms) -> list[Term]:
    """Replace each chosen term with its words, and keep the other terms."""
    return [part for term in terms for part in (synonyms.split(term) if term in chosen else [term])]


def _list_relaxed(
    index: ServiceIndex, terms: Sequence[Term], zones: Zones
) -> Iterator[tuple[Match, Sequence[Term], Query | None]]:
    weights = [weigh_term(index, term) for term in terms]
    known = [at for at, weight in enumerate(weights) if weight]
    if len(terms) < 2 or not known:
        yield "all_terms", terms, require_all([write_term(index, term, zones, ALL_ZONES) for term in terms])
        return
    written = [write_term(index, term, zones, FIRST_ZONES) for term in terms]
    optional = _allow_any(written)
    fewest = -(-len(terms) // FEWEST_SHARE)
    if min(len(known), len(optional)) >= fewest:
        yield "any_term", terms, Query.boolean_query(optional, fewest)
    rare = _allow_any(written[at] for at in sorted(known, key=lambda at: -weights[at])[:RAREST])
    if rare:
        yield "any_term", terms, Query.boolean_query([(Occur.Must, Query.boolean_query(rare)), *optional])


def require_all(queries: Sequence[Query | None]) -> Query | None:
    """Return a query for the services that satisfy all queries, or None if there is no such service."""
    clauses = [(Occur.Must, query) for query in queries if query is not None]
    return Query.boolean_query(clauses) if clauses and len(clauses) == len(queries) else None


def _allow_any(queries: Iterable[Query | None]) -> list[tuple[Occur, Query]]:
    return [(Occur.Should, query) for query in queries if query is not None]


def write_term(index: ServiceIndex, term: Term, zones: Zones, searched: Iterable[str]) -> Query | None:
    """Return a query for the services that satisfy the term in one of these zones, or None if no service does."""
    parts = [
        part for alternative in term.alternatives for part in _write_alternative(index, alternative, zones, searched)
    ]
    if zones.lemma_boost:
        lemmas = (lemma for lemma in term.lemmas if index.count_in(LEMMAS, lemma))
        parts += [_write_word(LEMMAS, lemma, zones.lemma_boost) for lemma in lemmas]
    return Query.disjunction_max_query(parts, TIE_BREAKER) if parts else None


def _write_alternative(
    index: ServiceIndex, alternative: Alternative, zones: Zones, searched: Iterable[str]
) -> Iterator[Query]:
    """Yield a query for each way to satisfy the alternative. Skip ways that no service satisfies."""
    if len(alternative.roots) > 1 and not alternative.is_phrase:
        # A synonym of several words as the citizen typed it. Its words may be in different zones.
        each = [list(_write_alternative(index, Alternative((root,)), zones, searched)) for root in alternative.roots]
        if all(each):
            yield Query.boolean_query([(Occur.Must, Query.disjunction_max_query(ways)) for ways in each])
    for zone, boost in zones.among(searched):
        if not all(index.count_in(zone, root) for root in alternative.roots):
            continue
        if len(alternative.roots) == 1:
            yield _write_word(zone, alternative.roots[0], boost * alternative.weight)
        else:
            run = _write_run(index, zone, alternative.roots, alternative.slop)
            yield Query.boost_query(run, boost * alternative.weight)


# queries repeat the same words and synonyms
@lru_cache(MOST_CACHED_WORDS)
def _write_word(zone: str, root: str, boost: float) -> Query:
    return Query.boost_query(Query.term_query(schema.make_schema(), zone, root, "freq"), boost)


@lru_cache(MOST_CACHED_WORDS)
def _write_filter(value: str) -> Query:
    return Query.term_query(schema.make_schema(), schema.FILTERS, value, "basic")


def _write_run(index: ServiceIndex, zone: str, roots: Sequence[str], slop: int = 0) -> Query:
    if len(roots) == 1:
        return Query.term_query(index.schema, zone, roots[0])
    return Query.phrase_query(index.schema, zone, list(roots), slop)
