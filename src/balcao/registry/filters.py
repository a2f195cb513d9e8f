"""Filters of the public lists: what stands in the query, checked (rules: registry 2.6)."""

from collections.abc import Mapping

from balcao.core.values.text import clean

SEARCH_LENGTH = 100
CODE_LENGTH = 50


def search_of(query: Mapping[str, str]) -> str | None:
    """The words to look for; None when none are asked for. Raises Invalid for anything but 1 to 100 characters."""
    return _text(query, "search", SEARCH_LENGTH)


def code_of(query: Mapping[str, str], name: str) -> str | None:
    """A value to be met exactly; None when it is not asked for. Raises Invalid naming the parameter."""
    return _text(query, name, CODE_LENGTH)


def _text(query: Mapping[str, str], name: str, longest: int) -> str | None:
    return clean(name, query[name], longest=longest) if name in query else None
