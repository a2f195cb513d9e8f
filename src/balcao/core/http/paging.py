"""Parse which page of a list a query requests."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from balcao.core.http.parameters import InQuery
from balcao.core.values.numbers import parse_whole_number
from balcao.core.values.page import Page

MOST_PER_PAGE = 100
# The maximum page size for reference data, which portals read completely.
MOST_PER_LONG_PAGE = 1000
# The largest page number. A larger number would overflow the database's integer offset.
LAST_PAGE = 1_000_000_000
# The maximum number of digits that are parsed. A number with more digits is above every maximum.
_DIGITS_READ = 10


class PageQuery(msgspec.Struct):
    """The two paging parameters. A list with further parameters declares a subclass."""

    page: Annotated[int, Meta(ge=1, description="Página, a partir de 1.", examples=[1])] = 1
    per_page: Annotated[
        int, Meta(ge=1, le=MOST_PER_PAGE, description="Itens por página, no máximo 100.", examples=[10])
    ] = 10


class MenuPageQuery(PageQuery):
    """The two paging parameters of a list that fills a menu."""

    per_page: Annotated[int, Meta(ge=1, description="Itens por página; acima de 100 vale 100.", examples=[10])] = 10


class LongMenuPageQuery(PageQuery):
    """The two paging parameters of a list that a portal reads completely."""

    per_page: Annotated[int, Meta(ge=1, description="Itens por página; acima de 1000 vale 1000.", examples=[10])] = 10


def parse_page(query: Mapping[str, str], per_page: int = 10, most: int = MOST_PER_PAGE) -> Page:
    """Parse the requested page. `per_page` is the default size, `most` the maximum.

    Raises Invalid, with the name of the parameter, if a value is not a number in its range (rules: registry 1.1).
    """
    return Page(
        parse_whole_number("page", query.get("page"), 1, LAST_PAGE, default=1),
        parse_whole_number("per_page", query.get("per_page"), 1, most, default=per_page),
    )


def parse_menu_page(query: Mapping[str, str], per_page: int = 10, most: int = MOST_PER_PAGE) -> Page:
    """Parse the requested page of a list that fills a menu. A larger page size than `most` is reduced to `most`.

    Raises Invalid, with the name of the parameter, if a value is not a number in its range (rules: registry 1.1).
    """
    wanted = query.get("per_page", "")[:_DIGITS_READ]
    if wanted.isascii() and wanted.isdigit() and int(wanted) > most:
        query = {**query, "per_page": str(most)}
    return parse_page(query, per_page, most)


# Annotations for handlers that read only the paging parameters from the query.
PageInQuery: TypeAlias = Annotated[Page, InQuery(parse_page, PageQuery)]
MenuPageInQuery: TypeAlias = Annotated[Page, InQuery(parse_menu_page, MenuPageQuery)]
LongMenuPageInQuery: TypeAlias = Annotated[
    Page, InQuery(lambda query: parse_menu_page(query, most=MOST_PER_LONG_PAGE), LongMenuPageQuery)
]
