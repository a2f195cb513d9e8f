"""Geometry for SVG plots of the last hours. Next to each plot, a table shows the same data."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import NamedTuple
from zoneinfo import ZoneInfo

from balcao.panel.operation.platform_client import ResponseCount, ResponseCounts
from balcao.panel.operation.quantiles import find_quantile
from balcao.web.words import format_number

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 200, 52, 24, 12
FINE_STEP = timedelta(minutes=15)
COARSE_STEP = timedelta(hours=1)
_BETWEEN_LABELS = timedelta(hours=4)
# Half the width of an hour's label. A label nearer to the edge would be cut off.
_HALF_LABEL = 20


class Slot(NamedTuple):
    """The responses in the period that starts at `starts_at`. Without calls, the times are None.

    `half_ms` is the median response time, and `most_ms` the 95th percentile. `is_counted` is False if no service has
    counts for the period, for example because the platform was down.
    """

    starts_at: datetime
    responses: int
    refusals: int
    faults: int
    slow: int
    mean_ms: float | None
    half_ms: float | None
    most_ms: float | None
    is_counted: bool


@dataclass(frozen=True)
class Plot:
    """A plot: a line, the area below it, the numbered scale lines, and the hour labels."""

    line: str
    surface: str
    rules: Sequence[tuple[float, str]]
    hours: Sequence[tuple[float, str]]
    base: float


def sum_slots(found: ResponseCounts, service: str | None, step: timedelta, zone: ZoneInfo) -> list[Slot]:
    """Add up the counts for one service, or for all services, in each step.

    Every step has a slot, even without calls. The times are in the city's time zone.
    """
    since = found.since.astimezone(zone)
    begun = since - timedelta(seconds=since.timestamp() % step.total_seconds())
    slots: list[list[ResponseCount]] = [[] for _ in range(int((found.until - begun) / step) + 1)]
    counted: set[int] = set()
    for each in found.data:
        for count in each.points:
            number = min(max(0, int((count.starts_at - begun) / step)), len(slots) - 1)
            counted.add(number)
            if service in (None, each.service):
                slots[number].append(count)
    return [
        _sum(begun + step * number, counts, found.bounds_ms, is_counted=number in counted)
        for number, counts in enumerate(slots)
    ]


def _sum(starts_at: datetime, counts: Sequence[ResponseCount], bounds: Sequence[float], *, is_counted: bool) -> Slot:
    responses = sum(count.responses for count in counts)
    milliseconds = sum(count.mean_ms * count.responses for count in counts)
    times = [sum(each) for each in zip(*(count.times for count in counts if count.times), strict=True)]
    return Slot(
        starts_at,
        responses,
        sum(count.refusals for count in counts),
        sum(count.faults for count in counts),
        sum(count.slow for count in counts),
        milliseconds / responses if responses else None,
        find_quantile(times, bounds, 0.5),
        find_quantile(times, bounds, 0.95),
        is_counted,
    )


def draw_slots(slots: Sequence[Slot], value: Callable[[Slot], float | None]) -> Plot:
    """Plot a value over time. The line and the area have gaps where a slot has no value or was not counted."""
    values = [value(slot) if slot.is_counted else None for slot in slots]
    base, height = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP
    most = max((found for found in values if found is not None), default=0.0)
    step = _find_step(most)
    top = max(step, math.ceil(most / step) * step)
    room = (WIDTH - LEFT) / max(len(slots), 1)
    points = [
        (round(LEFT + room * (number + 0.5), 1), None if found is None else round(base - found / top * height, 1))
        for number, found in enumerate(values)
    ]
    runs = [
        [(x, y) for x, y in run if y is not None]
        for is_gap, run in groupby(points, lambda point: point[1] is None)
        if not is_gap
    ]
    lines = [_draw_line(run, room) for run in runs]
    rules = [
        (round(base - number * step / top * height, 1), format_number(number * step))
        for number in range(round(top / step) + 1)
    ]
    hours = [
        (x, f"{slot.starts_at:%H:%M}")
        for (x, _), slot in zip(points, slots, strict=True)
        if slot.starts_at.minute == 0
        and slot.starts_at.hour % (_BETWEEN_LABELS // COARSE_STEP) == 0
        and LEFT + _HALF_LABEL <= x <= WIDTH - _HALF_LABEL
    ]
    return Plot(
        "".join(lines),
        "".join(f"{line}V{base}H{line[1:].partition(',')[0]}z" for line in lines),
        rules,
        hours,
        base,
    )


def _draw_line(points: Sequence[tuple[float, float]], room: float) -> str:
    """Return the SVG path for a line without gaps. A single point becomes a line as wide as its slot."""
    if len(points) == 1:
        ((x, y),) = points
        points = [(round(x - room / 2, 1), y), (round(x + room / 2, 1), y)]
    return "M" + " ".join(f"{x},{y}" for x, y in points)


def _find_step(most: float) -> float:
    """Return the distance between scale lines, chosen so that at most five lines are above the base."""
    exponent = 0
    while True:
        for digit in (1, 2, 5):
            if most / (digit * 10**exponent) <= 5:
                return float(digit * 10**exponent)
        exponent += 1
