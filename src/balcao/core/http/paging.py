"""Lists page by page: the page that a caller asks for, and what the response says of the whole list."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from balcao.core.errors import Invalid
from balcao.core.http.parameters import InQuery

MOST_PER_PAGE = 100
# Of reference data that portals read whole.
MOST_PER_LONG_PAGE = 1000
# Beyond it an offset would not fit into the database's integer.
LAST_PAGE = 1_000_000_000
# More digits are never a number that is allowed: they are not even read.
_DIGITS_READ = 10


class PageQuery(msgspec.Struct):
    """Describes the two parameters; further parameters of a list come in a subclass."""

    page: Annotated[int, Meta(ge=1, description="Página, a partir de 1.", examples=[1])] = 1
    per_page: Annotated[
        int, Meta(ge=1, le=MOST_PER_PAGE, description="Itens por página, no máximo 100.", examples=[10])
    ] = 10


class MenuPageQuery(PageQuery):
    """Describes the two parameters of a list that fills a menu."""

    per_page: Annotated[int, Meta(ge=1, description="Itens por página; acima de 100 vale 100.", examples=[10])] = 10


class LongMenuPageQuery(PageQuery):
    """Describes the two parameters of a list that a portal reads whole."""

    per_page: Annotated[int, Meta(ge=1, description="Itens por página; acima de 1000 vale 1000.", examples=[10])] = 10


class Pagination(msgspec.Struct, frozen=True):
    """`total` counts the items of all pages."""

    page: Annotated[int, Meta(description="Página devolvida.", examples=[1])]
    per_page: Annotated[int, Meta(description="Itens por página.", examples=[10])]
    total: Annotated[int, Meta(description="Itens em todas as páginas.", examples=[42])]
    total_pages: Annotated[int, Meta(description="Número de páginas.", examples=[5])]


@dataclass(frozen=True, slots=True)
class Page:
    """The page asked for; one beyond the end is empty, not a fault."""

    page: int = 1
    per_page: int = 10

    @property
    def limit(self) -> int:
        """Return how many items the page holds at most."""
        return self.per_page

    @property
    def offset(self) -> int:
        """Return how many items come before the page."""
        return (self.page - 1) * self.per_page

    def of(self, total: int) -> Pagination:
        """Return what the response says of the whole list, of which there are `total` items."""
        return Pagination(self.page, self.per_page, total, -(-total // self.per_page))


def parse_page(query: Mapping[str, str], per_page: int = 10, most: int = MOST_PER_PAGE) -> Page:
    """Read the page asked for; `per_page` is the default, `most` the maximum.

    Raises Invalid naming the parameter (rules: registry 1.1).
    """
    return Page(
        parse_whole_number("page", query.get("page"), 1, LAST_PAGE, default=1),
        parse_whole_number("per_page", query.get("per_page"), 1, most, default=per_page),
    )


def parse_menu_page(query: Mapping[str, str], per_page: int = 10, most: int = MOST_PER_PAGE) -> Page:
    """Read the page of a list that fills a menu: whoever asks for more than `most` items gets `most`.

    Raises Invalid naming the parameter (rules: registry 1.1).
    """
    wanted = query.get("per_page", "")[:_DIGITS_READ]
    if wanted.isascii() and wanted.isdigit() and int(wanted) > most:
        query = {**query, "per_page": str(most)}
    return parse_page(query, per_page, most)


# The page of a list whose query has no other parameter, or none that its handler reads.
PageInQuery: TypeAlias = Annotated[Page, InQuery(parse_page, PageQuery)]
MenuPageInQuery: TypeAlias = Annotated[Page, InQuery(parse_menu_page, MenuPageQuery)]
LongMenuPageInQuery: TypeAlias = Annotated[
    Page, InQuery(lambda query: parse_menu_page(query, most=MOST_PER_LONG_PAGE), LongMenuPageQuery)
]


def parse_whole_number(name: str, text: str | None, least: int, most: int, *, default: int) -> int:
    """Return a query parameter in ASCII digits as a number. Raises Invalid naming the parameter."""
    if text is None:
        return default
    fits = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    if not fits or not least <= int(text) <= most:
        raise Invalid(f"O parâmetro `{name}` deve ser um número inteiro de {least} a {most}.", code=f"{name}-invalid")
    return int(text)
