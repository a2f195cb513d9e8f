"""The risk board updates itself, and warns when it can no longer do so."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.panel_browser import Screen

pytestmark = [pytest.mark.page, pytest.mark.node]

BOARD = "/painel/saude/risco"


@pytest.mark.long
def test_what_another_opens_comes_by_itself(screen_of: Callable[..., Screen], open_one: Callable[..., str]) -> None:
    screen = screen_of()
    screen.login("rui", BOARD)
    expect(screen.page.locator("[data-live-word]")).to_have_text("Ao vivo")
    open_one("9900016", "Laranja")
    expect(screen.page.get_by_role("row").filter(has_text="do Mercado")).to_contain_text("Laranja")
    expect(screen.page.locator(".map")).to_contain_text("CMS do Mercado · Laranja")


def test_a_board_that_hears_nothing_says_its_age_and_after_two_minutes_that_nobody_may_trust_it(
    screen_of: Callable[..., Screen],
) -> None:
    screen = screen_of()
    screen.page.clock.install()
    screen.page.route(f"**{BOARD}/ao-vivo*", lambda route: route.abort())  # an open stream survives while offline
    screen.login("rui", BOARD)
    warning = screen.page.get_by_role("alert").filter(has_text="Não confie neste quadro")
    expect(warning).to_be_hidden()
    screen.page.context.set_offline(True)
    screen.page.clock.fast_forward("00:40")
    expect(screen.page.locator("[data-live-word]")).to_contain_text("Parado: conferido há")
    expect(warning).to_be_hidden()
    screen.page.clock.fast_forward("01:30")
    expect(warning).to_be_visible()
    expect(warning).to_contain_text("há 2 minutos")
    assert screen.axe() == []
    screen.page.context.set_offline(False)
    screen.page.clock.fast_forward("00:10")
    expect(warning).to_be_hidden()
