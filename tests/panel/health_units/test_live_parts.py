"""Parts that refresh themselves keep the focused element, and announce changes in a status line."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.panel_browser import Screen

pytestmark = pytest.mark.page

BOARD = "/painel/saude/risco"


def mark(page: Page, selector: str) -> None:
    """Focus an element, and mark it and the status line, so that `assert_same` detects if either is replaced."""
    page.locator(selector).first.focus()
    page.evaluate("document.activeElement.isMarked = document.querySelector('#novidade').isMarked = true")


def assert_same(page: Page) -> None:
    assert page.evaluate("document.activeElement.isMarked === true"), "the focused element was replaced"
    assert page.evaluate("document.querySelector('#novidade').isMarked === true"), "the status line was replaced"


@pytest.mark.long
def test_the_board_keeps_the_focus_and_announces_what_another_opens(
    screen_of: Callable[..., Screen], open_one: Callable[..., str]
) -> None:
    open_one("9900014", "Amarelo")
    screen = screen_of()
    screen.login("rui", BOARD)
    expect(screen.page.locator("[data-live-word]")).to_have_text("Ao vivo")
    mark(screen.page, "#mudar-9900014")
    open_one("9900016", "Laranja")
    expect(screen.page.locator("#novidade")).to_contain_text("do Mercado")
    expect(screen.page.get_by_role("row").filter(has_text="do Mercado")).to_contain_text("Laranja")
    assert_same(screen.page)
    screen.page.keyboard.press("Enter")
    expect(screen.page.get_by_role("heading", level=1)).to_contain_text("Mudar")
    assert screen.complaints == []


@pytest.mark.parametrize("path", ["/painel/operacao", "/painel/operacao/importacoes"])
def test_a_page_of_progress_keeps_the_focus(screen: Screen, path: str) -> None:
    screen.page.clock.install()
    screen.login("kleber", path)
    mark(screen.page, "#ler-de-novo")
    with screen.page.expect_response(lambda answer: "hx-request" in answer.request.headers):
        screen.page.clock.fast_forward("00:11")
    screen.page.clock.fast_forward("00:01")
    assert_same(screen.page)
    assert screen.complaints == []
