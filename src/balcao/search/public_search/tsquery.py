"""Writes terms as PostgreSQL reads them (`tsquery`): quoted, so that no text becomes an operator."""

import itertools
from collections.abc import Iterable, Sequence

from balcao.search.public_search.terms import Alternative, Term

# More combinations than this are tested one by one instead.
MOST_COMBINED_TERMS = 6


def quote_lexeme(lexeme: str, label: str = "") -> str:
    """Return the lexeme with a label: weight classes, or `*` for a prefix."""
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}':{label}" if label else f"'{escaped}'"


def write_alternative(alternative: Alternative, label: str = "") -> str:
    """Return all lexemes of the alternative together."""
    operator = " <-> " if alternative.is_phrase else " & "
    return f"({operator.join(quote_lexeme(lexeme, label) for lexeme in alternative.lexemes)})"


def write_term(term: Term, label: str = "", *, widened: bool = True) -> str:
    """Return what meets the term."""
    alternatives = (*term.exact, *(term.wider if widened else ()))
    return f"({' | '.join(write_alternative(alternative, label) for alternative in alternatives)})"


def write_all(
    terms: Iterable[Term], excluded: Iterable[Alternative] = (), label: str = "", *, widened: bool = True
) -> str:
    """Return what has every term, and nothing that is excluded."""
    wanted = [write_term(term, label, widened=widened) for term in terms]
    return " & ".join([*wanted, *(f"!{write_alternative(alternative)}" for alternative in excluded)])


def write_any(terms: Sequence[Term], excluded: Iterable[Alternative], fewest: int, label: str = "") -> str:
    """Return what has at least `fewest` of the terms; of many terms, what has at least one of enough of them."""
    written = [write_term(term, label) for term in terms]
    if len(written) <= MOST_COMBINED_TERMS:
        combined = [" & ".join(chosen) for chosen in itertools.combinations(written, fewest)]
    else:  # what has `fewest` of n terms has one of any n - fewest + 1 of them
        combined = written[: len(written) - fewest + 1]
    unwanted = [f"!{write_alternative(alternative)}" for alternative in excluded]
    return " & ".join([f"({' | '.join(f'({one})' for one in combined)})", *unwanted])
