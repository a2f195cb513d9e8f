"""If the stream of a live board breaks, the board shows that it is no longer live, and later recovers without help."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Response, expect

from tests.panel.test_axe import assert_usable
from tests.support.cuttable_connection import Line
from tests.support.panel_browser import Screen
from tests.support.polling import PATIENCE

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]

BOARD, NEW_GROUP = "/painel/saude/risco", "/painel/acessos/grupos/novo"
LONG = PATIENCE * 1000


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("balcao.panel.live.LONGEST_PAUSE_SECONDS", 1.0)


@pytest.fixture(autouse=True)
def mended(line: Line) -> Iterator[None]:
    """Restore the connection after each test, even if it failed."""
    yield
    line.mend()


def is_refused_stream(answer: Response) -> bool:
    return answer.url.partition("?")[0].endswith("/risco/ao-vivo") and answer.status >= 500


def test_a_stream_that_breaks_is_said_on_the_open_board_which_comes_back_by_itself(
    screen_of: Callable[..., Screen], line: Line
) -> None:
    screen = screen_of()
    screen.page.clock.install()
    screen.login("rui", BOARD)
    by_stream, word = screen.page.locator("[data-by=stream]"), screen.page.locator("[data-live-word]")
    expect(by_stream).to_be_visible(timeout=LONG)
    expect(word).to_have_text("Ao vivo")
    # A browser stops reconnecting to a stream once a reconnection fails with an error status.
    with screen.page.expect_response(is_refused_stream, timeout=LONG):
        line.cut()
        expect(by_stream).to_be_hidden(timeout=LONG)
    screen.page.clock.fast_forward("00:40")
    expect(word).to_contain_text("Parado", timeout=LONG)
    assert screen.axe() == []
    line.mend()
    screen.page.clock.fast_forward("00:11")
    expect(by_stream).to_be_visible(timeout=LONG)
    expect(word).to_have_text("Ao vivo", timeout=LONG)


def test_nothing_is_wrong_with_the_pages_of_services_that_are_away(
    screen_of: Callable[..., Screen], line: Line
) -> None:
    screen = screen_of()
    screen.login("kleber", NEW_GROUP)
    screen.page.get_by_label("Nome").fill("prova:acessivel")
    line.cut()
    screen.page.locator("main form button").first.click()
    expect(screen.page.get_by_text("não se perdeu")).to_be_visible()
    assert_usable(screen, "a form that was sent while a service was away")
    screen.open(BOARD)
    assert_usable(screen, "a page whose services are away")
