"""A person who uses the panel in a real browser, and checks that its pages are accessible."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Response

from balcao_sandbox.identity.demo import people_by_login
from tests.pages.window import Window
from tests.support import npm_tools

AXE = """async () => {
    const found = await axe.run(document, { resultTypes: ["violations"] });
    return found.violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html, nodes[0].failureSummary]);
}"""


class Screen(Window):
    """A browser window that shows the panel."""

    def login(self, username: str, path: str = "/painel") -> None:
        """Open `path`, and log in as a demo person on the provider's page."""
        self.page.goto(path)
        self.page.get_by_label("CPF ou usuário").fill(username)
        self.page.get_by_label("Senha").fill(people_by_login()[username].password)
        self.page.get_by_role("button", name="Entrar").click()
        self.page.wait_for_url("**/painel**")

    def open(self, path: str) -> Response:
        """Open a page of the panel."""
        answer = self.page.goto(path)
        assert answer is not None
        return answer

    def unfold_filters(self) -> None:
        """Show the fields above a list. If there are many, a phone collapses them."""
        fold = self.page.locator(".fold summary")
        if fold.is_visible():
            fold.click()

    def axe(self) -> list[Any]:
        """Return all violations that axe finds.

        Playwright injects axe, bypassing the page's content security policy.
        """
        self.page.evaluate((npm_tools.modules() / "axe-core" / "axe.min.js").read_text("utf-8"))
        return list(self.page.evaluate(AXE))

    def screenshot(self, file: Path) -> None:
        """Take a screenshot of the whole page."""
        self.page.screenshot(path=file, full_page=True)


@contextmanager
def opened_screen(browser: Browser, address: str, width: int = 1280, **options: Any) -> Iterator[Screen]:
    """Yield a window. `options` are Playwright's options for a browser context, such as `color_scheme`."""
    viewport = {"width": width, "height": 800}
    with browser.new_context(base_url=address, locale="pt-BR", viewport=viewport, **options) as context:  # type: ignore[arg-type]
        yield Screen(context.new_page())
