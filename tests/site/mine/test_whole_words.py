"""On the screen of a telephone, no word of a citizen's page is broken."""

from collections.abc import Callable

import pytest

from balcao.site.mine.declaration import PREFIX
from tests.site.mine.test_axe import log_in
from tests.site.test_narrow_screens import BROKEN
from tests.support.panel_browser import Screen

pytestmark = pytest.mark.page


@pytest.mark.parametrize("width", [320, 360])
def test_steps_buttons_and_labels_break_only_between_words(screen_of: Callable[..., Screen], width: int) -> None:
    screen = screen_of(width)
    log_in(screen, "ana")
    screen.page.get_by_text("Entrevista").first.wait_for()  # the longest word of her steps
    requests = f"main a[href^='{PREFIX}/pedidos/PED-']"
    screen.open(f"{PREFIX}/pedidos")
    shown = [link.get_attribute("href") or "" for link in screen.page.locator(requests).all()]
    assert shown
    for path in (PREFIX, f"{PREFIX}/candidaturas", *shown):
        screen.open(path)
        assert screen.page.evaluate(BROKEN) == [], path
        assert screen.wider_than_the_screen() == [], path
