"""Steps of a task on the site, done only with the keyboard."""

from balcao_sandbox.identity.demo import people_by_login
from tests.support.keyboard import Keyboard
from tests.support.panel_browser import Screen


def log_in(screen: Screen, keys: Keyboard, username: str) -> None:
    """Log in on the provider's page, to which a page of Minha página has redirected."""
    keys.fill(screen.page.get_by_label("CPF ou usuário"), username)
    keys.fill(screen.page.get_by_label("Senha"), people_by_login()[username].password)
    keys.press(screen.page.get_by_role("button", name="Entrar"))


def follow(screen: Screen, keys: Keyboard, name: str, *, exact: bool = False) -> None:
    """Follow a link in the content of the page."""
    keys.press(screen.page.get_by_role("main").get_by_role("link", name=name, exact=exact).first)


def press(screen: Screen, keys: Keyboard, name: str) -> None:
    """Press a button."""
    keys.press(screen.page.get_by_role("button", name=name, exact=True))
