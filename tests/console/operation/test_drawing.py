"""Where the lines of a plot stand."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from balcao.console.operation.drawing import BOTTOM, COARSE, FINE, HEIGHT, TOP, draw_slots, sum_slots
from balcao.console.operation.platform_client import ResponseCount, ResponseCounts, ServiceCounts

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
    slots = sum_slots(found(*counts), "search", COARSE, ZONE)
    assert len(slots) == 25
    assert slots[0].starts_at == datetime(2026, 3, 1, 9, tzinfo=ZONE)
    assert [slot.responses for slot in slots] == [40, *[0] * 23, 5]
    assert (slots[0].mean_ms, slots[1].mean_ms, slots[0].refusals) == (2.0, None, 2)
    assert sum(slot.responses for slot in sum_slots(found(*counts), None, FINE, ZONE)) == 45 + 7


def test_times_are_those_of_all_calls_of_an_hour_together_as_far_as_they_were_counted() -> None:
    counts = [count(SINCE, 5), count(SINCE, 10, [10, 0, 0]), count(SINCE + timedelta(minutes=5), 90, [40, 50, 0])]
    slot, *others = sum_slots(found(*counts), "search", COARSE, ZONE)
    assert (slot.half_ms, slot.most_ms) == (10.0, 91.0)
    assert {(other.half_ms, other.most_ms) for other in others} == {(None, None)}


def test_the_highest_value_lies_below_the_top_line_and_nothing_on_the_base() -> None:
    counts = found(count(SINCE + timedelta(hours=1), 930))
    plot = draw_slots(sum_slots(counts, "search", COARSE, ZONE), lambda slot: slot.responses)
    assert [text for _, text in plot.rules] == ["0", "200", "400", "600", "800", "1.000"]
    assert plot.rules[-1][0] == TOP
    heights = [float(point.partition(",")[2]) for point in plot.line.removeprefix("M").split()]
    assert min(heights) == round(HEIGHT - BOTTOM - 0.93 * (HEIGHT - BOTTOM - TOP), 1)
    assert heights.count(plot.base) == 24
    assert [text for _, text in plot.hours] == ["12:00", "16:00", "20:00", "00:00", "04:00", "08:00"]


def test_a_day_without_calls_is_a_line_on_the_base() -> None:
    plot = draw_slots(sum_slots(found(), "search", FINE, ZONE), lambda slot: slot.faults)
    assert {float(point.partition(",")[2]) for point in plot.line.removeprefix("M").split()} == {plot.base}
