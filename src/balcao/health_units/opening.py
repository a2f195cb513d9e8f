"""Computes when a unit is open, from its timetable and the holidays (rules: health_units 4.2).

These are pure functions. Times of day are local to the city, in the format `HH:MM`. The end of a day is `24:00`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

START = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"
END = r"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$"
MOST_INTERVALS = 4
# How far ahead to search for the next opening or closing.
SEARCH_PERIOD = timedelta(days=14)
END_OF_DAY = "24:00"
WEEKDAYS, SATURDAY = range(1, 6), 6


class Situacao(StrEnum):
    ABERTO = "aberto"
    FECHADO = "fechado"
    FECHADO_POR_RISCO = "fechado_por_risco"
    DESCONHECIDO = "desconhecido"


class Interval(msgspec.Struct, frozen=True, order=True):
    """A period on one day in which a unit is open, from `inicio` up to but not including `fim`."""

    inicio: Annotated[str, Meta(pattern=START, description="Hora de abertura.", examples=["08:00"])]
    fim: Annotated[
        str, Meta(pattern=END, description="Hora de fechamento; `24:00` é o fim do dia.", examples=["17:00"])
    ]


class Hours(msgspec.Struct, frozen=True):
    """Opening hours in whole hours, from 0 to 24."""

    inicio: Annotated[int, Meta(ge=0, le=24, description="Hora cheia de abertura.", examples=[8])]
    fim: Annotated[int, Meta(ge=0, le=24, description="Hora cheia de fechamento.", examples=[17])]


@dataclass(frozen=True)
class Timetable:
    """The opening periods of each weekday (1 is Monday), and the exceptions that replace them on single days."""

    week: Mapping[int, Sequence[Interval]]
    opens_on_holidays: bool = False
    exceptions: Mapping[date, Sequence[Interval]] = field(default_factory=dict)

    def list_intervals(self, day: date, holidays: Collection[date]) -> Sequence[Interval]:
        """Return the opening periods of a day. `holidays` are the days on which units are closed by default."""
        if day in self.exceptions:
            return self.exceptions[day]
        if day in holidays and not self.opens_on_holidays:
            return ()
        return self.week.get(day.isoweekday(), ())


@dataclass(frozen=True)
class Opening:
    """Whether a unit is open, and when it next opens or closes, if this is known."""

    situacao: Situacao
    opens_at: datetime | None = None
    closes_at: datetime | None = None


def find_opening(
    timetable: Timetable | None,
    holidays: Collection[date],
    now: datetime,
    *,
    active: bool = True,
    closed_by_risk: bool = False,
) -> Opening:
    """Return whether a unit is open at `now`, and when it next opens or closes. `now` must be in the city's zone."""
    if not active:
        return Opening(Situacao.FECHADO)
    if closed_by_risk:
        return Opening(Situacao.FECHADO_POR_RISCO)
    if timetable is None:
        return Opening(Situacao.DESCONHECIDO)
    moment = now.astimezone(UTC)
    zone = now.tzinfo
    assert isinstance(zone, ZoneInfo)
    last = now.date() + SEARCH_PERIOD
    for start, end in _iterate_spans(timetable, holidays, zone, now.date(), last):
        if start <= moment < end:
            unbroken = end == to_instant(last, END_OF_DAY, zone)
            return Opening(Situacao.ABERTO, closes_at=None if unbroken else end)
        if moment < start:
            return Opening(Situacao.FECHADO, opens_at=start if start - moment <= SEARCH_PERIOD else None)
    return Opening(Situacao.FECHADO)


def _iterate_spans(
    timetable: Timetable, holidays: Collection[date], zone: ZoneInfo, first: date, last: date
) -> Iterator[tuple[datetime, datetime]]:
    """Yield the opening periods of these days in order. Adjacent periods are joined, also across midnight."""
    span: tuple[datetime, datetime] | None = None
    for days in range((last - first).days + 1):
        day = first + timedelta(days=days)
        for interval in sorted(timetable.list_intervals(day, holidays)):
            start, end = to_instant(day, interval.inicio, zone), to_instant(day, interval.fim, zone)
            if span is not None and span[1] == start:
                span = (span[0], end)
                continue
            if span is not None:
                yield span
            span = (start, end)
    if span is not None:
        yield span


def to_instant(day: date, text: str, zone: ZoneInfo) -> datetime:
    """Return the instant at which the city's clocks show this time on this day, in UTC.

    The result is in UTC, because Python compares two times in one zone by their wall clocks, and clocks may be set
    back.
    """
    hours, minutes = int(text[:2]), int(text[3:])
    local = datetime.combine(day + timedelta(days=hours // 24), time(hours % 24, minutes), zone)
    return local.astimezone(UTC)


def find_openings_fault(spans: Iterable[tuple[str, str]]) -> str | None:
    """Return a message in Portuguese about an error in a day's opening periods, or None if they are valid.

    `spans` contains the start and the end of each period.
    """
    in_order = sorted(spans)
    if len(in_order) > MOST_INTERVALS:
        return f"no máximo {MOST_INTERVALS} intervalos por dia"
    overlaps, last_end = False, ""
    for start, end in in_order:
        if start >= end:
            return "cada intervalo deve começar antes de terminar"
        overlaps, last_end = overlaps or start < last_end, end
    return "os intervalos de um dia não podem se sobrepor" if overlaps else None


def find_usual_hours(timetable: Timetable | None, days: Collection[int]) -> Hours | None:
    """Return the most common opening hours on these weekdays, in whole hours.

    Return None if the unit never opens on them.

    If several patterns are equally common, the first in the week wins. Days on which the unit is closed do not count.
    """
    patterns = [tuple(timetable.week.get(day, ())) for day in days] if timetable else []
    patterns = [pattern for pattern in patterns if pattern]
    if not patterns:
        return None
    commonest = max(patterns, key=patterns.count)
    earliest, latest = min(commonest).inicio, max(interval.fim for interval in commonest)
    return Hours(int(earliest[:2]), int(latest[:2]) + (latest[3:] != "00"))
