"""Plots of the last hours as SVG, made on the server: where lines and labels stand; beside each stands its table."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from balcao.console.operation.platform_client import ResponseCount, ResponseCounts
from balcao.console.operation.quantiles import find_quantile
from balcao.console.words import format_number

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 200, 52, 24, 12
FINE = timedelta(minutes=15)
COARSE = timedelta(hours=1)
_BETWEEN_LABELS = timedelta(hours=4)


class Slot(NamedTuple):
    """What was answered from `starts_at` on; without any call there are no times.

    Half of the calls were answered within `half_ms`, nineteen of twenty within `most_ms`.
    """

    starts_at: datetime
    responses: int
    refusals: int
    faults: int
    slow: int
    mean_ms: float | None
    half_ms: float | None
    most_ms: float | None


@dataclass(frozen=True)
class Plot:
    """A line with the surface below it, the lines of the scale with their numbers, and the hours below."""

    line: str
    surface: str
    rules: Sequence[tuple[float, str]]
    hours: Sequence[tuple[float, str]]
    base: float


def sum_slots(found: ResponseCounts, service: str | None, step: timedelta, zone: ZoneInfo) -> list[Slot]:
    """Return what the counts of one service, or of all, come to.

    It goes step by step in the city's hours, also where nobody called.
    """
    since = found.since.astimezone(zone)
    begun = since - timedelta(seconds=since.timestamp() % step.total_seconds())
    slots: list[list[ResponseCount]] = [[] for _ in range(int((found.until - begun) / step) + 1)]
    for each in found.data:
        for count in each.points if service in (None, each.service) else ():
            slots[min(max(0, int((count.starts_at - begun) / step)), len(slots) - 1)].append(count)
    return [_sum(begun + step * number, counts, found.bounds_ms) for number, counts in enumerate(slots)]


def _sum(starts_at: datetime, counts: Sequence[ResponseCount], bounds: Sequence[float]) -> Slot:
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
    )


def draw_slots(slots: Sequence[Slot], value: Callable[[Slot], float | None]) -> Plot:
    """Return a value of the slots over time; where there is none the line lies at nothing."""
    values = [value(slot) or 0.0 for slot in slots]
    base, height = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP
    step = _find_step(max(values, default=0.0))
    top = max(step, math.ceil(max(values, default=0.0) / step) * step)
    room = (WIDTH - LEFT) / max(len(slots), 1)
    points = [
        (round(LEFT + room * (number + 0.5), 1), round(base - found / top * height, 1))
        for number, found in enumerate(values)
    ]
    line = "M" + " ".join(f"{x},{y}" for x, y in points) if points else ""
    surface = f"{line}V{base}H{points[0][0]}z" if points else ""
    rules = [
        (round(base - number * step / top * height, 1), format_number(number * step))
        for number in range(round(top / step) + 1)
    ]
    hours = [
        (point[0], f"{slot.starts_at:%H:%M}")
        for point, slot in zip(points, slots, strict=True)
        if slot.starts_at.minute == 0 and slot.starts_at.hour % (_BETWEEN_LABELS // COARSE) == 0
    ]
    return Plot(line, surface, rules, hours, base)


def _find_step(most: float) -> float:
    """Return the distance of the scale's lines, at most five above the base."""
    exponent = 0
    while True:
        for digit in (1, 2, 5):
            if most / (digit * 10**exponent) <= 5:
                return float(digit * 10**exponent)
        exponent += 1
