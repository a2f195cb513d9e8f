"""Declarations of the site's areas and their pages.

    pages = Pages("services", "/servicos")

    @pages.get("/{slug}", "Serviço")
    async def show_service(visit: Visit, slug: str) -> Response[Any]: ...

    AREA = Area(pages, MenuEntry("Serviços", "services.list_subjects"))

The routes, the menu, the page that lists all pages and the tests use these declarations. All these pages are anonymous:
they never log a visitor in, and they differ between visitors only in the chosen appearance.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from balcao.web.declaration import DeclaredPage, PageFunction

Footer: TypeAlias = Literal["", "site", "about"]


# The largest form body that an anonymous page accepts, unless the page sets another limit.
SMALL_FORM = 4_096


@dataclass(frozen=True)
class Page(DeclaredPage):
    """A page of the site: one method on one path. Browsers and proxies may use it for `max_age` seconds.

    Search engines may list the page if `is_indexed` is True. `footer` adds it to one of the two lists in the footer:
    pages of the `site`, or pages `about` it.
    """

    max_age: int = 60
    is_indexed: bool = True
    footer: Footer = ""
    body_limit: int = SMALL_FORM


class Pages:
    """The pages of an area, or of one of its modules. `base` is the prefix of all their paths.

    An area with several modules passes their pages as `parts`.
    """

    def __init__(self, area: str, base: str, parts: Sequence["Pages"] = ()) -> None:
        self.area = area
        self.base = base
        self.declared: list[Page] = [page for part in parts for page in part.declared]

    def get(
        self, path: str, label: str, *, max_age: int = 60, is_indexed: bool = True, footer: Footer = ""
    ) -> Callable[[PageFunction], PageFunction]:
        """Declare a page that only reads data."""

        def declare(function: PageFunction) -> PageFunction:
            name = f"{self.area}.{function.__name__}"
            full = self.base + path or "/"
            self.declared.append(Page(name, "GET", full, label, function, max_age, is_indexed, footer))
            return function

        return declare

    def post(self, path: str, label: str, *, body_limit: int = SMALL_FORM) -> Callable[[PageFunction], PageFunction]:
        """Declare the target of a form. Its function redirects, or returns a page that browsers do not cache."""

        def declare(function: PageFunction) -> PageFunction:
            name = f"{self.area}.{function.__name__}"
            path_ = self.base + path
            self.declared.append(Page(name, "POST", path_, label, function, 0, is_indexed=False, body_limit=body_limit))
            return function

        return declare


class MenuEntry(NamedTuple):
    """A menu entry: its text, and the name of the page that it opens."""

    label: str
    page: str


class MapAddress(NamedTuple):
    """An address in the sitemap. `changed_at` is in Unix seconds, or None if it is not known."""

    path: str
    changed_at: int | None = None


class Result(NamedTuple):
    """A search result from an area: its title and address, one line of facts, and a text."""

    title: str
    href: str
    facts: str = ""
    text: str = ""


@dataclass(frozen=True)
class HomePart:
    """A part of the first page. `template` renders the result of `read(visit)`, which it receives as `part`.

    If the result is None, the page omits the part. The parts with the place `now` come first and share one card. Each
    part with the place `side` has its own card. If `read` fails, only this part fails. `subject` then names the missing
    data: "as vagas de emprego".
    """

    place: Literal["now", "side"]
    subject: str
    template: str
    read: Callable[..., Awaitable[Any]]


@dataclass(frozen=True)
class Finder:
    """A search function that adds an area's results to the services. `find(visit, text)` returns the best matches.

    `label` is the heading above the results. `more(visit, text)` returns the address of the page with all matches. If
    the search fails, `subject` names the missing data.
    """

    label: str
    subject: str
    find: Callable[..., Awaitable[Sequence[Result]]]
    more: Callable[..., str]


@dataclass(frozen=True)
class Area:
    """An area of the site: its pages, and what it adds to the menu, the first page, the search and the sitemap.

    - `below` names other areas whose pages also highlight this area's menu entry as the current one.
    - `addresses(visit)` returns the sitemap addresses of pages with parameters. Other pages are added automatically.
    """

    pages: Pages
    menu: MenuEntry | None = None
    below: Sequence[str] = ()
    home: Sequence[HomePart] = ()
    finder: Finder | None = None
    addresses: Callable[..., Awaitable[Sequence[MapAddress]]] | None = None

    @property
    def key(self) -> str:
        """Return the area's name as used in code and templates."""
        return self.pages.area
