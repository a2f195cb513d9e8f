"""Describes a unit's opening hours in words."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import NamedTuple

from balcao.site.health.client import Interval, OpenDay, Unit, WholeHours
from balcao.web.words import WEEKDAYS, capitalize_first, format_at, format_day_of_month, format_time_of_day, join_words

ALL_DAY = "24 horas"


class DayInWords(NamedTuple):
    """One day: its name, its date, its hours, and the reason if its hours differ from the ordinary week."""

    name: str
    day: date
    date_in_words: str
    hours: str
    reason: str | None
    is_open: bool


def describe_hours(intervals: Sequence[Interval]) -> str:
    """Describe the opening hours of one day: "8h às 12h e 13h às 17h", "24 horas", or "fechada"."""
    if not intervals:
        return "fechada"
    joined = _join(intervals)
    if joined == [("00:00", "24:00")]:
        return ALL_DAY
    return join_words([f"{format_time_of_day(start)} {format_at(end)}" for start, end in joined])


def _join(intervals: Sequence[Interval]) -> list[tuple[str, str]]:
    """Return the start and end of each interval in order. Adjacent intervals are joined."""
    joined: list[tuple[str, str]] = []
    for each in sorted(intervals, key=lambda interval: interval.inicio):
        if joined and joined[-1][1] == each.inicio:
            joined[-1] = (joined[-1][0], each.fim)
        else:
            joined.append((each.inicio, each.fim))
    return joined


def describe_days(days: Sequence[OpenDay], today: date) -> list[DayInWords]:
    """Describe each day. Today and tomorrow are called "hoje" and "amanhã"."""
    near = {today: "hoje", today + timedelta(days=1): "amanhã"}
    return [
        DayInWords(
            capitalize_first(near.get(each.data, WEEKDAYS[each.data.weekday()])),
            each.data,
            f"{WEEKDAYS[each.data.weekday()]}, {format_day_of_month(each.data)}"
            if each.data in near
            else format_day_of_month(each.data),
            describe_hours(each.intervalos),
            each.motivo,
            bool(each.intervalos),
        )
        for each in days
    ]


def summarize_week(days: Sequence[OpenDay]) -> list[tuple[str, str]]:
    """Summarize the ordinary week in as few lines as possible: `[("segunda a sexta", "8h às 17h"), …]`.

    A day with a reason (a holiday or an exception) is not ordinary. A weekday is omitted if none of its days is
    ordinary.
    """
    ordinary: dict[int, str] = {}
    for each in days:
        if each.motivo is None:
            ordinary.setdefault(each.data.weekday(), describe_hours(each.intervalos))
    if len(ordinary) == 7 and len(set(ordinary.values())) == 1:
        return [("todos os dias", ordinary[0])]
    return [(_name_range(weekdays), hours) for weekdays, hours in _group(ordinary)]


def _group(ordinary: dict[int, str]) -> Iterator[tuple[list[int], str]]:
    """Yield each run of consecutive weekdays with the same hours."""
    ordered = sorted(ordinary)
    runs = groupby(ordered, key=lambda weekday: (weekday - ordered.index(weekday), ordinary[weekday]))
    for (_, hours), run in runs:
        yield list(run), hours


def _name_range(weekdays: Sequence[int]) -> str:
    names = [WEEKDAYS[weekday].removesuffix("-feira") for weekday in weekdays]
    if len(names) == 1:
        return WEEKDAYS[weekdays[0]]
    return f"{names[0]} e {names[1]}" if len(names) == 2 else f"{names[0]} a {names[-1]}"


def summarize_record(unit: Unit) -> str:
    """Summarize the hours in the unit's record: "segunda a sexta, 8h às 17h · sábado, 8h às 12h"."""
    if is_always_open(unit):
        return "todos os dias, 24 horas"
    parts = [
        f"{name}, {_describe_whole_hours(hours)}"
        for name, hours in (("segunda a sexta", unit.funcionamento_dia_util), ("sábado", unit.funcionamento_sabado))
        if hours is not None
    ]
    return " · ".join(parts)


def is_always_open(unit: Unit) -> bool:
    """Return whether the unit's record says that it is open 24 hours on weekdays and on Saturday."""
    return all(
        hours is not None and (hours.inicio, hours.fim) == (0, 24)
        for hours in (unit.funcionamento_dia_util, unit.funcionamento_sabado)
    )


def _describe_whole_hours(hours: WholeHours) -> str:
    return describe_hours([Interval(f"{hours.inicio:02}:00", f"{hours.fim:02}:00")])
