"""Parsers for the filters of public lists (rules: registry 2.6)."""

from collections.abc import Mapping

from balcao.core.values.text import clean_parameter

SEARCH_LENGTH = 100
CODE_LENGTH = 50


def parse_search(query: Mapping[str, str]) -> str | None:
    """Return the search string, or None if it is absent. Raises Invalid unless it has 1 to 100 characters."""
    return clean_parameter(query, "search", longest=SEARCH_LENGTH)


def parse_code(query: Mapping[str, str], name: str) -> str | None:
    """Return a code that must match exactly, or None if it is absent.

    Raises Invalid unless it has 1 to `CODE_LENGTH` characters.
    """
    return clean_parameter(query, name, longest=CODE_LENGTH)
