"""Parameters of the lists of categories (rules: search 2.3)."""

from collections.abc import Mapping
from typing import NamedTuple

from balcao.core.values.text import has_control
from balcao.search.conventions import (
    parse_choice_parameter,
    parse_flag_parameter,
    parse_page_parameters,
    read_parameter,
)

LONGEST_NAME = 200
SORTS = ("popularity", "count", "alpha")
ORDERS = ("desc", "asc")


class CategoryRequest(NamedTuple):
    """Order, filter and page of a list of categories. With `sees_drafts`, drafts are counted too."""

    sort_by: str
    order: str
    include_empty: bool
    sees_drafts: bool
    category: str | None
    page: int
    per_page: int

    @classmethod
    def parse(cls, query: Mapping[str, str], *, sees_drafts: bool) -> "CategoryRequest":
        """Parse the query. Raises Invalid, which names the parameter, if a value is bad."""
        page, per_page = parse_page_parameters(query)
        return cls(
            parse_choice_parameter(query, "sort_by", SORTS) or SORTS[0],
            parse_choice_parameter(query, "order", ORDERS) or ORDERS[0],
            bool(parse_flag_parameter(query, "include_empty")),
            sees_drafts,
            read_parameter(query, "filter_category"),
            page,
            per_page,
        )


def is_name(text: str) -> bool:
    """Return whether a category or subcategory can have this name. Other names have no services."""
    return len(text) <= LONGEST_NAME and not has_control(text)
