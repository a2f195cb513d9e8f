"""The calendar of a year as twelve months of weeks."""

import calendar
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from balcao.panel.health_units.client import Holiday
from balcao.web.words import MONTHS


class Day(NamedTuple):
    """A day of a month. `holiday` is None on an ordinary day."""

    day: date
    holiday: Holiday | None


class Month(NamedTuple):
    """A month's name, and its weeks from Monday to Sunday. Days of other months are None."""

    name: str
    weeks: list[list[Day | None]]


def lay_out_year(year: int, holidays: Mapping[date, Holiday]) -> list[Month]:
    """Return the months of a year with their holidays."""
    months = []
    for number, name in enumerate(MONTHS, start=1):
        weeks = calendar.Calendar().monthdatescalendar(year, number)
        laid = [[Day(day, holidays.get(day)) if day.month == number else None for day in week] for week in weeks]
        months.append(Month(name, laid))
    return months
