"""Queries of people in distress: what they say, and the services that help (rules: search 4.6, concerns)."""

import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from balcao.search.portuguese.analysis import Token, read_word, split_words
from balcao.search.public_search.query import ParsedQuery

# Words of a phrase that a query may lack.
_OPTIONAL = frozenset("a o as os um uma de do da dos das em no na nos nas para pra com".split())


@cache
def _read_concerns() -> list[tuple[list[list[Token]], Sequence[str]]]:
    """Return for each concern the words of its phrases, and its searches."""
    concerns = tomllib.loads(files(__package__).joinpath("concerns.toml").read_text("utf-8"))["concern"]
    return [([_list_words(phrase) for phrase in each["phrases"]], each["searches"]) for each in concerns]


def list_searches(query: ParsedQuery) -> Iterator[str]:
    """Yield what to search for instead of a query that tells a concern, the best search first."""
    if query.excluded or any(part.is_phrase or part.is_alternative for part in query.parts):
        return  # people in distress use no operators
    told = {root for part in query.parts for token in _list_words(part.text) for root in token.roots}
    for phrases, searches in _read_concerns():
        if any(all(not told.isdisjoint(word.roots[:1]) for word in phrase) for phrase in phrases):
            yield from searches


def _list_words(text: str) -> list[Token]:
    """Return all words, stop words too: "me matar" is not "matar"."""
    return [token for token in map(read_word, split_words(text)) if token.folded not in _OPTIONAL]
