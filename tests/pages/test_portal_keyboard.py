"""With only a keyboard and without scripts, a person reaches every kind of page from the portal's first page."""

import pytest
from playwright.sync_api import Browser, expect

from tests.support.keyboard import Keyboard
from tests.support.panel_browser import opened_screen
from tests.support.server import RunningServer

pytestmark = [pytest.mark.page, pytest.mark.long]
# The links to follow in this order, each with the heading of the page to which it leads.
WAYS = {
    "a guide, and the next one": [
        ("A primeira chamada, na sua linguagem", "A primeira chamada, na sua linguagem"),
        ("Fazer o login de uma pessoa", "Fazer o login de uma pessoa"),
        ("In English", "Log a person in"),
    ],
    "an operation": [
        ("Todas as operações", "Operações"),
        ("Registro do cidadão", "Registro do cidadão"),
        ("Animais do cidadão", "Animais do cidadão"),
        ("a primeira chamada", "A primeira chamada, na sua linguagem"),
    ],
    "the status": [("Situação dos serviços", "Situação dos serviços")],
}


@pytest.fixture(scope="module")
def address(server: RunningServer) -> str:
    return server.url


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("way", WAYS)
def test_the_keyboard_alone_leads_to(browser: Browser, address: str, way: str, width: int) -> None:
    with opened_screen(browser, address, width, java_script_enabled=False) as screen:
        screen.open("/docs")
        keyboard = Keyboard(screen.page)
        for link, heading in WAYS[way]:
            keyboard.press(screen.page.get_by_role("link", name=link, exact=True).first)
            expect(screen.page.get_by_role("heading", level=1, name=heading, exact=True)).to_be_visible()


def test_the_keyboard_alone_asks_for_own_calls_and_is_told_what_is_wrong(browser: Browser, address: str) -> None:
    with opened_screen(browser, address, java_script_enabled=False) as screen:
        screen.open("/docs")
        keyboard = Keyboard(screen.page)
        keyboard.press(screen.page.get_by_role("link", name="As chamadas do meu cliente"))
        keyboard.fill(screen.page.get_by_label("Token"), "nada")
        keyboard.press(screen.page.get_by_role("button", name="Mostrar"))
        expect(screen.page.get_by_role("alert")).to_contain_text("O token não é válido")
