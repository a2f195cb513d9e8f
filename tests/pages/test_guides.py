"""The front door, guides and pages about operations in a real browser: for every eye and width, without script."""

import pytest
from playwright.sync_api import Browser

from balcao.gateway.portal import guides, own_calls, search_page
from balcao.gateway.portal.operation_pages import ROOTS
from tests.support.screen import opened_screen
from tests.support.server import RunningServer
from tests.support.sizes import FULL

pytestmark = [pytest.mark.page, pytest.mark.node]
# What each kind of page about operations may hold: parameters and a body, a stream, and next to nothing.
OPERATIONS = [
    "",
    "/registry",
    "/registry/change_preferences",
    "/health_units/stream_changes",
    "/agent_docs/read_description",
]
PATHS = [
    "/docs",
    own_calls.PATH,
    *search_page.PATHS.values(),
    *sorted(guides.list_paths()),
    *(root + below for root in ROOTS.values() for below in OPERATIONS),
]


@pytest.fixture(scope="module")
def address(server: RunningServer) -> str:
    return server.url


LOOKS = [(width, scheme) for width in (360, 1280) for scheme in ("light", "dark")]


@pytest.mark.parametrize("place", range(len(LOOKS)), ids=["-".join(map(str, look)) for look in LOOKS])
def test_everybody_can_use_the_pages(browser: Browser, address: str, place: int) -> None:
    """Each page in one look, and in a proof in all of them."""
    width, scheme = LOOKS[place]
    with opened_screen(browser, address, width, color_scheme=scheme) as screen:
        for path in PATHS if FULL else PATHS[place :: len(LOOKS)]:
            screen.open(path)
            assert screen.axe() == [], path
            assert screen.wider_than_the_screen() == [], path
            assert screen.page.get_by_role("main").count() == 1
        assert screen.complaints == []
        assert screen.strangers == []
        screen.open("/docs/nada")
        assert screen.page.get_by_role("heading").inner_text() == "Página não encontrada"
        assert (screen.axe(), screen.wider_than_the_screen()) == ([], [])
