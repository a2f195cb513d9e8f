"""The numbers behind the pictures: positions on the map, lengths of spans, heights of bars."""

import asyncio
import math
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import httpx
import msgspec

from balcao.panel.health_units.calendar import lay_out_year
from balcao.panel.health_units.client import (
    Area,
    AreaMembers,
    CityEvent,
    Count,
    Counts,
    Event,
    NamedUnit,
    Risk,
    Unit,
)
from balcao.panel.health_units.client import Service as Opening
from balcao.panel.health_units.drawing import (
    MAP_HEIGHT,
    MAP_WIDTH,
    STRIP_WIDTH,
    CityMap,
    MapDrawer,
    draw_counts,
    draw_history,
    draw_known,
    sum_counts,
)
from balcao.panel.health_units.forms import parse_intervals
from balcao.web.city_map import MAX_POSITIONS, Outline

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
SINCE = NOW - timedelta(days=30)
SQUARE = [[-43.3, -23.0], [-43.1, -23.0], [-43.1, -22.8], [-43.3, -22.8], [-43.3, -23.0]]


def make_unit(color: str, longitude: float | None, latitude: float | None) -> Unit:
    return Unit(
        "9900001", "Clínica da Família do Porto", "CF", "2.1", "Porto", None, None, None, True,
        Risk(color, None, None), Opening("aberto", None, None), latitude, longitude,
    )  # fmt: skip


def make_event(notification: str, days_ago: float, tipo: str, before: str | None, after: str) -> CityEvent:
    at = NOW - timedelta(days=days_ago)
    unit = NamedUnit("9900001", "Clínica", None, None)
    return CityEvent("e", notification, unit, False, Event(tipo, before, after, None, None, "Rui", at))


def draw(areas: list[Area], units: list[Unit] | tuple[Unit, ...]) -> CityMap | None:
    body = msgspec.json.encode({"features": areas})
    return asyncio.run(MapDrawer().draw(httpx.Response(200, content=body, headers={"ETag": '"a"'}), units))


def test_a_map_shows_every_place_north_up_and_the_highest_risk_on_top() -> None:
    area = Area(AreaMembers("2.1", "Centro"), Outline("Polygon", [SQUARE]))
    units = [make_unit("Vermelho", -43.2, -22.81), make_unit("Verde", -43.2, -22.99), make_unit("Verde", None, None)]
    drawn = draw([area], units)
    assert drawn is not None
    green, red = drawn.marks
    assert (green.symbol, red.symbol) == ("green", "red")
    assert green.y > red.y
    assert green.label is None
    assert red.label is not None
    assert red.label.text == "CF do Porto · Vermelho"
    ((_, label),) = drawn.areas
    for x, y in [(mark.x, mark.y) for mark in drawn.marks] + [(label.x, label.y)]:
        assert 0 < x < MAP_WIDTH
        assert 0 < y < MAP_HEIGHT
    assert draw([], [make_unit("Verde", None, None)]) is None


def test_the_name_of_an_area_makes_room_for_what_lies_in_it_and_not_for_what_lies_far_away() -> None:
    small = [[longitude / 10 - 38.97, latitude / 10 - 20.7] for longitude, latitude in SQUARE]
    areas = [Area(AreaMembers("1.0", "Serra"), Outline("Polygon", [small]))]

    def place_name(*units: Unit) -> tuple[float, float]:
        drawn = draw([*areas, Area(AreaMembers("2.1", "Centro"), Outline("Polygon", [SQUARE]))], units)
        assert drawn is not None
        return drawn.areas[0][1][:2]

    alone = place_name(make_unit("Verde", -43.11, -22.81))
    assert place_name(make_unit("Vermelho", -43.11, -22.81)) == alone
    middle = [sum(position[axis] for position in small[:4]) / 4 for axis in (0, 1)]
    assert place_name(make_unit("Verde", *middle)) != alone


