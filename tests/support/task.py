"""A task that a person does on the site with the keyboard only, and the number of its steps."""

from urllib.parse import urlsplit

from playwright.sync_api import Locator, Request, expect

from balcao.site.mine.declaration import PREFIX
from balcao_sandbox.identity.demo import people_by_login
from tests.support.keyboard import Keyboard
from tests.support.panel_browser import Screen

# The pages of a login. They are not steps of a task.
_LOGIN = ("/auth/", f"{PREFIX}/entrar", f"{PREFIX}/retorno")


class Task:
    """A task that starts on the first page. Each page load and each submitted form is a step, without the login."""

    def __init__(self, screen: Screen) -> None:
        self.page = screen.page
        self.keys = Keyboard(screen.page)
        self.steps = 0
        self.page.goto("/")
        self.page.on("request", self._count)

    @property
    def main(self) -> Locator:
        return self.page.get_by_role("main")

    @property
    def is_narrow(self) -> bool:
        """Whether the window is as narrow as a phone."""
        return (self.page.viewport_size or {"width": 0})["width"] < 600

    def search(self, text: str) -> None:
        self.keys.fill(self.page.get_by_role("searchbox"), text)
        self.page.keyboard.press("Enter")

    def follow(self, name: str, *, exact: bool = True) -> None:
        """Follow the first link with this name in the content of the page."""
        self.keys.press(self.main.get_by_role("link", name=name, exact=exact).first)

    def follow_menu(self, name: str) -> None:
        """Follow a link of the menu."""
        self.keys.press(self.page.get_by_role("navigation", name="Principal").get_by_role("link", name=name))

    def press(self, name: str) -> None:
        """Press the button with this name in the content of the page."""
        self.keys.press(self.main.get_by_role("button", name=name, exact=True).first)

    def fill(self, label: str, text: str) -> None:
        self.keys.fill(self.page.get_by_label(label, exact=True), text)

    def enter(self, username: str) -> None:
        """Open Minha página and log in."""
        self.keys.press(self.page.get_by_role("banner").get_by_role("link", name="Minha página"))
        self.log_in(username)
        expect(self.page.get_by_role("heading", level=1)).to_contain_text("Olá, ")

    def log_in(self, username: str) -> None:
        """Log in on the provider's page, to which a page of Minha página has redirected."""
        self.fill("CPF ou usuário", username)
        self.fill("Senha", people_by_login()[username].password)
        self.keys.press(self.page.get_by_role("button", name="Entrar"))

    def require_steps(self, most: int) -> None:
        """Check that the task took at most this many steps."""
        assert self.steps <= most, f"{self.steps} steps instead of {most}"

    def _count(self, request: Request) -> None:
        is_redirect = request.redirected_from is not None
        if request.is_navigation_request() and not is_redirect and not urlsplit(request.url).path.startswith(_LOGIN):
            self.steps += 1
