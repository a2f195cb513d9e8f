"""A crawl of everything that the site shows to a citizen.

It opens some pages of each kind, with their links and forms.
"""

import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode, urljoin, urlsplit

import httpx

from balcao.site.areas import AREAS
from balcao.site.mine.declaration import PREFIX
from balcao.site.mine.parts import PARTS
from balcao.web import login
from balcao.web.declaration import DeclaredPage
from tests.support.panel import CitizenClient, PageContent, PageForm

# The crawl opens at most this many addresses of one kind of page. Lists show a few objects in different states.
OF_EACH_KIND = 2
ANONYMOUS = [page for area in AREAS for page in area.pages.declared]
PERSONAL = [page for part in PARTS for page in part.declared]
# The forms that are not declared, because every surface with a login has them.
FRAME = {f"{PREFIX}{login.LOGOUT}", f"{PREFIX}{login.BACKCHANNEL}"}
_WORDS = re.compile(r"\\\{\w+\\\}")


def find_path(page: DeclaredPage) -> str:
    """Return the full path of a declared page, with its parameters in braces."""
    return (PREFIX if page in PERSONAL else "") + page.path or "/"


_PATTERNS = sorted(
    ((re.compile(_WORDS.sub("[^/]+", re.escape(find_path(page)))), page) for page in [*ANONYMOUS, *PERSONAL]),
    key=lambda found: len(found[1].parameters),
)


def find_declared(address: str, method: str) -> DeclaredPage | None:
    """Return the page that is declared for an address. A literal path takes precedence over one with parameters."""
    path = urlsplit(address).path
    return next((page for pattern, page in _PATTERNS if page.method == method and pattern.fullmatch(path)), None)


@dataclass
class Found:
    """The result of a crawl: the responses by address, and the first forms that post to each kind of page."""

    pages: dict[str, httpx.Response] = field(default_factory=dict)
    forms: list[tuple[str, PageForm]] = field(default_factory=list)

    @property
    def posting(self) -> Iterator[tuple[DeclaredPage, str, PageForm]]:
        """Yield the forms that change data, each with its declared target and the address of the page that shows it."""
        for shown_at, form in self.forms:
            page = find_declared(form.action, "POST")
            if form.method == "post" and page is not None:
                yield page, shown_at, form


def crawl(citizen: CitizenClient, *starts: str) -> Found:
    """Open some pages of each kind, starting with these addresses, and remember the pages' forms."""
    found, waiting, kinds = Found(), deque(starts), Counter[str]()
    seen = set(starts)
    while waiting:
        address = waiting.popleft()
        page = find_declared(address, "GET")
        if page is None or kinds[page.name] >= OF_EACH_KIND:
            continue
        kinds[page.name] += 1
        answer = citizen.http.get(address, follow_redirects=True)
        found.pages[address] = answer
        if "text/html" not in answer.headers.get("content-type", ""):
            continue
        content = PageContent(answer.text)
        for form in content.forms:
            form.action = urljoin(address, form.action)
            found.forms.append((address, form))
        searches = [f"{form.action}?{urlencode(form.values)}" for form in content.forms if form.method == "get"]
        for link in [*(urljoin(address, link) for link in content.links), *searches]:
            target = link.partition("#")[0]
            if target.startswith("/") and target not in seen:
                seen.add(target)
                waiting.append(target)
    return found


class Inspector(HTMLParser):
    """The parts of a page that a browser would run or that lead to another host.

    `run` contains scripts, event handlers and addresses with a program. `hosts` contains the hosts to which links,
    forms and pictures lead.
    """

    def __init__(self, answer: httpx.Response) -> None:
        super().__init__()
        self.run: list[str] = []
        self.hosts: set[str] = set()
        self.feed(answer.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "script" and found.get("type") != "application/ld+json":
            self.run.append(tag)
        if tag in {"iframe", "object", "embed", "base"}:
            self.run.append(tag)
        for name, value in found.items():
            if name.startswith("on") or name in {"style", "srcdoc"}:
                self.run.append(f"{tag} {name}")
            if name in {"href", "src", "action", "formaction"}:
                if re.match(r"\s*(javascript|data|vbscript):", value, re.IGNORECASE):
                    self.run.append(f"{tag} {value}")
                self.hosts.add(urlsplit(value).netloc)
