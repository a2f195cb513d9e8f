"""The opening state of a unit, compared with a slow reference implementation (rules: health_units 4.2)."""

import itertools
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.health_units.holidays.calendar import list_national_holidays
from balcao.health_units.opening import (
    SATURDAY,
    WEEKDAYS,
    Hours,
    Interval,
    Opening,
    Situacao,
    Timetable,
    find_opening,
    find_openings_fault,
    find_usual_hours,
)
from balcao.zones import load_zone
from tests.support.rules import read_values

ZONE = load_zone("America/Sao_Paulo")
STEP = timedelta(minutes=30)
WORKDAY = [Interval("08:00", "17:00")]
WEEK = Timetable(dict.fromkeys(WEEKDAYS, WORKDAY) | {SATURDAY: [Interval("08:00", "12:00")]})
ALWAYS = Timetable({day: [Interval("00:00", "24:00")] for day in range(1, 8)})
HOLIDAYS = {holiday.data for year in (2026, 2027) for holiday in list_national_holidays(year) if holiday.fecha}


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE)


def opening(timetable: Timetable, text: str) -> tuple[str, str | None, str | None]:
    found = find_opening(timetable, HOLIDAYS, at(text))
    return found.situacao, local(found.opens_at), local(found.closes_at)


def local(instant: datetime | None) -> str | None:
    return None if instant is None else instant.astimezone(ZONE).replace(tzinfo=None).isoformat(timespec="minutes")


def is_open(timetable: Timetable, holidays: set[date], instant: datetime) -> bool:
    """Return whether the unit is open at the instant, using only the intervals of that day."""
    clock = instant.astimezone(ZONE)
    if clock.date() in timetable.exceptions:
        intervals = timetable.exceptions[clock.date()]
    elif clock.date() in holidays and not timetable.opens_on_holidays:
        intervals = []
    else:
        intervals = timetable.week.get(clock.isoweekday(), [])
    return any(interval.inicio <= clock.strftime("%H:%M") < interval.fim for interval in intervals)


def find_slowly(timetable: Timetable, holidays: set[date], now: datetime) -> Opening:
    """Advance in steps of half an hour until the state changes."""
    open_now = is_open(timetable, holidays, now)
    instant = now.astimezone(UTC)
    instant -= timedelta(minutes=instant.minute % 30)
    # The reference looks for a closing until the end of the last day, but for an opening only until this time on that
    # day.
    end = datetime.combine(now.date() + timedelta(days=15), datetime.min.time(), ZONE) - STEP
    until = end if open_now else now + timedelta(days=14)
    while instant + STEP <= until:
        instant += STEP
        if is_open(timetable, holidays, instant) != open_now:
            return Opening(Situacao.ABERTO, None, instant) if open_now else Opening(Situacao.FECHADO, instant, None)
    return Opening(Situacao.ABERTO if open_now else Situacao.FECHADO)


@st.composite
def days(draw: st.DrawFn) -> Sequence[Interval]:
    """Draw up to four intervals that start and end at half hours. They do not overlap, but some touch."""
    marks = sorted(draw(st.sets(st.integers(0, 48), max_size=6)))
    pairs = [(start, end) for start, end in itertools.pairwise(marks) if draw(st.booleans())][:4]
    return [Interval(write(start), write(end)) for start, end in pairs]


def write(halves: int) -> str:
    return f"{halves // 2:02}:{halves % 2 * 30:02}"


DAYS = st.dates(date(2026, 6, 1), date(2026, 6, 28))


@given(
    week=st.dictionaries(st.integers(1, 7), days()),
    exceptions=st.dictionaries(DAYS, days(), max_size=4),
    holidays=st.sets(DAYS, max_size=4),
    opens_on_holidays=st.booleans(),
    minutes=st.integers(0, 14 * 24 * 60),
)
def test_the_state_is_what_a_walk_through_time_finds(
    week: dict[int, Sequence[Interval]],
    exceptions: dict[date, Sequence[Interval]],
    holidays: set[date],
    opens_on_holidays: bool,
    minutes: int,
) -> None:
    timetable = Timetable(week, opens_on_holidays, exceptions)
    now = at("2026-06-01T00:00") + timedelta(minutes=minutes)
    assert all(find_openings_fault((each.inicio, each.fim) for each in day) is None for day in week.values())
    assert find_opening(timetable, holidays, now) == find_slowly(timetable, holidays, now)


@pytest.mark.cases("health_units", "30", "31", "32", "33", "34", "35")
@pytest.mark.parametrize(
    ("timetable", "opens_on_holidays", "now", "state", "opens_at", "closes_at"), read_values("health_units", "30 to 35")
)
def test_the_opening_is_found_for_every_timetable(
    timetable: dict[str, list[str]],
    opens_on_holidays: bool,
    now: str,
    state: str,
    opens_at: str | None,
    closes_at: str | None,
) -> None:
    assert opening(read_timetable(timetable, opens_on_holidays), now) == (state, opens_at, closes_at)


