"""One window of a fresh browser, with everything it asked for and everything it complained of."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page

DESKTOP, PHONE = 1100, 360
WORST = ("error", "warning")


class Window:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.asked: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in WORST:
            self.complaints.append(f"{message.text} ({message.location['url']})")

    @property
    def strangers(self) -> list[str]:
        """What it asked for that is not of this machine; images inside a style sheet are no request."""
        return [url for url in self.asked if not url.startswith("data:") and urlsplit(url).hostname != "127.0.0.1"]

    @property
    def focused(self) -> Locator:
        return self.page.locator(":focus")

    def wider_than_the_screen(self) -> list[str]:
        """Return the elements that a person would have to scroll sideways for, on the page or inside a part of it.

        A picture may be wider than a phone where it scrolls by itself, by keyboard too (WCAG 1.4.10 excepts it).
        """
        return list(
            self.page.evaluate(
                """() => [...document.querySelectorAll("body, body *")]
                    .filter(element => element.getBoundingClientRect().right > window.innerWidth + 1)
                    .filter(element => !element.closest('[role="region"][tabindex="0"] > svg'))
                    .map(element => element.tagName + " " + element.textContent.trim().slice(0, 40))"""
            )
        )


@contextmanager
def opened(browser: Browser, address: str, width: int = DESKTOP) -> Iterator[Window]:
    """Paths are relative to the address; cookies end with the window."""
    viewport = {"width": width, "height": 760}
    with browser.new_context(base_url=address, locale="pt-BR", viewport=viewport) as context:  # type: ignore[arg-type]
        yield Window(context.new_page())
