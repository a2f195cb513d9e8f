"""What a page weighs: a counter may hang on a line of a few megabits, shared by a whole building."""

import gzip
import re

import pytest

from balcao.console.areas import AREAS
from tests.support.panel import PanelClient
from tests.support.sandbox import Sandbox

IN_MENU = [page.address() for area in AREAS for page in area.pages.declared if page.in_menu]
KILOBYTE = 1000


@pytest.fixture(scope="module")
def pages(sandbox: Sandbox) -> dict[str, bytes]:
    """Every page of the navigation, as the administrator gets it."""
    with PanelClient(sandbox.url) as opened:
        opened.login("kleber")
        return {address: opened.get(address).content for address in IN_MENU}


def test_the_first_page_with_all_of_its_files_is_small(panel: PanelClient, sandbox: Sandbox) -> None:
    panel.login("kleber")
    page = panel.get("/painel").text
    files = set(re.findall(r'(?:href|src)="(/painel/recursos/[^"#]+)', page))
    bodies = [page.encode(), *(panel.http.get(file).content for file in files)]
    assert sum(map(len, bodies)) <= 100 * KILOBYTE
    assert sum(len(gzip.compress(body)) for body in bodies) <= 30 * KILOBYTE


@pytest.mark.parametrize("address", IN_MENU)
def test_a_later_page_is_small_too(pages: dict[str, bytes], address: str) -> None:
    assert len(gzip.compress(pages[address])) <= 12 * KILOBYTE


@pytest.mark.parametrize("address", IN_MENU)
def test_a_page_asks_for_nothing_from_elsewhere(pages: dict[str, bytes], address: str) -> None:
    asked = re.findall(r'(?:src|href|action)="(https?:)?//', pages[address].decode())
    assert asked == []