def test_the_largest_outlines_become_a_small_picture_that_is_drawn_again_only_if_they_change() -> None:
    def circle(number: int) -> Area:
        turns = [place * math.tau / 1_000 for place in range(1_000)]
        ring = [[number % 10 + math.cos(turn) / 3, number // 10 + math.sin(turn) / 3] for turn in turns]
        return Area(AreaMembers(f"{number}", "Área"), Outline("Polygon", [[*ring, ring[0]]]))

    drawer, areas = MapDrawer(), {"features": [circle(number) for number in range(100)]}
    units = [make_unit("Laranja", number % 10, number // 10) for number in range(100)]

    def draw_answer(etag: str, content: bytes) -> CityMap:
        drawn = asyncio.run(drawer.draw(httpx.Response(200, content=content, headers={"ETag": etag}), units))
        assert drawn is not None
        return drawn

    drawn = draw_answer('"a"', msgspec.json.encode(areas))
    assert len(drawn.areas) == 100
    assert sum(path.count(",") for path, _ in drawn.areas) <= MAX_POSITIONS
    units[0] = make_unit("Vermelho", 0, 0)
    again = draw_answer('"a"', b"not decoded")
    assert [path for path, _ in again.areas] == [path for path, _ in drawn.areas]
    assert again.marks[-1].symbol == "red"
    assert draw_answer('"b"', msgspec.json.encode({"features": []})).areas == []


def test_a_history_has_each_colour_for_as_long_as_it_lasted() -> None:
    events = [
        make_event("b", 0.5, "abertura", None, "Vermelho"),
        make_event("a", 10, "encerramento", "Laranja", "Verde"),
        make_event("a", 12, "mudanca", "Amarelo", "Laranja"),
        make_event("a", 15, "abertura", None, "Amarelo"),
    ]
    spans = draw_history(events, "Vermelho", SINCE, NOW)
    assert [span.color for span in spans] == ["Amarelo", "Laranja", "Vermelho"]
    assert [round(span.width / STRIP_WIDTH * 30, 1) for span in spans] == [3.0, 2.0, 0.5]
    assert spans[2].end is None
    assert [earlier.height < later.height for earlier, later in pairwise(spans)] == [True, True]


def test_what_began_before_the_history_is_in_it_from_its_beginning() -> None:
    (confirmed, after) = draw_history([make_event("a", 20, "confirmacao", "Laranja", "Laranja")], "Laranja", SINCE, NOW)
    assert (confirmed.x, confirmed.start, after.end) == (0, SINCE, None)
    (untouched,) = draw_history([], "Amarelo", SINCE, NOW)
    assert (untouched.color, untouched.width) == ("Amarelo", STRIP_WIDTH)
    assert draw_history([], "Verde", SINCE, NOW) == []


def test_bars_are_as_high_as_their_numbers_and_stay_under_the_scale() -> None:
    plot = draw_counts({"out 2026": {"Amarelo": 3, "Vermelho": 7}, "nov 2026": {"Amarelo": 20}})
    first, second = plot.bars
    assert (first.total, second.total) == (10, 20)
    assert first.pieces[1][3] / first.pieces[0][3] > 2.3
    assert round(sum(piece[3] for piece in first.pieces) * 2, 1) == round(second.pieces[0][3], 1)
    assert plot.lines[-1][1] >= 20
    assert draw_counts({}).bars == []


def test_a_period_without_a_notification_has_its_place_among_the_bars() -> None:
    def make_counts(*periods: str) -> Counts:
        found = [Count(period, date(2025, 11, 1), None, None, None, 2, {"Amarelo": 2}) for period in periods]
        return Counts(date(2025, 10, 1), date(2026, 3, 31), found)

    months = sum_counts(make_counts("2025-11", "2026-02"), quarterly=False)
    assert [sum(colors.values()) for colors in months.values()] == [0, 2, 0, 0, 2, 0]
    assert list(months)[2:4] == ["2025-12", "2026-01"]
    assert list(sum_counts(make_counts("2026-T1"), quarterly=True)) == ["2025-T4", "2026-T1"]
    assert sum_counts(make_counts(), quarterly=False) == {}


def test_the_time_before_the_oldest_event_that_was_read_is_a_gap() -> None:
    events = [make_event("a", 10, "encerramento", "Laranja", "Verde"), make_event("a", 15, "abertura", None, "Laranja")]
    known = draw_known(events, 500, SINCE, NOW)
    assert (known.color, known.x, known.width) == ("Verde", 0, STRIP_WIDTH)
    assert draw_known(events, 2, SINCE, NOW).x == STRIP_WIDTH / 2


def test_hours_are_read_as_people_write_them() -> None:
    assert parse_intervals("8h-12h; 13:30 às 17h") == [
        {"inicio": "08:00", "fim": "12:00"}, {"inicio": "13:30", "fim": "17:00"}
    ]  # fmt: skip
    assert parse_intervals(" ") == []


def test_a_year_has_each_of_its_days_once() -> None:
    days = [day for month in lay_out_year(2028, {}) for week in month.weeks for day in week if day]
    assert len(days) == len({day.day for day in days}) == 366
