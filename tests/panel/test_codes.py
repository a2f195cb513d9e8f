"""Pages use plain words. The platform's codes appear only in a page's technical details."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from balcao.panel.areas import AREAS
from balcao.panel.declaration import PREFIX, Page
from tests.support.panel import PanelClient
from tests.support.sandbox import Sandbox

LISTED = [page for area in AREAS for page in area.pages.declared if page.method == "GET" and not page.parameters]
OPENED = {page.address() for page in LISTED}
# Rights (`pet:read`), members and kinds (`tutor_id`), Python values, names of settings, Markdown.
CODE = re.compile(r"\b[a-z][a-z_]*:[a-z][a-z_:]*\b|\b[a-z]+(?:_[a-z]+)+\b|\bBALCAO_\w+|\b(?:True|False|None)\b|`")
_VOID = {"input", "meta", "link", "br", "img", "hr", "col", "use", "path", "rect", "line", "circle", "polyline"}


class Shown(HTMLParser):
    """Parses the visible text of a page, without technical details, proper names, input values and scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text: list[str] = []
        self._hidden: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        if tag not in _VOID and (
            self._hidden or {"tech", "given"} & set(classes) or tag in {"textarea", "script", "style"}
        ):
            self._hidden.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._hidden:
            while self._hidden.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.text.append(data)


def find_codes(page: str) -> set[str]:
    return {found for text in Shown(page).text for found in CODE.findall(text)}


@pytest.fixture(scope="module")
def kleber(sandbox: Sandbox) -> Iterator[PanelClient]:
    with PanelClient(sandbox.url) as opened:
        opened.login("kleber")
        yield opened


@pytest.mark.parametrize("page", LISTED, ids=lambda page: page.path or "/")
def test_a_page_shows_no_code_outside_its_technical_details(kleber: PanelClient, page: Page) -> None:
    answer = kleber.get(page.address())
    if "text/html" in answer.headers["content-type"]:  # files for programs may contain codes
        assert find_codes(answer.text) == set()


def find_links_of_other_pages(panel: PanelClient) -> dict[str, str]:
    """Return the first link to each page with parameters, found on the pages without parameters."""
    patterns = [
        (page.name, re.compile(PREFIX + re.sub(r"\{\w+\}", "[^/?]+", page.path) + r"(\?.*)?"))
        for area in AREAS
        for page in area.pages.declared
        if page.method == "GET" and page.parameters
    ]
    found: dict[str, str] = {}
    for page in LISTED:
        panel.get(page.address())
        for link in panel.page.links:
            for name, pattern in patterns:
                if name not in found and pattern.fullmatch(link) and link not in OPENED:
                    found[name] = link
    return found


@pytest.mark.long
def test_a_page_about_one_thing_shows_no_code_outside_its_technical_details(kleber: PanelClient) -> None:
    links = find_links_of_other_pages(kleber)
    assert {"access.show_action", "access.show_role", "access.show_person", "operation.change_limit"} <= links.keys()
    shown = {name: kleber.get(link) for name, link in links.items()}
    codes = {
        name: find_codes(answer.text) for name, answer in shown.items() if "html" in answer.headers["content-type"]
    }
    assert {name: found for name, found in codes.items() if found} == {}
