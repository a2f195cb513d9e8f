"""A period between two days of the city, or between two instants."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.errors import Invalid
from balcao.core.values.period import Period, parse_closed_period, parse_period
from balcao.zones import load_zone
from tests.support.proof_sizes import EXAMPLES

# The first zone had daylight saving time until 2019. The second is 5:45 hours ahead of UTC.
ZONES = st.sampled_from([load_zone("America/Sao_Paulo"), load_zone("Asia/Kathmandu")])
DAYS = st.dates(date(1970, 1, 2), date(2100, 1, 1))
MONTH, SMALLEST = timedelta(days=31), timedelta(microseconds=1)
LENGTHS = st.timedeltas(timedelta(days=-3), timedelta(days=40)) | st.sampled_from([MONTH, MONTH + SMALLEST, -SMALLEST])
INSTANTS = st.datetimes(datetime(1970, 1, 3), datetime(2100, 1, 1), timezones=st.just(UTC))


def lies_in(period: Period, instant: datetime) -> bool:
    return (period.start is None or period.start <= instant) and (period.end is None or instant < period.end)


@settings(max_examples=EXAMPLES)
@given(zone=ZONES, start=st.none() | DAYS, end=st.none() | DAYS, instant=INSTANTS)
def test_days_hold_what_happens_on_them_in_the_city_both_included(
    zone: ZoneInfo, start: date | None, end: date | None, instant: datetime
) -> None:
    query = {name: day.isoformat() for name, day in (("from", start), ("to", end)) if day}
    day = instant.astimezone(zone).date()
    assert lies_in(parse_period(query, zone), instant) == (
        (start is None or start <= day) and (end is None or day <= end)
    )


@settings(max_examples=EXAMPLES)
@given(zone=ZONES, start=INSTANTS, end=INSTANTS, instant=INSTANTS)
def test_instants_hold_what_lies_between_them_both_included(
    zone: ZoneInfo, start: datetime, end: datetime, instant: datetime
) -> None:
    period = parse_period({"from": start.isoformat(), "to": end.astimezone(zone).isoformat()}, zone)
    for each in (start, end, instant):
        assert lies_in(period, each) == (start <= each <= end)


@settings(max_examples=EXAMPLES)
@given(zone=ZONES, start=INSTANTS, length=LENGTHS)
def test_a_closed_period_is_as_long_as_it_may_be_and_never_backwards(
    zone: ZoneInfo, start: datetime, length: timedelta
) -> None:
    query = {"from": start.isoformat(), "to": (start + length).isoformat()}
    if timedelta(0) <= length <= MONTH:
        found = parse_closed_period(query, zone, MONTH)
        assert lies_in(found, start + length)
    else:
        with pytest.raises(Invalid) as refused:
            parse_closed_period(query, zone, MONTH)
        assert refused.value.code == "period-invalid"


@pytest.mark.parametrize(
    "text", ["", "ontem", "2026-02-30", "2026-07-01T10:00:00", "1969-12-30", "2026-7-1", "1751398278", "²" * 10]
)
@pytest.mark.parametrize("name", ["from", "to"])
def test_what_is_no_bound_is_refused_by_its_name(name: str, text: str) -> None:
    with pytest.raises(Invalid) as refused:
        parse_period({name: text}, load_zone("America/Sao_Paulo"))
    assert refused.value.code == f"{name}-invalid"
