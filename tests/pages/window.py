"""A browser window that records its requests, and the errors and warnings in its console."""

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
        """Return the requested addresses that are on other hosts. A `data:` URL causes no network request."""
        return [url for url in self.asked if not url.startswith("data:") and urlsplit(url).hostname != "127.0.0.1"]

    @property
    def focused(self) -> Locator:
        return self.page.locator(":focus")

    def wider_than_the_screen(self) -> list[str]:
        """Return the elements that force a person to scroll sideways.

        An image inside a scrollable region may be wider than a phone (WCAG 1.4.10).
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
    """Yield a window in a new browser context. Paths are relative to `address`."""
    viewport = {"width": width, "height": 760}
    with browser.new_context(base_url=address, locale="pt-BR", viewport=viewport) as context:  # type: ignore[arg-type]
        yield Window(context.new_page())
