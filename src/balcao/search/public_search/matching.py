"""The ladder: in which ways a query is tried, and what each makes of the terms (rules: search 4.6, ladder).

Pure rules without SQL and HTTP.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from balcao.search.public_search import tsquery
from balcao.search.public_search.terms import Alternative, ParsedQuery, Term, Word

Match = Literal["all_terms", "any_term", "similar", "none"]

SHORTEST_PREFIX = 3
SHORTEST_SIMILAR = 4
NAME, HEAD, EVERYWHERE = "A", "AB", "ABCD"


@dataclass(frozen=True, slots=True)
class Matching:
    """One step of the ladder as the database is asked.

    Which services: those that match the tsquery `query`, where it is not empty, and at least `fewest` of the tsqueries
    `terms`; whose folded name holds every one of `name_parts`; whose folded name is `similar_to` this. `name` and
    `head` are `query` within the name, and within name, summary and category: what has one of them matches, unless the
    step `is_strict`. `exact` has no synonym.
    """

    match: Match
    query: str = ""
    exact: str = ""
    name: str = ""
    head: str = ""
    terms: tuple[str, ...] = ()
    fewest: int = 0
    name_parts: tuple[str, ...] = ()
    similar_to: str = ""
    folded: str = ""
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
        asked=len(query.terms),
        is_strict=_is_strict(query, classes),
    )


def match_prefix(query: ParsedQuery, expansions: Sequence[str], classes: str = EVERYWHERE) -> Matching | None:
    """Return the step in which the last word may go on; `expansions` are the lexemes of known words that do."""
    last = query.last_word
    if not query.terms or last is None or last.lexeme is None or len(last.folded) < SHORTEST_PREFIX:
        return None
    # What is stored is stemmed, so a word of which only a part is typed may be longer than its stem.
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
        asked=len(query.terms),
        is_strict=_is_strict(query, classes),
    )


def match_any_term(
    query: ParsedQuery, corrections: dict[str, Sequence[str]], classes: str = EVERYWHERE
) -> Matching | None:
    """Return the step in which half of the terms, rounded up, are enough.

    A word that no service has counts as met by the known ones that it may stand for: `corrections`, by lexeme.
    """
    terms = tuple(_correct(term, corrections) for term in query.terms)
    if not terms or (len(terms) == 1 and terms == query.terms):
        return None
    fewest = (len(terms) + 1) // 2
    label = _label(classes)
    return Matching(
        "any_term",
        query=tsquery.write_any(terms, query.excluded, fewest, label),
        exact=" | ".join(tsquery.write_term(term, label, widened=False) for term in terms),
        name=tsquery.write_all(terms, (), NAME),
        head=tsquery.write_any(terms, (), fewest, _label(HEAD, classes)),
        terms=tuple(tsquery.write_term(term, label) for term in terms),
        fewest=fewest,
        folded=query.folded,
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


def _correct(term: Term, corrections: dict[str, Sequence[str]]) -> Term:
    nearest = [
        Alternative((lexeme,))
        for alternative in term.exact
        for unknown in alternative.lexemes
        for lexeme in corrections.get(unknown, ())
    ]
    return replace(term, wider=(*term.wider, *nearest)) if nearest else term


def _write_prefix(word: Word, classes: str) -> str:
    return tsquery.quote(word.lexeme or word.folded, _label(classes) + "*")


def _write_with(classes: str):  # type: ignore[no-untyped-def]
    label = _label(classes)
    return lambda alternative: tsquery.write_alternative(alternative, label)


def _label(classes: str, within: str = EVERYWHERE) -> str:
    """Return the weight classes of a lexeme; none where all of them are searched, which no index has to recheck."""
    chosen = "".join(sorted(set(classes) & set(within))) or classes
    return "" if chosen == EVERYWHERE else chosen
