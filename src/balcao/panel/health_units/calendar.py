"""A year's calendar as twelve months, each divided into weeks."""

import calendar
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from balcao.panel.health_units.client import Holiday
from balcao.web.words import MONTHS


class Day(NamedTuple):
    """A day in a month. `holiday` is None on ordinary days."""

    day: date
    holiday: Holiday | None


class Month(NamedTuple):
    """A month's name and its weeks, Monday to Sunday. Days that belong to other months are None."""

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
