"""Recognises queries of people in distress, and lists the searches that find help (rules: search 4.6, concerns)."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from balcao.search.portuguese.analysis import Token, read_word, split_words
from balcao.search.public_search.query import ParsedQuery

# Words that a query may omit although the phrase contains them.
_OPTIONAL = frozenset("a o as os um uma de do da dos das em no na nos nas para pra com".split())


@dataclass(frozen=True)
class _Phrase:
    """The roots of a phrase, with the number and the searches of the concern that it expresses."""

    roots: frozenset[str]
    concern: int
    searches: Sequence[str]


@cache
def _read_phrases() -> dict[str, list[_Phrase]]:
    """Return the phrases by their first root. A query is compared only with phrases whose first root it contains."""
    phrases: dict[str, list[_Phrase]] = {}
    concerns = tomllib.loads(files(__package__).joinpath("concerns.toml").read_text("utf-8"))["concern"]
    for number, concern in enumerate(concerns):
        for text in concern["phrases"]:
            roots = [word.roots[0] for word in _list_words(text)]
            phrases.setdefault(roots[0], []).append(_Phrase(frozenset(roots), number, concern["searches"]))
    return phrases


def list_searches(query: ParsedQuery) -> list[str]:
    """Return the searches that replace a query of a person in distress, best first.

    Return an empty list for other queries.
    """
    if query.excluded or any(part.is_phrase or part.is_alternative for part in query.parts):
        return []  # people in distress use no operators
    told = {root for part in query.parts for token in _list_words(part.text) for root in token.roots}
    phrases = _read_phrases()
    found = {
        phrase.concern: phrase.searches for root in told for phrase in phrases.get(root, ()) if phrase.roots <= told
    }
    return [search for number in sorted(found) for search in found[number]]


def _list_words(text: str) -> list[Token]:
    """Return all words except the optional ones. Stop words count, because "me matar" differs from "matar"."""
    return [token for token in map(read_word, split_words(text)) if token.folded not in _OPTIONAL]
