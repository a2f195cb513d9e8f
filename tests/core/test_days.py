"""A day is written as its midnight in the city's time zone, and an instant in UTC (rules: registry 1.1)."""

import re
from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.values.days import format_day, parse_day
from tests.support.proof_sizes import size

RFC3339 = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})")
ZONES = ("America/Sao_Paulo", "America/Manaus", "America/Noronha", "Europe/Amsterdam", "UTC")


@settings(deadline=None, max_examples=size(200, 5000))
@given(day=st.dates(date(1800, 1, 1), date(2200, 1, 1)), name=st.sampled_from(ZONES))
def test_a_day_is_that_day_in_the_citys_zone(day: date, name: str) -> None:
    text = format_day(day.isoformat(), ZoneInfo(name))
    assert text is not None
    assert RFC3339.fullmatch(text)
    assert datetime.fromisoformat(text).astimezone(ZoneInfo(name)).date() == day


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1990-05-17", "1990-05-17T00:00:00-03:00"),
        ("1900-01-01", "1900-01-01T00:00:00-03:07"),
        ("2018-11-04", "2018-11-04T00:00:00-03:00"),
        ("2019-01-31", "2019-01-31T00:00:00-02:00"),
        ("2020-01-01T10:00:00-03:00", "2020-01-01T13:00:00Z"),
        (None, None),
    ],
)
def test_a_day_gets_midnight_and_an_instant_is_in_utc(text: str | None, expected: str | None) -> None:
    assert format_day(text, ZoneInfo("America/Sao_Paulo")) == expected


@pytest.mark.parametrize(
    "text", ["", "2020", "2020-02-30", "20200101", "2020-W01-1", "2020-01-01T10:00:00", "0001-01-01T00:00:00+23:59"]
)
def test_what_is_neither_day_nor_instant_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="AAAA-MM-DD"):
        parse_day(text)
