"""The front door and the guides in a real browser: for every eye and width, without script."""

import pytest
from playwright.sync_api import Browser

from balcao.gateway.portal import guides
from tests.support.screen import opened_screen
from tests.support.server import RunningServer

pytestmark = [pytest.mark.page, pytest.mark.node]
PATHS = ["/docs", *sorted(guides.list_paths())]


@pytest.fixture(scope="module")
def address(server: RunningServer) -> str:
    return server.url


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_everybody_can_use_the_pages(browser: Browser, address: str, width: int, scheme: str) -> None:
    with opened_screen(browser, address, width, color_scheme=scheme) as screen:
        for path in PATHS:
            screen.open(path)
            assert screen.axe() == [], path
            assert screen.wider_than_the_screen() == [], path
            assert screen.page.get_by_role("main").count() == 1
        assert screen.complaints == []
        assert screen.strangers == []
