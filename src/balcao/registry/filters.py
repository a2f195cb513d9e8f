"""Parsers of the filters that the public lists have in common (rules: registry 2.6)."""

from collections.abc import Mapping

from balcao.core.values.text import clean

SEARCH_LENGTH = 100
CODE_LENGTH = 50


def parse_search(query: Mapping[str, str]) -> str | None:
    """Return the words to look for; None when there are none. Raises Invalid for anything but 1 to 100 characters."""
    return _parse_text(query, "search", SEARCH_LENGTH)


def parse_code(query: Mapping[str, str], name: str) -> str | None:
    """Return a value to be met exactly; None when there is none. Raises Invalid naming the parameter."""
    return _parse_text(query, name, CODE_LENGTH)


def _parse_text(query: Mapping[str, str], name: str, longest: int) -> str | None:
    return clean(name, query[name], longest=longest) if name in query else None
