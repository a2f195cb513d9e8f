"""Parsers of the filters that the public lists have in common (rules: registry 2.6)."""

from collections.abc import Mapping

from balcao.core.values.text import clean_parameter

SEARCH_LENGTH = 100
CODE_LENGTH = 50


def parse_search(query: Mapping[str, str]) -> str | None:
    """Return the words to look for; None when there are none. Raises Invalid for anything but 1 to 100 characters."""
    return clean_parameter(query, "search", longest=SEARCH_LENGTH)


def parse_code(query: Mapping[str, str], name: str) -> str | None:
    """Return a value to be met exactly; None when there is none. Raises Invalid naming the parameter."""
    return clean_parameter(query, name, longest=CODE_LENGTH)
