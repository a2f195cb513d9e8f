"""A person who does a task in a real browser, in one of the modes in `task_modes.py`."""

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, Response, expect

from tests.support.demo_people import CARLA
from tests.support.keyboard import Keyboard
from tests.support.panel_browser import Screen
from tests.support.polling import until_now
from tests.support.proof_sizes import FULL
from tests.support.task_modes import Mode

# The CPF of the citizen in the tasks, with and without punctuation. No address, title or cookie may contain it.
CPFS = {CARLA, "900.000.003-37"}


class Person:
    """A person who finds elements by their visible labels. Tests use `page`, Playwright's page, for expectations."""

    def __init__(self, screen: Screen, way: Mode) -> None:
        self.screen = screen
        self.way = way
        self._keyboard = Keyboard(screen.page)

    @property
    def page(self) -> Page:
        return self.screen.page

    @property
    def main(self) -> Locator:
        return self.page.get_by_role("main")

    @property
    def heading(self) -> Locator:
        return self.page.get_by_role("heading", level=1)

    def login(self, username: str, path: str = "/painel") -> None:
        """Log in as a demo person, which leads to the page `path`."""
        self.screen.login(username, path)
        self.arrive()

    def open(self, path: str) -> Response:
        """Open a page by its address."""
        answer = self.screen.open(path)
        self.arrive()
        return answer

    def press(self, name: str, within: Locator | None = None, *, exact: bool = True) -> None:
        """Press the first button with this name. Without `exact`, the name only has to contain this text."""
        self.leave((within or self.main).get_by_role("button", name=name, exact=exact).first)

    def follow(self, name: str, within: Locator | None = None, *, exact: bool = False) -> None:
        """Follow the first link whose name contains this text. With `exact`, the name must be this text."""
        self.leave((within or self.main).get_by_role("link", name=name, exact=exact).first)

    def visit_area(self, label: str) -> None:
        """Open a page from the navigation, whatever count is next to its entry. On a phone, open “Menu” first."""
        if self.way.width < 820:
            self.act(self.page.get_by_text("Menu", exact=True))
            areas = self.page.get_by_role("navigation", name="Menu")
        else:
            areas = self.page.get_by_role("navigation", name="Áreas")
        named = re.compile(rf"^{re.escape(label)}( \d.*)?$")
        self.leave(areas.get_by_role("link", name=named).first)

    def leave(self, target: Locator) -> None:
        """Use an element that leads to another page, and wait for the page.

        Playwright itself waits after a click, but not after a key press.
        """
        if self.way.by_keyboard:
            with self.page.expect_navigation():
                self.act(target)
        else:
            self.act(target)
        self.arrive()

    def act(self, target: Locator) -> None:
        """Press, follow or expand an element."""
        if self.way.by_keyboard:
            self._keyboard.press(target)
        else:
            target.click()

    def fill(self, label: str, text: str) -> None:
        """Replace the text of a field."""
        field = self.field(label)
        if self.way.by_keyboard:
            self._keyboard.fill(field, text)
        else:
            field.fill(text)

    def select(self, label: str, option: str) -> None:
        """Select an option by its text or value."""
        field = self.field(label)
        if self.way.by_keyboard:
            self._keyboard.select(field, option)
        else:
            field.select_option(option)

    def tick(self, label: str, checked: bool = True) -> None:
        """Check a checkbox or choose a radio button. A part of its label is enough to find it."""
        field = self.main.get_by_label(label).first
        if self.way.by_keyboard:
            self._keyboard.set_checked(field, checked)
        else:
            field.set_checked(checked)

    def field(self, label: str) -> Locator:
        """Return the field with exactly this label."""
        fields = self.page.locator("input, select, textarea")  # other parts of a page may use the same label
        return self.main.get_by_label(label, exact=True).and_(fields).first

    def save(self, press: Callable[[], Any]) -> str:
        """Return the content of the text file that pressing the button downloads."""
        with self.page.expect_download() as download:
            press()
        return download.value.path().read_text("utf-8-sig")

    def arrive(self) -> None:
        """Check the page that is now open: no CPF in address, title or cookies, and not wider than the screen."""
        self.page.wait_for_load_state()
        named = f"{self.page.url} {self.page.title()} {self.page.context.cookies()}"
        assert not any(cpf in named for cpf in CPFS)
        if self.way.has_script:
            assert self.screen.wider_than_the_screen() == [], self.page.url
            if FULL and not self.way.by_keyboard:
                self.look()

    def look(self) -> None:
        """Expect that axe finds no violation. Without scripts, check nothing, because axe is a script."""
        if self.way.has_script:
            assert self.screen.axe() == [], self.page.url

    def expect_progress(self, text: str, timeout: float) -> None:
        """Expect the result of a long-running task.

        Without scripts, follow the link with which the page is reloaded.
        """
        told = self.main.get_by_text(text)
        if self.way.has_script:
            expect(told).to_be_visible(timeout=timeout)
        else:
            until_now(lambda: told.is_visible() or self._read_again())

    def _read_again(self) -> bool:
        self.follow("Ler de novo")
        return False

    def expect_text(self, text: Any) -> None:
        expect(self.main).to_contain_text(text)
