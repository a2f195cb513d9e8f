"""One request for a page of the site: the visitor's parameters, the data that the page reads, and the response."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from balcao.core.http.forms import FormData, read_form
from balcao.core.http.requests import Request
from balcao.core.http.responses import HTML, Response, redirect
from balcao.core.values.pasted import clean_pasted
from balcao.site.appearance import Appearance, read_appearance
from balcao.site.application import Site
from balcao.site.declaration import Page
from balcao.site.reading.catalogue import Snapshot
from balcao.site.reading.reader import Reader
from balcao.web.api import Block, gather_blocks
from balcao.web.visit import PageRequest

T = TypeVar("T")

# Search engines show at most this many characters of a description.
_LONGEST_DESCRIPTION = 155
# Read at most this many characters of a visitor's text. The public search has the same limit.
LONGEST_TEXT = 200
# Browsers and proxies may cache a page that contains a stale answer for at most this many seconds.
_SHORT_AGE = 5
# Greater page numbers count as the first page.
_LAST_NUMBER = 500


@dataclass(frozen=True)
class Head:
    """The metadata of a page for search engines and other sites.

    `title` does not contain the city's name. `path` is the canonical address, with its parameters in a fixed order.
    `data` describes the page's subject for search engines (JSON-LD).
    """

    title: str
    description: str = ""
    path: str = ""
    data: Sequence[Mapping[str, Any]] = ()
    is_indexed: bool = True

    @property
    def short_description(self) -> str:
        """Shorten the description at a word to the length that search engines show."""
        text = " ".join(self.description.split())
        if len(text) <= _LONGEST_DESCRIPTION:
            return text
        return text[: _LONGEST_DESCRIPTION - 1].rsplit(" ", 1)[0].rstrip(",;:.") + "…"


class Visit(PageRequest):
    """A page request on the site. It is the first argument of a page function.

    `reader` reads data from the services.
    """

    def __init__(self, site: Site, request: Request, page: Page | None) -> None:
        posted = read_form(request) if page and request.method == "POST" else FormData()
        super().__init__(request, site.environment, posted)
        self.site = site
        self.page = page
        self.reader: Reader = site.make_reader(request.peer, request.id)
        self.has_faults = False
        self._catalogue_checked_at: datetime | None = None

    @cached_property
    def appearance(self) -> Appearance:
        """Return the appearance that the visitor chose."""
        return read_appearance(self.request.headers)

    @property
    def area(self) -> str:
        """Return the name of the page's area, or an empty string for an error page."""
        return self.page.name.partition(".")[0] if self.page else ""

    @property
    def max_age(self) -> int:
        """Return for how many seconds browsers and proxies may cache the page.

        Return 0 if a part of the page could not be read.
        """
        if self.page is None or self.has_faults:
            return 0
        return min(self.page.max_age, _SHORT_AGE) if self.checked_at else self.page.max_age

    @property
    def checked_at(self) -> datetime | None:
        """Return the time of the oldest stale answer on the page, or None.

        Stale answers are used while a service fails.
        """
        return min(filter(None, (self.reader.checked_at, self._catalogue_checked_at)), default=None)

    @property
    def own_address(self) -> str:
        """Return the path and query of the request."""
        query = self.request.query_string.decode("latin-1")
        return f"{self.path}?{query}" if query else self.path

    async def read_catalogue(self) -> Snapshot:
        """Return the published services. Raises ApiFault if the catalogue cannot be read."""
        snapshot = await self.site.catalogue.read()
        self._catalogue_checked_at = self.site.catalogue.checked_at
        return snapshot

    def text(self, name: str) -> str:
        """Return a value that a visitor typed or pasted, without invisible characters.

        Return an empty string if it is missing.
        """
        text = clean_pasted(self.query.first(name)[:LONGEST_TEXT])
        return "".join(sign for sign in text if sign.isprintable()).strip()

    @property
    def number(self) -> int:
        """Return the page number in a list, starting with 1."""
        text = self.query.first("pagina")
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 1
        return number if 1 <= number <= _LAST_NUMBER else 1

    def address(self, name: str, /, _query: Mapping[str, Any] | None = None, **values: object) -> str:
        """Return the address of the page with this name.

        `values` are its path parameters, and `_query` its query parameters.

        Parameters without a value are omitted. The others keep the order of `_query`.
        """
        return self.site.write_address(name, _query, **values)

    def absolute(self, path: str) -> str:
        """Return the absolute address of a path, for search engines and for sharing."""
        return self.site.address + path

    async def read_blocks(self, *reading: Awaitable[T]) -> list[Block[T]]:
        """Run all calls concurrently. If one of them fails, the others still return their results.

        After a failure, browsers do not cache the page.
        """
        blocks = await gather_blocks(*reading)
        self.has_faults = self.has_faults or any(block.fault for block in blocks)
        return blocks

    async def read_block(self, reading: Awaitable[T]) -> Block[T]:
        """Run one call. If it fails, the page is shown without the result, and browsers do not cache the page."""
        (block,) = await self.read_blocks(reading)
        return block

    def show(self, template: str, head: Head, *, status: int = 200, **values: Any) -> Response[Any]:
        """Render a page in the site's frame."""
        text = self.render_text(template, page=self.page, head=head, **values)
        return Response(text.encode(), status=status, media_type=HTML)

    def move(self, address: str) -> Response[Any]:
        """Redirect to the current address of a page."""
        return redirect(address, 301)
