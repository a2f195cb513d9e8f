"""Tests for the numbers behind the plots: hourly sums, scale and gaps."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from balcao.panel.operation.drawing import (
    BOTTOM,
    COARSE_STEP,
    FINE_STEP,
    HEIGHT,
    LEFT,
    TOP,
    WIDTH,
    draw_slots,
    sum_slots,
)
from balcao.panel.operation.platform_client import ResponseCount, ResponseCounts, ServiceCounts

ZONE = ZoneInfo("America/Sao_Paulo")
SINCE, UNTIL = datetime(2026, 3, 1, 12, 35, tzinfo=UTC), datetime(2026, 3, 2, 12, 37, tzinfo=UTC)


def count(moment: datetime, responses: int, times: list[int] | None = None) -> ResponseCount:
    return ResponseCount(moment, responses, 1, 0, 0, 2.0, times or [])


def found(*counts: ResponseCount, service: str = "search") -> ResponseCounts:
    others = ServiceCounts("registry", [count(SINCE, 7)])
    return ResponseCounts(SINCE, UNTIL, [10.0, 100.0], [ServiceCounts(service, list(counts)), others])


def test_counts_are_added_up_by_the_citys_hours_also_where_there_are_none() -> None:
    moments = [SINCE, SINCE + timedelta(minutes=10), datetime(2026, 3, 2, 12, 35, tzinfo=UTC)]
    counts = [count(moment, number) for number, moment in zip((10, 30, 5), moments, strict=True)]
    slots = sum_slots(found(*counts), "search", COARSE_STEP, ZONE)
    assert len(slots) == 25
    assert slots[0].starts_at == datetime(2026, 3, 1, 9, tzinfo=ZONE)
    assert [slot.responses for slot in slots] == [40, *[0] * 23, 5]
    assert (slots[0].mean_ms, slots[1].mean_ms, slots[0].refusals) == (2.0, None, 2)
    assert sum(slot.responses for slot in sum_slots(found(*counts), None, FINE_STEP, ZONE)) == 45 + 7


def test_times_are_those_of_all_calls_of_an_hour_together_as_far_as_they_were_counted() -> None:
    counts = [count(SINCE, 5), count(SINCE, 10, [10, 0, 0]), count(SINCE + timedelta(minutes=5), 90, [40, 50, 0])]
    slot, *others = sum_slots(found(*counts), "search", COARSE_STEP, ZONE)
    assert (slot.half_ms, slot.most_ms) == (10.0, 91.0)
    assert {(other.half_ms, other.most_ms) for other in others} == {(None, None)}


def test_the_highest_value_lies_below_the_top_line_and_nothing_on_the_base() -> None:
    counts = found(*(count(SINCE + timedelta(hours=hour), 930 if hour == 1 else 0) for hour in range(25)))
    plot = draw_slots(sum_slots(counts, "search", COARSE_STEP, ZONE), lambda slot: slot.responses)
    assert [text for _, text in plot.rules] == ["0", "200", "400", "600", "800", "1.000"]
    assert plot.rules[-1][0] == TOP
    heights = [float(point.partition(",")[2]) for point in plot.line.removeprefix("M").split()]
    assert min(heights) == round(HEIGHT - BOTTOM - 0.93 * (HEIGHT - BOTTOM - TOP), 1)
    assert heights.count(plot.base) == 24
    assert [text for _, text in plot.hours] == ["12:00", "16:00", "20:00", "00:00", "04:00", "08:00"]


def test_a_day_without_faults_is_a_line_on_the_base() -> None:
    counts = found(*(count(SINCE + timedelta(minutes=15 * number), 1) for number in range(97)))
    plot = draw_slots(sum_slots(counts, "search", FINE_STEP, ZONE), lambda slot: slot.faults)
    assert {float(point.partition(",")[2]) for point in plot.line.removeprefix("M").split()} == {plot.base}


def test_where_there_are_no_times_line_and_surface_have_a_gap() -> None:
    hours = [1, 2, 5]
    counts = [count(SINCE + timedelta(hours=hour), 10, [10, 0, 0]) for hour in hours]
    plot = draw_slots(sum_slots(found(*counts), "search", COARSE_STEP, ZONE), lambda slot: slot.half_ms)
    together, alone = plot.line.removeprefix("M").split("M")
    assert len(together.split()) == 2
    left, right = (float(point.partition(",")[0]) for point in alone.split())
    assert right - left == pytest.approx((WIDTH - LEFT) / 25, abs=0.1)
    assert plot.surface.count("z") == 2
    empty = draw_slots(sum_slots(found(), "search", COARSE_STEP, ZONE), lambda slot: slot.half_ms)
    assert (empty.line, empty.surface, empty.rules[0][1]) == ("", "", "0")


def test_the_time_in_which_no_service_counted_is_a_gap() -> None:
    counts = [count(SINCE, 10), count(SINCE + timedelta(hours=20), 5)]
    plot = draw_slots(sum_slots(found(*counts), "employability", COARSE_STEP, ZONE), lambda slot: slot.responses)
    assert plot.line.count("M") == 2
    assert plot.line.count(f",{plot.base}") == 4
