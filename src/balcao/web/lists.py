"""Lists whose address contains filters, order and page, so that people can bookmark and share every list."""

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
# Read at most this many characters of a filter.
LONGEST_VALUE = 200
# Pages can add days to a date in these years without leaving the years that Python supports.
YEARS = range(1900, 2201)
PAGE, ORDER, TAB = "pagina", "ordem", "aba"
# If there are more tabs than this, they also appear as a filter field. If there are more fields than this, narrow
# screens fold them.
_MOST_TABS, _MOST_FIELDS = 5, 2


def read_day(text: str) -> date | None:
    """Parse a date from a query parameter. Return None for any other string, and for a year outside `YEARS`."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.year in YEARS else None


@dataclass(frozen=True)
class Filter:
    """A field above a list.

    A filter with `choices`, which are (value, label) pairs, is a selection. Otherwise, it is a text field. `unset` is
    the label that a selection shows while nothing is chosen. `is_day` makes the field a date in ISO 8601 format.
    """

    name: str
    label: str
    choices: Sequence[tuple[str, str]] = ()
    is_wide: bool = False
    unset: str = "Todos"
    is_day: bool = False

    def allows(self, value: str) -> bool:
        """Return whether the value is valid: a date, one of the choices, or any string if the filter has no choices."""
        return read_day(value) is not None if self.is_day else not self.choices or value in dict(self.choices)

    def describe(self, value: str) -> str:
        """Describe the applied filter in words."""
        if self.is_day:
            return f"{self.label}: {format_day(read_day(value))}"
        return f"{self.label}: {dict(self.choices).get(value, value)}"


@dataclass(frozen=True)
class Tab:
    """A tab. It represents one state of the listed items.

    `total` counts these items, or is None if they are not counted.
    """

    value: str
    label: str
    total: int | None = None


@dataclass
class Listing:
    """The data that a list's template needs.

    `nouns` are the singular and the plural for the listed items. `rows` are the rows on this page, and `total` counts
    the rows on all pages. `tabs_label` names the property by which the tabs divide the items.
    """

    visit: PageRequest
    nouns: tuple[str, str]
    filters: Sequence[Filter] = ()
    tabs: Sequence[Tab] = ()
    rows: Sequence[Any] = ()
    total: int = 0
    size: int = PAGE_SIZE
    orders: Mapping[str, str] = field(default_factory=dict)
    tabs_label: str = "Situação"

    @property
    def number(self) -> int:
        """Return the page number, starting with 1."""
        text = self.visit.query.first(PAGE)
        return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 7 else 1

    @property
    def skip(self) -> int:
        """Return the number of rows before this page."""
        return (self.number - 1) * self.size

    @property
    def pages(self) -> int:
        """Return the number of pages."""
        return max(1, -(-self.total // self.size))

    @property
    def is_past_end(self) -> bool:
        """Whether the page number is after the last page, for example in an old link or after rows were deleted."""
        return not self.rows and self.number > self.pages

    @cached_property
    def values(self) -> dict[str, str]:
        """Return the values of the applied filters by name. Values that are not allowed are ignored."""
        found = {}
        for one in self.filters:
            value = clean_pasted(self.visit.query.first(one.name)[:LONGEST_VALUE])
            if value and one.allows(value):
                found[one.name] = value
        return found

    @property
    def tab(self) -> str:
        """Return the value of the open tab. The default is the first tab."""
        named = self.visit.query.first(TAB)
        return named if any(tab.value == named for tab in self.tabs) else (self.tabs[0].value if self.tabs else "")

    @property
    def has_many_tabs(self) -> bool:
        """Return whether the tabs also appear as a filter field, for screens on which the tabs do not fit."""
        return bool(self.filters) and len(self.tabs) > _MOST_TABS

    @property
    def is_folded(self) -> bool:
        """Return whether narrow screens fold the fields. Unfolded, they would fill the screen of a phone."""
        return len(self.filters) + bool(self.orders) + self.has_many_tabs > _MOST_FIELDS

    @property
    def order(self) -> str:
        """Return the requested order. The default is the first order."""
        named = self.visit.query.first(ORDER)
        return named if named in self.orders else next(iter(self.orders), "")

    @property
    def applied(self) -> list[tuple[str, str]]:
        """Return (description, address without this filter) for each applied filter."""
        return [
            (one.describe(self.values[one.name]), self.address({one.name: None, PAGE: None}))
            for one in self.filters
            if one.name in self.values
        ]

    @property
    def applied_tab(self) -> tuple[str, str] | None:
        """Return the open tab as an applied filter.

        Return None for the first tab, or if the tabs are not a filter field.
        """
        if not self.has_many_tabs or self.tab == self.tabs[0].value:
            return None
        label = next(tab.label for tab in self.tabs if tab.value == self.tab)
        return f"{self.tabs_label}: {label}", self.tab_address(self.tabs[0].value)

    @property
    def summary(self) -> str:
        """Return the total with its noun: "141 tarefas"."""
        one, many = self.nouns
        return f"{format_number(self.total)} {one if self.total == 1 else many}"

    @property
    def span(self) -> str:
        """Return the range of rows on this page: "26 a 50 de 141"."""
        last = self.skip + len(self.rows)
        return (
            f"{format_number(self.skip + 1 if self.rows else 0)} a {format_number(last)} de {format_number(self.total)}"
        )

    @property
    def numbers(self) -> list[int | None]:
        """Return the page numbers for the links to other pages. None marks a gap."""
        near = {1, self.pages, self.number - 1, self.number, self.number + 1}
        shown = sorted(number for number in near if 1 <= number <= self.pages)
        found: list[int | None] = []
        for number in shown:
            if found and found[-1] is not None and number - found[-1] > 1:
                found.append(None)
            found.append(number)
        return found

    def address(self, changes: Mapping[str, Any]) -> str:
        """Return the list's address with some parameters changed. The value None removes a parameter."""
        known = {TAB: self.tab if self.visit.query.first(TAB) else "", ORDER: self.visit.query.first(ORDER)}
        asked = {**known, **self.values, PAGE: self.visit.query.first(PAGE), **changes}
        kept = {name: str(value) for name, value in asked.items() if value not in (None, "")}
        return f"{self.visit.path}?{urlencode(kept)}" if kept else self.visit.path

    def page_address(self, number: int) -> str:
        """Return the address of another page."""
        return self.address({PAGE: number if number > 1 else None})

    def tab_address(self, value: str) -> str:
        """Return the address of the first page of another tab."""
        return self.address({TAB: value if value != self.tabs[0].value else None, PAGE: None})
