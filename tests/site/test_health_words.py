"""The opening hours, colours and distances of health units, expressed in words."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.site.health.client import (
    Area,
    AreaMembers,
    Attendance,
    Board,
    Effects,
    Interval,
    Neighbourhood,
    OpenDay,
    Risk,
    Unit,
    WholeHours,
)
from balcao.site.health.colors import COLORS, describe_change, describe_state, find_color
from balcao.site.health.hours import describe_days, describe_hours, summarize_record, summarize_week
from balcao.site.health.picture import HEIGHT, WIDTH, GroundCache, Picture, draw_picture
from balcao.site.health.views import Filters, order_units
from balcao.web.city_map import MAX_POSITIONS, Outline, simplify
from balcao.web.words import WEEKDAYS, Words

WORDS = Words(ZoneInfo("America/Sao_Paulo"))
# Saturday, 28 November 2026, at 10:40 in the city.
NOW = datetime(2026, 11, 28, 13, 40, tzinfo=UTC)
NORMAL, NO_VISITS = Effects("normal", "normal"), Effects("suspensas", "normal")
MORNING, AFTERNOON = Interval("08:00", "12:00"), Interval("13:00", "17:20")


def make_unit(
    cnes: str = "9900001",
    *,
    bairro: str | None = "Porto",
    place: tuple[float, float] | None = (-22.84, -43.23),
    color: str = "Verde",
    effects: Effects = NORMAL,
    state: str = "aberto",
    opens: datetime | None = None,
    closes: datetime | None = None,
    hours: tuple[WholeHours | None, WholeHours | None] = (None, None),
) -> Unit:
    return Unit(
        cnes=cnes, nome="Clínica da Família do Porto", tipo="CF", ativa=True, area="2.1", bairro=bairro,
        logradouro="Avenida do Porto", numero="310", complemento=None, cep=None,
        telefone="(21) 2222-0001", celular=None, latitude=place and place[0], longitude=place and place[1],
        funcionamento_dia_util=hours[0], funcionamento_sabado=hours[1],
        risco_atual=Risk(color, None if color == "Verde" else NOW - timedelta(minutes=43), effects),
        atendimento=Attendance(state, opens, closes, NOW),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("intervals", "words"),
    [
        ([], "fechada"),
        ([MORNING], "8h às 12h"),
        ([AFTERNOON, MORNING], "8h às 12h e 13h às 17h20"),
        ([Interval("08:00", "12:00"), Interval("12:00", "17:00")], "8h às 17h"),
        ([Interval("00:00", "24:00")], "24 horas"),
        ([Interval("00:00", "12:00"), Interval("12:00", "24:00")], "24 horas"),
        ([Interval("18:00", "24:00")], "18h à meia-noite"),
        ([Interval("00:00", "01:30")], "meia-noite à 1h30"),
    ],
)
def test_the_hours_of_a_day_are_written_as_people_say_them(intervals: list[Interval], words: str) -> None:
    assert describe_hours(intervals) == words


def make_days(week: dict[int, list[Interval]], holidays: dict[date, str]) -> list[OpenDay]:
    days = [NOW.date() + timedelta(days=number) for number in range(14)]
    return [OpenDay(day, [] if day in holidays else week.get(day.weekday(), []), holidays.get(day)) for day in days]


def test_the_next_days_have_their_names_and_the_reason_of_a_holiday() -> None:
    days = describe_days(make_days({5: [MORNING]}, {date(2026, 12, 5): "Feriado municipal"}), NOW.date())
    assert days[0][:1] + days[0][2:4] == ("Hoje", "sábado, 28 de novembro", "8h às 12h")
    assert (days[1].name, days[1].hours) == ("Amanhã", "fechada")
    assert (days[2].name, days[2].date_in_words) == ("Segunda-feira", "30 de novembro")
    assert (days[7].date_in_words, days[7].hours, days[7].reason) == ("5 de dezembro", "fechada", "Feriado municipal")


def test_an_ordinary_week_is_summarized_and_a_holiday_does_not_count() -> None:
    whole = [Interval("08:00", "17:00")]
    week = dict.fromkeys(range(5), whole) | {5: [MORNING]}
    lines = [("segunda a sexta", "8h às 17h"), ("sábado", "8h às 12h"), ("domingo", "fechada")]
    assert summarize_week(make_days(week, {})) == lines
    assert summarize_week(make_days(week, {date(2026, 12, 2): "Feriado"})) == lines
    assert summarize_week(make_days({day: [Interval("00:00", "24:00")] for day in range(7)}, {})) == [
        ("todos os dias", "24 horas")
    ]
    assert summarize_week([]) == []


@given(st.dictionaries(st.integers(0, 6), st.sampled_from([[MORNING], [AFTERNOON], [MORNING, AFTERNOON]])))
def test_every_weekday_is_in_the_summary_once_with_its_hours(week: dict[int, list[Interval]]) -> None:
    found: dict[str, str] = {}
    short = [name.removesuffix("-feira") for name in WEEKDAYS]
    for name, hours in summarize_week(make_days(week, {})):
        first, _, last = name.partition(" a ")
        if name == "todos os dias":
            names = short
        elif last:
            names = short[short.index(first) : short.index(last) + 1]
        else:
            names = [each.removesuffix("-feira") for each in name.split(" e ")]
        assert not found.keys() & set(names)
        found |= dict.fromkeys(names, hours)
    assert found == {name: describe_hours(week.get(day, [])) for day, name in enumerate(short)}


def test_the_record_is_summarized_for_the_list() -> None:
    assert summarize_record(make_unit(hours=(WholeHours(8, 17), WholeHours(8, 12)))) == (
        "segunda a sexta, 8h às 17h · sábado, 8h às 12h"
    )
    assert summarize_record(make_unit(hours=(WholeHours(0, 24), WholeHours(0, 24)))) == "todos os dias, 24 horas"
    assert summarize_record(make_unit()) == ""


@pytest.mark.parametrize(
    ("unit", "words", "is_open"),
    [
        (make_unit(closes=NOW + timedelta(hours=1, minutes=20)), "Aberta até 12h", True),
        (make_unit(closes=datetime(2026, 11, 29, 3, tzinfo=UTC)), "Aberta até meia-noite", True),
        (make_unit(closes=datetime(2026, 11, 29, 10, tzinfo=UTC)), "Aberta até amanhã, às 7h", True),
        (make_unit(), "Aberta 24 horas", True),
        (make_unit(state="fechado"), "Fechada agora", False),
        (make_unit(state="fechado", opens=NOW + timedelta(hours=2, minutes=20)), "Fechada agora, abre às 13h", False),
        (
            make_unit(state="fechado", opens=datetime(2026, 11, 30, 11, tzinfo=UTC)),
            "Fechada agora, abre segunda-feira, às 8h",
            False,
        ),
        (
            make_unit(state="fechado", opens=datetime(2026, 12, 9, 11, tzinfo=UTC)),
            "Fechada agora, abre em 9 de dezembro, às 8h",
            False,
        ),
        (make_unit(state="fechado_por_risco", color="Vermelho"), "Fechada por segurança", False),
        (make_unit(state="desconhecido"), "Não sabemos o horário", False),
        (make_unit(state="algo novo"), "Não sabemos o horário", False),
    ],
)
def test_the_state_says_until_when_or_from_when(unit: Unit, words: str, is_open: bool) -> None:
    state = describe_state(unit.atendimento, WORDS)
    assert (state.text, state.is_open) == (words, is_open)


def test_what_changes_follows_the_effects_and_not_the_colour() -> None:
    assert describe_change(make_unit(), WORDS) is None
    assert describe_change(make_unit(color="Amarelo", effects=NO_VISITS), WORDS) == (
        "Atende na unidade. As visitas em casa estão suspensas desde as 9h57."
    )
    assert describe_change(make_unit(color="Amarelo"), WORDS) is None
    limited = make_unit(color="Laranja", effects=Effects("suspensas", "restrito"))
    assert "Ligue antes de ir" in (describe_change(limited, WORDS) or "")
    closed = make_unit(color="Vermelho", state="fechado_por_risco", effects=Effects("suspensas", "suspenso"))
    assert describe_change(closed, WORDS) == "Sem atendimento desde as 9h57."


def test_an_unknown_colour_counts_as_the_highest() -> None:
    assert find_color(Risk("Roxo", None, NORMAL)) == COLORS["Vermelho"]
    assert len({color.symbol for color in COLORS.values()}) == len(COLORS)


def test_the_nearest_unit_comes_first_and_one_without_a_position_last() -> None:
    units = [
        make_unit("1", bairro="Centro", place=None),
        make_unit("2", bairro="Vila Nova", place=(-22.90, -43.40)),
        make_unit("3", bairro="Centro", place=(-22.851, -43.30)),
        make_unit("4", bairro="Farol", place=(-22.86, -43.30), color="Vermelho", state="fechado_por_risco"),
    ]
    centre = Neighbourhood("Centro", -22.85, -43.30)
    views = order_units(Board(units, is_current=True), units, WORDS, centre, {"2": "8h às 12h"})
    assert [view.unit.cnes for view in views] == ["3", "2", "1", "4"]
    assert [view.distance for view in views] == ["no bairro Centro", "a uns 12 km", "", "a uns 1 km"]
    assert [view.on_day for view in views] == ["", "8h às 12h", "", ""]
    unknown = order_units(Board(units, is_current=False), units, WORDS, None, {})
    assert {(view.color, view.state, view.distance) for view in unknown} == {(None, None, "")}


def test_open_units_come_first_then_other_colours_and_each_group_has_a_fixed_order() -> None:
    units = [
        make_unit("1", state="fechado"),
        make_unit("2", state="fechado"),
        make_unit("3", color="Vermelho", state="fechado_por_risco"),
        make_unit("4", color="Amarelo", state="fechado"),
        make_unit("5", color="Laranja"),
        make_unit("6"),
    ]

    def order(*, is_current: bool = True, openings: dict[str, str] | None = None) -> list[str]:
        views = order_units(Board(units, is_current), units[::-1], WORDS, None, openings or {})
        return [view.unit.cnes for view in views]

    assert order() == ["5", "6", "3", "4", "1", "2"]
    assert order(is_current=False) == ["1", "2", "3", "4", "5", "6"]
    assert order(openings={"1": "8h às 12h"}) == ["1", "2", "4", "5", "6", "3"]


@given(st.dates(), st.sampled_from([("amanha", None), ("sabado", 5), ("domingo", 6)]))
def test_a_chosen_day_is_the_next_one_of_its_name(today: date, choice: tuple[str, int | None]) -> None:
    when, weekday = choice
    day = Filters("", when, "", "").find_day(today) if today < date.max - timedelta(days=7) else None
    if day is None:
        return
    assert day - today == timedelta(days=1) if weekday is None else timedelta(0) <= day - today < timedelta(days=7)
    assert weekday is None or day.weekday() == weekday
    assert Filters("", "agora", "", "").find_day(today) is None


SQUARE = [[-43.3, -23.0], [-43.1, -23.0], [-43.1, -22.8], [-43.3, -22.8], [-43.3, -23.0]]
AREA = Area(AreaMembers("2.1", "Centro"), Outline("Polygon", [SQUARE]))


async def draw(areas: list[Area], units: list[Unit], chosen: set[str] | None) -> Picture | None:
    ground = await GroundCache().get(areas, units)
    return ground and draw_picture(ground, units, chosen)


async def test_the_map_has_a_mark_for_each_unit_with_a_position_and_the_most_important_on_top() -> None:
    units = [
        make_unit("1", color="Vermelho", place=(-22.81, -43.2)),
        make_unit("2", place=(-22.99, -43.2)),
        make_unit("3", place=None),
        make_unit("4", color="Amarelo", place=(-22.9, -43.15)),
        make_unit("5", place=(0.0, 0.0)),
    ]
    picture = await draw([AREA], units, {"2", "4"})
    assert picture is not None
    assert [(mark.rank, mark.is_chosen) for mark in picture.marks] == [(4, False), (1, True), (2, True)]
    assert all(0 < mark.x < WIDTH and 0 < mark.y < HEIGHT for mark in picture.marks)
    assert picture.marks[2].name.endswith(": amarelo")
    assert "vermelho" not in picture.marks[0].name
    without_colors = await draw([AREA], units, None)
    assert without_colors is not None
    assert {mark.rank for mark in without_colors.marks} == {0}
    assert not any("vermelho" in mark.name for mark in without_colors.marks)


async def test_a_map_without_any_position_is_left_out_and_one_without_areas_shows_the_units() -> None:
    assert await draw([], [make_unit(place=None)], set()) is None
    picture = await draw([], [make_unit("1"), make_unit("2", place=(-22.9, -43.3))], set())
    assert picture is not None
    assert len(picture.marks) == 2
    assert not picture.areas


async def test_the_ground_of_the_map_is_drawn_again_only_if_it_changes() -> None:
    cache, areas, units = GroundCache(), [AREA], [make_unit("1"), make_unit("2", color="Amarelo")]
    first = await cache.get(areas, units)
    assert await cache.get(areas, [make_unit("2"), make_unit("1", color="Vermelho")]) is first
    assert await cache.get(areas, [make_unit("1", place=(-22.9, -43.2))]) is not first
    assert await cache.get([AREA], units) is not first


def test_large_outlines_are_simplified_and_neighbours_keep_their_border() -> None:
    border = [(200 + (number % 7) / 2, number * 0.3) for number in range(1000)]
    left, right = [*border, (0.0, 300.0), (0.0, 0.0)], [*border, (430.0, 300.0), (430.0, 0.0)]
    simple = simplify([[left], [right], *([[left]] * 98)])
    assert sum(len(ring) for rings in simple for ring in rings) <= MAX_POSITIONS
    (first,), (second,) = simple[:2]
    assert {place for place in first if 150 < place[0] < 250} == {place for place in second if 150 < place[0] < 250}
    assert len(set(first) & set(second)) > 2
