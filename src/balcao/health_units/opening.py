"""When a unit is open: pure rules on its timetable, the holidays and an instant (rules: health_units 4.2).

Times of day are the city's, written `HH:MM`; the end of a day is `24:00`.
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
# How far the next opening and the next closing are looked for.
AHEAD = timedelta(days=14)
END_OF_DAY = "24:00"
WEEKDAYS, SATURDAY = range(1, 6), 6


class Situacao(StrEnum):
    ABERTO = "aberto"
    FECHADO = "fechado"
    FECHADO_POR_RISCO = "fechado_por_risco"
    DESCONHECIDO = "desconhecido"


class Interval(msgspec.Struct, frozen=True, order=True):
    """From `inicio` up to but not including `fim`, on one day."""

    inicio: Annotated[str, Meta(pattern=START, description="Hora de abertura.", examples=["08:00"])]
    fim: Annotated[
        str, Meta(pattern=END, description="Hora de fechamento; `24:00` é o fim do dia.", examples=["17:00"])
    ]


class Hours(msgspec.Struct, frozen=True):
    """Whole hours from 0 to 24."""

    inicio: Annotated[int, Meta(ge=0, le=24, description="Hora cheia de abertura.", examples=[8])]
    fim: Annotated[int, Meta(ge=0, le=24, description="Hora cheia de fechamento.", examples=[17])]


@dataclass(frozen=True)
class Timetable:
    """The openings of each weekday (1 is Monday), and those of single days instead of them."""

    week: Mapping[int, Sequence[Interval]]
    opens_on_holidays: bool = False
    exceptions: Mapping[date, Sequence[Interval]] = field(default_factory=dict)

    def list_intervals(self, day: date, holidays: Collection[date]) -> Sequence[Interval]:
        """Return the openings of a day; `holidays` are those that close units."""
        if day in self.exceptions:
            return self.exceptions[day]
        if day in holidays and not self.opens_on_holidays:
            return ()
        return self.week.get(day.isoweekday(), ())


@dataclass(frozen=True)
class Opening:
    """Whether a unit is open, until when, or from when on; both are None where nobody can say."""

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
    """Return the state of a unit at an instant given in the city's zone."""
    if not active:
        return Opening(Situacao.FECHADO)
    if closed_by_risk:
        return Opening(Situacao.FECHADO_POR_RISCO)
    if timetable is None:
        return Opening(Situacao.DESCONHECIDO)
    moment = now.astimezone(UTC)
    zone = now.tzinfo
    assert isinstance(zone, ZoneInfo)
    last = now.date() + AHEAD
    for start, end in _iterate_spans(timetable, holidays, zone, now.date(), last):
        if start <= moment < end:
            unbroken = end == to_instant(last, END_OF_DAY, zone)
            return Opening(Situacao.ABERTO, closes_at=None if unbroken else end)
        if moment < start:
            return Opening(Situacao.FECHADO, opens_at=start if start - moment <= AHEAD else None)
    return Opening(Situacao.FECHADO)


def _iterate_spans(
    timetable: Timetable, holidays: Collection[date], zone: ZoneInfo, first: date, last: date
) -> Iterator[tuple[datetime, datetime]]:
    """Yield the openings of these days in order; those that touch are one, also across midnight."""
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
    """Return the instant, in UTC, at which a clock of the city shows this time.

    In UTC, as Python compares two times of one zone by their clocks, which may be put back.
    """
    hours, minutes = int(text[:2]), int(text[3:])
    local = datetime.combine(day + timedelta(days=hours // 24), time(hours % 24, minutes), zone)
    return local.astimezone(UTC)


def find_openings_fault(spans: Iterable[tuple[str, str]]) -> str | None:
    """Return what is wrong with the openings of one day, each from a time to another, in Portuguese."""
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
    """Return the whole hours of the commonest openings of these weekdays, None where none of them has any.

    Of patterns that are equally common the first in the week counts; days without openings are no pattern.
    """
    patterns = [tuple(timetable.week.get(day, ())) for day in days] if timetable else []
    patterns = [pattern for pattern in patterns if pattern]
    if not patterns:
        return None
    commonest = max(patterns, key=patterns.count)
    earliest, latest = min(commonest).inicio, max(interval.fim for interval in commonest)
    return Hours(int(earliest[:2]), int(latest[:2]) + (latest[3:] != "00"))
