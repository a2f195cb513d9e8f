"""Declarations of the site's areas and their pages.

    pages = Pages("services", "/servicos")

    @pages.get("/{slug}", "Serviço")
    async def show_service(visit: Visit, slug: str) -> Response[Any]: ...

    AREA = Area(pages, MenuEntry("Serviços", "services.list_subjects"))

The routes, the menu, the page of all pages and the tests use these declarations. All pages are anonymous: they set no
cookie and are the same for every visitor.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from balcao.web.declaration import DeclaredPage, PageFunction

Footer: TypeAlias = Literal["", "site", "about"]


# The largest form of an anonymous page, unless the page says otherwise.
SMALL_FORM = 4_096


@dataclass(frozen=True)
class Page(DeclaredPage):
    """One address of the site. Browsers and proxies may use a page for `max_age` seconds.

    Search engines may list a page that `is_indexed`. `footer` adds the page to one of the two lists in the footer:
    pages of the `site`, or pages `about` it.
    """

    max_age: int = 60
    is_indexed: bool = True
    footer: Footer = ""
    body_limit: int = SMALL_FORM


class Pages:
    """The pages of an area or of one of its modules. `base` is the prefix of all their paths.

    An area with several modules combines their pages from `parts`.
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
        """Declare the target of a form. Its function redirects to a page, or shows one that no browser stores."""

        def declare(function: PageFunction) -> PageFunction:
            name = f"{self.area}.{function.__name__}"
            path_ = self.base + path
            self.declared.append(Page(name, "POST", path_, label, function, 0, is_indexed=False, body_limit=body_limit))
            return function

        return declare


class MenuEntry(NamedTuple):
    """An entry of the menu: its text, and the name of the page that it opens."""

    label: str
    page: str


class MapAddress(NamedTuple):
    """An address for search engines. `changed_at` is in Unix seconds, or None if it is not known."""

    path: str
    changed_at: int | None = None


class Result(NamedTuple):
    """A result of the search in an area: its title and address, one line of facts, and a text."""

    title: str
    href: str
    facts: str = ""
    text: str = ""


@dataclass(frozen=True)
class HomePart:
    """A part of the first page. `template` renders the result of `read(visit)`, which it receives as `part`.

    If the result is None, the page omits the part. Parts at `now` come first and share a card. Parts at the `side` have
    a card each. If `read` fails, only this part fails, and `subject` names the missing data: "as vagas de emprego".
    """

    place: Literal["now", "side"]
    subject: str
    template: str
    read: Callable[..., Awaitable[Any]]


@dataclass(frozen=True)
class Finder:
    """A search that adds an area's results to those of the services. `find(visit, text)` returns the best matches.

    `label` is the heading of the results. `more(visit, text)` returns the address of the page with all matches.
    `subject` names the data if the search fails.
    """

    label: str
    subject: str
    find: Callable[..., Awaitable[Sequence[Result]]]
    more: Callable[..., str]


@dataclass(frozen=True)
class Area:
    """An area of the site: its pages, and what it adds to the menu, the first page, the search and the sitemap.

    - `below` are the names of other areas whose pages show this area's entry of the menu as the current one.
    - `addresses(visit)` returns addresses for search engines, beyond the pages without parameters.
    """

    pages: Pages
    menu: MenuEntry | None = None
    below: Sequence[str] = ()
    home: Sequence[HomePart] = ()
    finder: Finder | None = None
    addresses: Callable[..., Awaitable[Sequence[MapAddress]]] | None = None

    @property
    def key(self) -> str:
        """Return the name of the area in code and templates."""
        return self.pages.area
