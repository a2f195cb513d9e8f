"""Lists: the address is the state. Filters, order and page stand in it, so that every list can be kept and sent on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from balcao.core.values.pasted import clean_pasted
from balcao.web.visit import PageRequest
from balcao.web.words import format_day, format_number

PAGE_SIZE = 25
PAGE, ORDER, TAB = "pagina", "ordem", "aba"
# More tabs are a choice among the filters, and more fields folded, where the window is narrow.
_MOST_TABS, _MOST_FIELDS = 5, 2


def read_day(text: str) -> date | None:
    """Return the day of an address; None for what is none."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


@dataclass(frozen=True)
class Filter:
    """A field above a list. With `choices`, (value, label) pairs, it is a selection; else a text.

    `unset` is what a selection says while nothing is chosen; `is_day` makes it a day, as ISO 8601 writes it.
    """

    name: str
    label: str
    choices: Sequence[tuple[str, str]] = ()
    is_wide: bool = False
    unset: str = "Todos"
    is_day: bool = False

    def allows(self, value: str) -> bool:
        """Tell whether the value is one of the choices, or a day."""
        return read_day(value) is not None if self.is_day else not self.choices or value in dict(self.choices)

    def describe(self, value: str) -> str:
        """Return the filter as it is shown while it applies."""
        if self.is_day:
            return f"{self.label}: {format_day(read_day(value))}"
        return f"{self.label}: {dict(self.choices).get(value, value)}"


@dataclass(frozen=True)
class Tab:
    """One main state of what is listed, with how many there are; None: not counted."""

    value: str
    label: str
    total: int | None = None


@dataclass
class Listing:
    """What a list's template needs: `nouns` are one and many of what is listed, `rows` this page's, `total` all.

    `parted_by` says what the tabs part the list by.
    """

    visit: PageRequest
    nouns: tuple[str, str]
    filters: Sequence[Filter] = ()
    tabs: Sequence[Tab] = ()
    rows: Sequence[Any] = ()
    total: int = 0
    size: int = PAGE_SIZE
    orders: Mapping[str, str] = field(default_factory=dict)
    parted_by: str = "Situação"

    @property
    def number(self) -> int:
        """Return the number of the page, from 1."""
        text = self.visit.query.first(PAGE)
        return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 7 else 1

    @property
    def skip(self) -> int:
        """Return how many rows stand before this page."""
        return (self.number - 1) * self.size

    @property
    def pages(self) -> int:
        """Return how many pages there are."""
        return max(1, -(-self.total // self.size))

    @property
    def is_past_end(self) -> bool:
        """Whether the address names a page after the last one, as an old link or a shrunken list does."""
        return not self.rows and self.number > self.pages

    @cached_property
    def values(self) -> dict[str, str]:
        """Return the filters that apply, by name; a value that cannot be chosen does not."""
        found = {}
        for one in self.filters:
            value = clean_pasted(self.visit.query.first(one.name))[:200]
            if value and one.allows(value):
                found[one.name] = value
        return found

    @property
    def tab(self) -> str:
        """Return the tab that is open, the first one where none is named."""
        named = self.visit.query.first(TAB)
        return named if any(tab.value == named for tab in self.tabs) else (self.tabs[0].value if self.tabs else "")

    @property
    def has_many_tabs(self) -> bool:
        """Return whether the tabs are a choice among the filters, too, for who has no room for them."""
        return bool(self.filters) and len(self.tabs) > _MOST_TABS

    @property
    def is_folded(self) -> bool:
        """Return whether the fields are so many that a phone would show nothing else."""
        return len(self.filters) + bool(self.orders) + self.has_many_tabs > _MOST_FIELDS

    @property
    def order(self) -> str:
        """Return the order that is asked for, the first one where none is."""
        named = self.visit.query.first(ORDER)
        return named if named in self.orders else next(iter(self.orders), "")

    @property
    def applied(self) -> list[tuple[str, str]]:
        """Return each filter that applies, in words, and the address without it."""
        return [
            (one.describe(self.values[one.name]), self.address({one.name: None, PAGE: None}))
            for one in self.filters
            if one.name in self.values
        ]

    @property
    def applied_tab(self) -> tuple[str, str] | None:
        """Return the open tab as a filter that applies, where it is chosen among the filters."""
        if not self.has_many_tabs or self.tab == self.tabs[0].value:
            return None
        label = next(tab.label for tab in self.tabs if tab.value == self.tab)
        return f"{self.parted_by}: {label}", self.tab_address(self.tabs[0].value)

    @property
    def summary(self) -> str:
        """Return how many there are, in words."""
        one, many = self.nouns
        return f"{format_number(self.total)} {one if self.total == 1 else many}"

    @property
    def span(self) -> str:
        """Return which rows these are: "26 a 50 de 141"."""
        last = self.skip + len(self.rows)
        return (
            f"{format_number(self.skip + 1 if self.rows else 0)} a {format_number(last)} de {format_number(self.total)}"
        )

    @property
    def numbers(self) -> list[int | None]:
        """Return the numbers of pages to lead to; None where some are left out."""
        near = {1, self.pages, self.number - 1, self.number, self.number + 1}
        shown = sorted(number for number in near if 1 <= number <= self.pages)
        found: list[int | None] = []
        for number in shown:
            if found and found[-1] is not None and number - found[-1] > 1:
                found.append(None)
            found.append(number)
        return found

    def address(self, changes: Mapping[str, Any]) -> str:
        """Return the list's address with some of its parameters changed; None takes one away."""
        known = {TAB: self.tab if self.visit.query.first(TAB) else "", ORDER: self.visit.query.first(ORDER)}
        asked = {**known, **self.values, PAGE: self.visit.query.first(PAGE), **changes}
        kept = {name: str(value) for name, value in asked.items() if value not in (None, "")}
        return f"{self.visit.path}?{urlencode(kept)}" if kept else self.visit.path

    def page_address(self, number: int) -> str:
        """Return the address of another page."""
        return self.address({PAGE: number if number > 1 else None})

    def tab_address(self, value: str) -> str:
        """Return the address of another tab, from its first page on."""
        return self.address({TAB: value if value != self.tabs[0].value else None, PAGE: None})
