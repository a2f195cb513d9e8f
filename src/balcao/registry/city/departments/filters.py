"""The filters of the department list."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from balcao.core.values.numbers import parse_whole_number
from balcao.registry.city.departments.schemas import HIGHEST, LOWEST
from balcao.registry.filters import parse_code, parse_search


@dataclass(frozen=True, slots=True)
class DepartmentFilters:
    """The filters of the department list. None means no filter.

    `lowest` and `highest` are an inclusive range of levels.
    """

    search: str | None
    parent: str | None
    sigla: str | None
    lowest: int
    highest: int

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> Self:
        """Parse the query. An exact level overrides the range. Raises Invalid if a filter is not valid."""
        lowest, highest = _parse_level(query, "min_level", LOWEST), _parse_level(query, "max_level", HIGHEST)
        if "exact_level" in query:
            lowest = highest = _parse_level(query, "exact_level", LOWEST)
        return cls(parse_search(query), parse_code(query, "parent_id"), parse_code(query, "sigla_ua"), lowest, highest)


def _parse_level(query: Mapping[str, str], name: str, default: int) -> int:
    return parse_whole_number(name, query.get(name), LOWEST, HIGHEST, default=default)
