"""Which departments a caller asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from balcao.core.http.paging import parse_whole_number
from balcao.registry.city.departments.schemas import HIGHEST, LOWEST
from balcao.registry.filters import code_of, search_of


@dataclass(frozen=True, slots=True)
class Wanted:
    """Each filter None when it is not asked for; the levels are a range, ends included."""

    search: str | None
    parent: str | None
    sigla: str | None
    lowest: int
    highest: int

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        """Raises Invalid naming the parameter. An exact level wins over the range."""
        lowest, highest = _level(query, "min_level", LOWEST), _level(query, "max_level", HIGHEST)
        if "exact_level" in query:
            lowest = highest = _level(query, "exact_level", LOWEST)
        return cls(search_of(query), code_of(query, "parent_id"), code_of(query, "sigla_ua"), lowest, highest)


def _level(query: Mapping[str, str], name: str, default: int) -> int:
    return parse_whole_number(name, query.get(name), LOWEST, HIGHEST, default=default)
