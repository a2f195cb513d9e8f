"""Lists page by page: the page that a caller asks for, and what the response says of the whole list."""

from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta


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
