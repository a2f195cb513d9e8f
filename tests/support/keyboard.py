"""A person who has only a keyboard, uses Tab, Enter, Space and the arrow keys, and types."""

import re

from playwright.sync_api import Locator, Page, expect

# No page has this many tab stops, so pressing Tab this often reaches each of them at least once.
STOPS = 400

SHOWN = """element => {
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    return outlined && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
}"""
IS_FOCUSED = "element => element === document.activeElement"
GROUP_IS_FOCUSED = "element => document.activeElement.name === element.name && document.activeElement.type === 'radio'"
CHOSEN = "element => element.selectedOptions[0].text.trim()"
OPTIONS = "element => [...element.options].map(option => [option.value, option.text.trim()])"


class Keyboard:
    """Acts on elements with the keyboard.

    An action fails if Tab does not reach the element or the focus is not visible.
    """

    def __init__(self, page: Page) -> None:
        self._page = page

    def go_to(self, target: Locator, *, arrived: str = IS_FOCUSED) -> None:
        """Press Tab until the target has the focus."""
        expect(target).to_be_visible()
        element = target.element_handle()
        for _ in range(STOPS):
            if element.evaluate(arrived):
                focused = self._page.locator(":focus")
                assert focused.evaluate(SHOWN), f"the focus is not visible: {focused.evaluate('one => one.outerHTML')}"
                return
            self._page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {target}")

    def press(self, target: Locator) -> None:
        """Press a button, follow a link, or expand a part of the page."""
        self.go_to(target)
        self._page.keyboard.press("Enter")

    def fill(self, target: Locator, text: str) -> None:
        """Replace the text of a field."""
        self.go_to(target)
        day = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", text) if target.get_attribute("type") == "date" else None
        if day:
            self._page.keyboard.type(self._date_keys(*day.groups()))
        else:
            self._page.keyboard.press("ControlOrMeta+a")
            self._page.keyboard.press("Delete")
            self._page.keyboard.insert_text(text)
        expect(target).to_have_value(text)

    def _date_keys(self, year: str, month: str, day: str) -> str:
        """Return the keys to type into a date field, in the order that the browser's locale uses."""
        return f"{month}{day}{year}"

    def select(self, target: Locator, option: str) -> None:
        """Select an option by its text or value."""
        self.go_to(target)
        offered = dict(target.evaluate(OPTIONS))
        wanted = offered.get(option, option)
        assert wanted in offered.values(), f"{option} is not one of {list(offered.values())}"
        self._page.keyboard.press("Home")
        for _ in offered:
            if target.evaluate(CHOSEN) == wanted:
                return
            self._page.keyboard.press("ArrowDown")
        expect(target.locator("option:checked")).to_have_text(wanted)

    def set_checked(self, target: Locator, checked: bool) -> None:
        """Check or clear a checkbox, or choose a radio button."""
        if target.get_attribute("type") != "radio":
            self.go_to(target)
            if target.is_checked() != checked:
                self._page.keyboard.press("Space")
        else:
            self._choose(target)
        expect(target).to_be_checked(checked=checked)

    def _choose(self, target: Locator) -> None:
        """Press Tab until the group of radio buttons has the focus, then use arrow keys.

        The group is a single tab stop.
        """
        self.go_to(target, arrived=GROUP_IS_FOCUSED)
        if target.evaluate(IS_FOCUSED):
            self._page.keyboard.press("Space")
        for _ in range(STOPS):
            if target.is_checked():
                return
            self._page.keyboard.press("ArrowDown")