def read_timetable(days: dict[str, list[str]], opens_on_holidays: bool) -> Timetable:
    """Parse the timetable on the rules page. Keys are weekdays (`1-5`) or the dates of exceptions."""
    week: dict[int, list[Interval]] = {}
    exceptions: dict[date, list[Interval]] = {}
    for day, texts in days.items():
        intervals = [Interval(*text.split("-")) for text in texts]
        if len(day) == len("2026-04-03"):
            exceptions[date.fromisoformat(day)] = intervals
        else:
            first, _, last = day.partition("-")
            week |= dict.fromkeys(range(int(first), int(last or first) + 1), intervals)
    return Timetable(week, opens_on_holidays, exceptions)


def test_an_opening_is_told_up_to_two_weeks_ahead() -> None:
    once = Timetable({}, exceptions={date(2026, 10, 19): [Interval("09:00", "10:00")]})
    assert opening(once, "2026-10-05T09:00") == ("fechado", "2026-10-19T09:00", None)
    assert opening(once, "2026-10-05T08:59") == ("fechado", None, None)


def test_what_comes_before_the_timetable() -> None:
    now = at("2026-10-05T10:00")
    assert find_opening(WEEK, [], now, active=False, closed_by_risk=True) == Opening(Situacao.FECHADO)
    assert find_opening(WEEK, [], now, closed_by_risk=True) == Opening(Situacao.FECHADO_POR_RISCO)
    assert find_opening(None, [], now, closed_by_risk=True) == Opening(Situacao.FECHADO_POR_RISCO)
    assert find_opening(None, [], now) == Opening(Situacao.DESCONHECIDO)
    assert find_opening(Timetable({}), [], now) == Opening(Situacao.FECHADO)


def test_a_clock_that_is_put_back_closes_nothing() -> None:
    """Until 2019 the city had daylight saving time. On this night, the hour that starts at 23:00 occurred twice."""
    found = find_opening(Timetable(ALWAYS.week, True), [], at("2018-02-17T23:30").replace(fold=1))
    assert found.situacao is Situacao.ABERTO
    later = Timetable({6: [Interval("22:00", "24:00")]})
    closing = find_opening(later, [], at("2018-02-17T22:30")).closes_at
    assert closing == datetime(2018, 2, 18, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ([Interval("11:59", "13:00"), Interval("08:00", "12:00")], "os intervalos de um dia não podem se sobrepor"),
        ([Interval("08:00", "08:00")], "cada intervalo deve começar antes de terminar"),
        ([Interval("09:00", "08:00")], "cada intervalo deve começar antes de terminar"),
        ([Interval(f"0{hour}:00", f"0{hour}:30") for hour in range(5)], "no máximo 4 intervalos por dia"),
        ([Interval("12:00", "24:00"), Interval("08:00", "12:00")], None),
    ],
    ids=["overlap", "empty", "backwards", "five", "touching"],
)
def test_a_faulty_day_is_named(day: list[Interval], expected: str | None) -> None:
    assert find_openings_fault((each.inicio, each.fim) for each in day) == expected


@pytest.mark.parametrize(
    ("week", "expected"),
    [
        (dict.fromkeys(WEEKDAYS, WORKDAY), Hours(8, 17)),
        ({1: [Interval("07:30", "12:00"), Interval("13:00", "18:10")]}, Hours(7, 19)),
        ({1: [Interval("06:00", "07:00")], 2: WORKDAY, 3: WORKDAY}, Hours(8, 17)),
        ({1: [Interval("10:00", "11:00")], 2: WORKDAY, 3: WORKDAY}, Hours(8, 17)),
        ({1: [Interval("06:00", "07:00")], 2: WORKDAY}, Hours(6, 7)),
        (ALWAYS.week, Hours(0, 24)),
        ({SATURDAY: WORKDAY}, None),
    ],
    ids=["plain", "rounded", "commonest", "commonest, not the last", "first of two", "always", "closed"],
)
def test_whole_hours_are_those_of_the_commonest_weekday(
    week: dict[int, list[Interval]], expected: Hours | None
) -> None:
    assert find_usual_hours(Timetable(week), WEEKDAYS) == expected
    assert find_usual_hours(None, WEEKDAYS) is None


def test_the_movable_holidays_keep_their_distance_from_easter() -> None:
    for year, easter in ((2026, date(2026, 4, 5)), (2027, date(2027, 3, 28)), (2038, date(2038, 4, 25))):
        movable = {holiday.data: holiday for holiday in list_national_holidays(year)}
        found = {distance: movable[easter + timedelta(days=distance)] for distance in (-48, -47, -2, 60)}
        assert [holiday.nome for holiday in found.values()] == [
            "Carnaval",
            "Carnaval",
            "Paixão de Cristo",
            "Corpus Christi",
        ]
        assert [holiday.facultativo for holiday in found.values()] == [True, True, False, True]
        assert len(movable) == 13
