"""A crawl of the panel as one person sees it.

The crawl opens some pages of each kind, and follows the links and search forms on these pages.
"""

import re
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

import httpx

from balcao.panel.areas import PAGES
from balcao.panel.declaration import PREFIX, Page
from tests.support.panel import PageContent, PageForm, PanelClient

# Addresses outside all areas. Every person who is logged in may use them.
FRAME = re.compile(rf"{PREFIX}/(sair|entrar|recursos/[^/]+)")
# The message that a page shows instead of a part if the part's service did not respond.
AWAY = "Não foi possível ler"
_PATHS = sorted(
    ((re.compile(PREFIX + re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(page.path))), page) for page in PAGES.values()),
    key=lambda found: len(found[1].parameters),
)


def find_page(address: str, method: str) -> Page | None:
    """Return the page that is declared for an address. A literal path takes precedence over one with parameters."""
    path = urlsplit(address).path
    return next((page for pattern, page in _PATHS if page.method == method and pattern.fullmatch(path)), None)


def list_missing(page: Page, rights: Mapping[str, object]) -> list[str]:
    """Return the actions of the page if the person has none of them, and otherwise an empty list."""
    return [] if not page.actions or any(action in rights for action in page.actions) else list(page.actions)


@dataclass(frozen=True)
class Seen:
    """A page that was opened: its address, the page that links to it, and the response."""

    address: str
    found_on: str
    answer: httpx.Response

    @cached_property
    def content(self) -> PageContent:
        return PageContent(self.answer.text if self.is_html else "")

    @property
    def is_html(self) -> bool:
        return "text/html" in self.answer.headers["content-type"]

    @property
    def addresses(self) -> list[str]:
        """Return the addresses of links, of search forms, and of requests that the page's script makes."""
        asked = re.findall(r'hx-get="([^"]*)"', self.answer.text) if self.is_html else []
        searches = [form for form in self.content.forms if form.method == "get"]
        gets = [f"{form.action}?{urlencode(form.values | form.checked)}" for form in searches]
        found = [*self.content.links, *gets, *(each.replace("&amp;", "&") for each in asked)]
        return [urljoin(self.address, address) for address in found if not address.startswith("#")]

    @property
    def buttons(self) -> list[tuple[str, PageForm]]:
        """Return the forms that change data, each with the address to which it posts."""
        posting = [form for form in self.content.forms if form.method == "post"]
        return [(urljoin(self.address, form.action), form) for form in posting]


@dataclass
class Crawl:
    """A crawl of everything that a logged-in person can reach from the first page and from the page `begin`.

    The crawl opens at most `most` pages of each kind. Pages are of the same kind if they are the same declared page
    with the same query parameter names.
    """

    person: PanelClient
    most: int
    begin: str = PREFIX
    seen: list[Seen] = field(default_factory=list)

    def run(self) -> "Crawl":
        """Open all pages breadth-first."""
        known = {PREFIX, self.begin}
        waiting = deque((address, "") for address in sorted(known))
        kinds: Counter[object] = Counter()
        while waiting:
            address, found_on = waiting.popleft()
            page = find_page(address, "GET")
            kind = (page and page.name, tuple(sorted({name for name, _ in parse_qsl(urlsplit(address).query)})))
            if kinds[kind] >= self.most:
                continue
            kinds[kind] += 1
            opened = Seen(address, found_on, self.person.http.get(address, follow_redirects=True))
            self.seen.append(opened)
            for each in opened.addresses:
                target = each.partition("#")[0]
                if target not in known and _is_page(target):
                    known.add(target)
                    waiting.append((target, address))
        return self


def _is_page(address: str) -> bool:
    path = urlsplit(address).path
    return (path == PREFIX or path.startswith(f"{PREFIX}/")) and not FRAME.fullmatch(path)
