"""Lists: the page that a caller asks for, filters, and the envelope of every list (rules: employability 2.0.7)."""

import re
from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.core.errors import Invalid
from balcao.core.http.paging import LAST_PAGE
from balcao.core.values.page import Page

PageNumber = Annotated[int, Meta(description="Página, a partir de 1; outro valor vale 1.", examples=[1])]

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
MOST_IN_CSV, LONGEST_SEARCH = 50, 250


class ListMeta(msgspec.Struct, frozen=True):
    """What a list says of itself: the values that were used, and how many items there are on all pages."""

    page: Annotated[int, Meta(description="Página devolvida.", examples=[1])]
    page_size: Annotated[int, Meta(description="Itens por página, como foi usado.", examples=[20])]
    total: Annotated[int, Meta(description="Itens em todas as páginas.", examples=[42])]

    @classmethod
    def of(cls, page: Page, total: int) -> "ListMeta":
        """Return what the response says of a list of `total` items."""
        return cls(page.page, page.per_page, total)


def parse_page(query: Mapping[str, str], default: int, most: int) -> Page:
    """Read the page asked for. Nothing is refused: what is no integer is the default, what is too much the maximum."""
    size = _parse_integer(query.get("pageSize"), default)
    return Page(min(max(_parse_integer(query.get("page"), 1), 1), LAST_PAGE), min(max(size, 1), most))


def _parse_integer(text: str | None, default: int) -> int:
    found = _INTEGER.fullmatch((text or "").strip())
    return int(found[0]) if found and found[0].isascii() else default


def parse_csv(query: Mapping[str, str], name: str) -> list[str]:
    """Return the items of a comma-separated filter without the empty ones. Raises Invalid for more than 50."""
    items = [item.strip() for item in query.get(name, "").split(",") if item.strip()]
    if len(items) > MOST_IN_CSV:
        raise Invalid(f"O parâmetro `{name}` aceita no máximo {MOST_IN_CSV} itens.", code=f"{name}-invalid")
    return items


def read_text(query: Mapping[str, str], name: str, longest: int = LONGEST_SEARCH) -> str | None:
    """Return a filter by a part of a text, None when absent or blank. Raises Invalid for one that is too long."""
    text = query.get(name, "").strip()
    if len(text) > longest:
        raise Invalid(f"O parâmetro `{name}` deve ter no máximo {longest} caracteres.", code=f"{name}-invalid")
    return text or None
