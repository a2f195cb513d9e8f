"""Page and filter parameters of list queries, and the metadata of every list (rules: employability 2.0.7)."""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.core.errors import Invalid
from balcao.core.http.paging import LAST_PAGE
from balcao.core.values import ids
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.core.values.text import split_list

PageNumber = Annotated[int, Meta(description="Página, a partir de 1; outro valor vale 1.", examples=[1])]

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
MOST_IN_CSV, LONGEST_SEARCH = 50, 250


class ListMeta(msgspec.Struct, frozen=True):
    """The metadata of a list: the actual page and page size, and the number of items on all pages."""

    page: Annotated[int, Meta(description="Página devolvida.", examples=[1])]
    page_size: Annotated[int, Meta(description="Itens por página, como foi usado.", examples=[20])]
    total: Annotated[int, Meta(description="Itens em todas as páginas.", examples=[42])]

    @classmethod
    def of(cls, page: Page, total: int) -> "ListMeta":
        """Return the metadata of a list of `total` items."""
        return cls(page.page, page.per_page, total)


def parse_list_page(query: Mapping[str, str], default: int, most: int) -> Page:
    """Parse the requested page. Malformed values do not raise errors.

    A page number that is not an integer becomes 1. A page size that is not an integer becomes `default`, and a size
    outside 1 to `most` becomes the nearest bound.
    """
    size = _parse_integer(query.get("pageSize"), default)
    return Page(min(max(_parse_integer(query.get("page"), 1), 1), LAST_PAGE), min(max(size, 1), most))


def _parse_integer(text: str | None, default: int) -> int:
    found = _INTEGER.fullmatch((text or "").strip())
    return int(found[0]) if found and found[0].isascii() else default


def parse_csv(query: Mapping[str, str], name: str) -> list[str]:
    """Parse a comma-separated filter. Empty items are omitted. Raises Invalid for more than 50 items."""
    items = split_list(query.get(name, ""))
    if len(items) > MOST_IN_CSV:
        raise Invalid(f"O parâmetro `{name}` aceita no máximo {MOST_IN_CSV} itens.", code=f"{name}-invalid")
    return items


def parse_uuid_filter(query: Mapping[str, str], name: str) -> UUID | None:
    """Parse a UUID filter, or return None if it is absent or blank. Raises Invalid if it is malformed."""
    text = query.get(name, "").strip()
    found = ids.parse_uuid(text)
    if text and found is None:
        raise Invalid(f"O parâmetro `{name}` deve ser um UUID.", code=f"{name}-invalid")
    return found


def parse_uuids(query: Mapping[str, str], name: str) -> list[UUID]:
    """Parse a filter of comma-separated UUIDs. Raises Invalid for a malformed UUID or too many UUIDs."""
    items = parse_csv(query, name)
    found = [known for known in map(ids.parse_uuid, items) if known is not None]
    if len(found) < len(items):
        raise Invalid(f"O parâmetro `{name}` deve ter UUIDs, separados por vírgula.", code=f"{name}-invalid")
    return found


def parse_cpf_filter(query: Mapping[str, str]) -> Cpf | None:
    """Parse the filter `cpf`, or return None if it is absent or blank. Raises Invalid if it is not a CPF."""
    text = query.get("cpf", "").strip()
    cpf = Cpf.parse_claim(text) if text else None
    if text and cpf is None:
        raise Invalid("O parâmetro `cpf` deve ser um CPF de 11 dígitos.", code="cpf-invalid")
    return cpf


def parse_choice_filter(query: Mapping[str, str], name: str, choices: Iterable[str]) -> str | None:
    """Return a filter's value, or None if it is absent or blank. Raises Invalid if it is not one of `choices`."""
    known, value = sorted(choices), query.get(name, "").strip()
    if value and value not in known:
        raise Invalid(f"O parâmetro `{name}` aceita {', '.join(known)}.", code=f"{name}-invalid")
    return value or None


def read_text(query: Mapping[str, str], name: str, longest: int = LONGEST_SEARCH) -> str | None:
    """Return the value of a filter, or None if it is absent or blank. Raises Invalid if it is longer than `longest`."""
    text = query.get(name, "").strip()
    if len(text) > longest:
        raise Invalid(f"O parâmetro `{name}` deve ter no máximo {longest} caracteres.", code=f"{name}-invalid")
    return text or None
