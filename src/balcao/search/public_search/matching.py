"""The ladder: in which ways a query is tried, and what each makes of the terms (rules: search 4.6, ladder).

Pure rules without SQL and HTTP.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from balcao.search.public_search import tsquery
from balcao.search.public_search.terms import Alternative, ParsedQuery, Term, Word

Match = Literal["all_terms", "any_term", "similar", "none"]

# What a mistyped word may stand for, by its lexeme; and how much a lexeme says.
Corrections = Mapping[str, Sequence[str]]
Weights = Mapping[str, float]

# A term that no service has counts as much as one that every second service has.
UNKNOWN_WEIGHT = 1.0
# Of so many of the rarest terms one is enough in the last step.
RAREST = 2
SHORTEST_PREFIX = 3
SHORTEST_SIMILAR = 4
NAME, HEAD, EVERYWHERE = "A", "AB", "ABCD"


@dataclass(frozen=True, slots=True)
class Matching:
    """One step of the ladder as the database is asked.

    Which services: those that match the tsquery `query`, where it is not empty, and at least `fewest` of the tsqueries
    `terms`, which count by `weights` in the score; whose folded name holds every one of `name_parts`; whose folded name
    is `similar_to` this. Of too many terms to be combined `sought` has the rarest, where `query` has the first: fewer
    services are read for nothing. `name` and `head` are `query` within the name, and within name, summary and category:
    what has one of them matches, unless the step `is_strict`. `exact` has no synonym.
    """

    match: Match
    query: str = ""
    sought: str = ""
    exact: str = ""
    name: str = ""
    head: str = ""
    terms: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    fewest: int = 0
    name_parts: tuple[str, ...] = ()
    similar_to: str = ""
    folded: str = ""
    apart: tuple[tuple[str, str], ...] = ()  # a name with one of the second words has one of the first as well
    asked: int = 0  # how many terms there are
    is_strict: bool = False


def match_all_terms(query: ParsedQuery, classes: str = EVERYWHERE) -> Matching | None:
    """Return the first step: every term; a query of stop words only is compared with names as it is."""
    if not query.terms:
        parts = tuple(query.folded.split())
        return Matching("all_terms", name_parts=parts, folded=query.folded) if parts and not query.excluded else None
    label = _label(classes)
    return Matching(
        "all_terms",
        query=tsquery.write_all(query.terms, query.excluded, label),
        exact=tsquery.write_all(query.terms, (), label, widened=False),
        name=tsquery.write_all(query.terms, (), NAME),
        head=tsquery.write_all(query.terms, (), _label(HEAD, classes)),
        folded=query.folded,
        apart=query.apart,
        asked=len(query.terms),
        is_strict=_is_strict(query, classes),
    )


def match_prefix(query: ParsedQuery, expansions: Sequence[str], classes: str = EVERYWHERE) -> Matching | None:
    """Return the step in which the last word may go on; `expansions` are the lexemes of known words that do."""
    last = query.last_word
    if not query.terms or last is None or last.lexeme is None or len(last.folded) < SHORTEST_PREFIX:
        return None
    # What is stored is stemmed, so a word of which only a part is typed may be longer than its stem; and a stem begins
    # words that have nothing to do with it (mar-ia, mar-gem), so what is typed is compared.
    known = tuple(Alternative((lexeme,)) for lexeme in expansions)
    end = f"({' | '.join([_write_prefix(last, classes), *map(_write_with(classes), known)])})"
    first = query.terms[:-1]
    before = [tsquery.write_all(first, (), _label(classes))] if first else []
    wanted = " & ".join([*before, end, *(f"!{tsquery.write_alternative(each)}" for each in query.excluded)])
    name_end = f"({' | '.join([_write_prefix(last, NAME), *map(_write_with(NAME), known)])})"
    name = " & ".join([*([tsquery.write_all(first, (), NAME)] if first else []), name_end])
    return Matching(
        "all_terms",
        query=wanted,
        exact=wanted,
        name=name,
        head=wanted,
        folded=query.folded,
        apart=query.apart,
        asked=len(query.terms),
        is_strict=_is_strict(query, classes),
    )


def correct_query(query: ParsedQuery, corrections: Corrections) -> ParsedQuery:
    """Return the query in which a word that no service has is met by the known ones that it may stand for."""
    return replace(query, terms=tuple(_correct(term, corrections) for term in query.terms))


def match_corrected(query: ParsedQuery, corrections: Corrections, classes: str = EVERYWHERE) -> Matching | None:
    """Return the step in which every term is there once the unknown words are corrected."""
    step = match_all_terms(correct_query(query, corrections), classes)
    return None if step is None else replace(step, match="any_term")


def match_any_term(query: ParsedQuery, weights: Weights, classes: str = EVERYWHERE) -> Matching | None:
    """Return the step in which half of the terms, rounded up, are enough."""
    if len(query.terms) < 2:
        return None
    return _match_some(query, query.terms, (len(query.terms) + 1) // 2, weights, classes)


def match_rarest(query: ParsedQuery, weights: Weights, classes: str = EVERYWHERE) -> Matching | None:
    """Return the last step by words: one of the two terms that say most, of those that any service has, is enough."""
    known = [term for term in query.terms if _weigh(term, weights)]
    if len(query.terms) < 2 or not known:
        return None
    rarest = sorted(known, key=lambda term: -_weigh(term, weights))[:RAREST]
    return _match_some(query, rarest, 1, weights, classes)


def _match_some(query: ParsedQuery, wanted: Sequence[Term], fewest: int, weights: Weights, classes: str) -> Matching:
    """Return the step for so many of the wanted terms; all terms of the query count, each as much as it says."""
    terms, label = query.terms, _label(classes)
    has_many = len(wanted) > tsquery.MOST_COMBINED_TERMS
    rarest_first = sorted(wanted, key=lambda term: -(_weigh(term, weights) or math.inf))
    return Matching(
        "any_term",
        query=tsquery.write_any(wanted, query.excluded, fewest, label),
        sought=tsquery.write_any(rarest_first, query.excluded, fewest, label) if has_many else "",
        exact=" | ".join(tsquery.write_term(term, label, widened=False) for term in terms),
        name=tsquery.write_all(terms, (), NAME),
        head=tsquery.write_any(wanted, (), fewest, _label(HEAD, classes)),
        terms=tuple(tsquery.write_term(term, label) for term in terms),
        weights=tuple(_weigh(term, weights) or UNKNOWN_WEIGHT for term in terms),
        fewest=fewest,
        folded=query.folded,
        apart=query.apart,
        asked=len(terms),
        is_strict=_is_strict(query, classes) or len(terms) > tsquery.MOST_COMBINED_TERMS,
    )


def match_similar(query: ParsedQuery) -> Matching | None:
    """Return the step in which a name only has to look like the query."""
    if len(query.folded) < SHORTEST_SIMILAR or query.excluded:
        return None
    return Matching("similar", similar_to=query.folded, folded=query.folded)


LIST_ALL = Matching("all_terms")


def _is_strict(query: ParsedQuery, classes: str) -> bool:
    return bool(query.excluded) or classes != EVERYWHERE


def _weigh(term: Term, weights: Weights) -> float:
    """Return how much the term says: as much as the most frequent way to meet it, of which the rarest word counts."""
    ways = [
        max(weights[lexeme] for lexeme in alternative.lexemes)
        for alternative in (*term.exact, *term.wider)
        if all(lexeme in weights for lexeme in alternative.lexemes)
    ]
    return min(ways, default=0.0)


def _correct(term: Term, corrections: Corrections) -> Term:
    nearest = [
        Alternative((lexeme,))
        for alternative in term.exact
        for unknown in alternative.lexemes
        for lexeme in corrections.get(unknown, ())
    ]
    return replace(term, wider=(*term.wider, *nearest)) if nearest else term


def _write_prefix(word: Word, classes: str) -> str:
    return tsquery.quote_lexeme(word.folded, _label(classes) + "*")


def _write_with(classes: str):  # type: ignore[no-untyped-def]
    label = _label(classes)
    return lambda alternative: tsquery.write_alternative(alternative, label)


def _label(classes: str, within: str = EVERYWHERE) -> str:
    """Return the weight classes of a lexeme; none where all of them are searched, which no index has to recheck."""
    chosen = "".join(sorted(set(classes) & set(within))) or classes
    return "" if chosen == EVERYWHERE else chosen
