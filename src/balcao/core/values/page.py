"""Paged lists: the requested page, and the totals in the response."""

from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta


class Pagination(msgspec.Struct, frozen=True):
    """The page and the totals of a list. `total` is the number of items on all pages."""

    page: Annotated[int, Meta(description="Página devolvida.", examples=[1])]
    per_page: Annotated[int, Meta(description="Itens por página.", examples=[10])]
    total: Annotated[int, Meta(description="Itens em todas as páginas.", examples=[42])]
    total_pages: Annotated[int, Meta(description="Número de páginas.", examples=[5])]


@dataclass(frozen=True, slots=True)
class Page:
    """The requested page. A page beyond the end is empty, not an error."""

    page: int = 1
    per_page: int = 10

    @property
    def limit(self) -> int:
        """The maximum number of items on the page."""
        return self.per_page

    @property
    def offset(self) -> int:
        """The number of items before the page."""
        return (self.page - 1) * self.per_page

    def of(self, total: int) -> Pagination:
        """Return the page and the totals for a list of `total` items."""
        return Pagination(self.page, self.per_page, total, -(-total // self.per_page))
