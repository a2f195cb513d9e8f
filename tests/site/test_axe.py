"""Axe finds no violation on the pages of the site, in any of their states, and no page is wider than its screen."""

from collections.abc import Callable

import pytest

from tests.site.test_pages import PAGES, SERVICE
from tests.support.panel_browser import Screen
from tests.support.proof_sizes import choose_looks

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]

LOOKS = choose_looks(1280, 360, 320)
STATES = [
    f"{SERVICE}/opiniao",
    f"{SERVICE}/opiniao?guardada=sim",
    "/nada",
    "/busca?q=zzqxy+wvutsr",
    "/busca?q=licen%C3%A7a&assunto=Licen%C3%A7as",
    "/busca?q=imposto+predal",
]


@pytest.fixture(params=LOOKS, ids=lambda look: "-".join(map(str, look)))
def screen(request: pytest.FixtureRequest, screen_of: Callable[..., Screen]) -> Screen:
    width, scheme = request.param
    return screen_of(width, color_scheme=scheme)


def test_every_page_and_state(screen: Screen) -> None:
    for path in (*PAGES, *STATES):
        screen.open(path)
        screen.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        assert screen.axe() == [], path
        assert screen.wider_than_the_screen() == [], path
    assert [one for one in screen.complaints if "404" not in one] == []
    assert screen.strangers == []
