"""Response counts of each service: summed over processes, retained while the database is down, deleted later."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao import app
from balcao.core.audit import retention
from balcao.core.audit.platform_data import RETENTION
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.database import pool
from balcao.core.errors import Unavailable
from balcao.core.live import response_counts
from balcao.core.live.response_counts import DAY, FIVE_MINUTES, Recorder, Span, list_response_counts
from balcao.core.telemetry import Telemetry
from balcao.settings import Settings
from tests.core.relay import Relay
from tests.support.fixture_types import Sql
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer

ZONE = ZoneInfo("America/Sao_Paulo")
OPTIONS = "/registry/v1/citizen/ethnicity/options"
# 00:31 in the city, which is 03:31 of the same day in UTC.
NIGHT = datetime(2026, 3, 2, 3, 31, 7, tzinfo=UTC)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _nothing_counted(sql: Sql) -> None:
    sql("DELETE FROM platform.response_count")


async def read(platform: Platform, span: Span) -> list[tuple[object, ...]]:
    found = await list_response_counts(platform.database, span, LONG_AGO)
    return [
        (one.service, one.starts_at.astimezone(ZONE), one.responses, one.refusals, one.faults, one.slow)
        for one in found
    ]


def answer(telemetry: Telemetry, service: str, *statuses: int, seconds: float = 0.001) -> None:
    for status in statuses:
        telemetry.meter(service, f"{service}.read", "GET").count(status, seconds)


async def test_what_two_processes_answered_is_added_up_by_five_minutes_and_by_the_citys_day(platform: Platform) -> None:
    one, other = Telemetry(), Telemetry()
    answer(one, "registry", 200, 500)  # not counted, because the recorders have not started
    recorders = [Recorder(platform.database, telemetry, ZONE) for telemetry in (one, other)]
    answer(one, "registry", 200, 404, 503)
    answer(other, "registry", 200, seconds=0.6)
    answer(other, "search", 200, seconds=0.5)
    for recorder in recorders:
        await recorder.flush(NIGHT)
    answer(one, "registry", 200)
    await recorders[0].flush(NIGHT + timedelta(minutes=5))
    five = datetime(2026, 3, 2, 0, 30, tzinfo=ZONE)
    assert await read(platform, FIVE_MINUTES) == [
        ("registry", five, 4, 1, 1, 1),
        ("registry", five + timedelta(minutes=5), 1, 0, 0, 0),
        ("search", five, 1, 0, 0, 0),
    ]
    day = datetime(2026, 3, 2, tzinfo=ZONE)
    assert await read(platform, DAY) == [("registry", day, 5, 1, 1, 1), ("search", day, 1, 0, 0, 0)]
    times = {one.service: list(one.times) for one in await list_response_counts(platform.database, DAY, LONG_AGO)}
    at = {0.001: 0, 0.5: 8, 0.6: 9}  # indexes of the buckets
    assert [times["registry"][at[each]] for each in at] == [4, 0, 1]
    assert (times["search"][at[0.5]], sum(times["search"])) == (1, 1)


async def test_what_was_counted_before_times_were_is_added_to(platform: Platform) -> None:
    five = datetime(2026, 3, 2, 3, 30, tzinfo=UTC)
    async with platform.database.transaction() as connection:
        counted = "INSERT INTO platform.response_count VALUES ('5m', $1, 'registry', 10, 0, 0, 0, 1.0)"
        await connection.execute(counted, five)
    (before,) = await list_response_counts(platform.database, FIVE_MINUTES, LONG_AGO)
    assert list(before.times) == []
    telemetry = Telemetry()
    recorder = Recorder(platform.database, telemetry, ZONE)
    answer(telemetry, "registry", 200, seconds=99)
    await recorder.flush(NIGHT)
    (after,) = await list_response_counts(platform.database, FIVE_MINUTES, LONG_AGO)
    assert (after.responses, list(after.times)) == (11, [*[0] * 12, 1])


async def test_nothing_is_written_of_a_time_in_which_nobody_called(platform: Platform) -> None:
    telemetry = Telemetry()
    answer(telemetry, "registry", 200)
    await Recorder(platform.database, telemetry, ZONE).flush(NIGHT)
    assert await read(platform, DAY) == []


async def test_what_is_answered_while_the_database_is_away_counts_for_the_time_it_was_answered(
    platform: Platform, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "SERVING_SECONDS", 0.3)
    telemetry = Telemetry()
    with Relay(database_url) as relay:
        database = pool.Database(relay.url)
        database.is_serving = True
        await database.open()
        recorder = Recorder(database, telemetry, ZONE)
        relay.stop()
        for minutes in (0, 5, 5):
            answer(telemetry, "registry", 503)
            with pytest.raises(Unavailable):
                await recorder.flush(NIGHT + timedelta(minutes=minutes))
        relay.resume()
        await recorder.flush(NIGHT + timedelta(minutes=10))
        await recorder.flush(NIGHT + timedelta(minutes=10))
        await database.close()
    assert [(row[2], row[4]) for row in await read(platform, FIVE_MINUTES)] == [(1, 1), (2, 2)]
    assert [(row[2], row[4]) for row in await read(platform, DAY)] == [(3, 3)]


async def test_five_minutes_are_kept_for_eight_days_and_days_for_four_hundred(platform: Platform) -> None:
    telemetry, now = Telemetry(), datetime.now(UTC)
    recorder = Recorder(platform.database, telemetry, ZONE)
    for days in (0, 7, 9, 398, 402):
        answer(telemetry, "registry", 200)
        await recorder.flush(now - timedelta(days=days))
    kind = [one for one in RETENTION if one.kind == "response_count"]
    (report,) = await retention.run_retention(operator_call(platform, retention.OPERATION), kind)
    assert (report.checked, report.removed) == (10, 4)
    assert len(await read(platform, FIVE_MINUTES)) == 2
    assert len(await read(platform, DAY)) == 4


def test_a_server_records_what_it_answers_and_the_last_of_it_when_it_ends(
    settings: Settings, database_url: str, sql: Sql
) -> None:
    with RunningServer(app.build_application(settings, database_url)) as server:
        for _ in range(3):
            assert httpx.get(f"{server.url}{OPTIONS}", timeout=PATIENCE).status_code == 200
    rows = sql("SELECT span, responses, faults FROM platform.response_count WHERE service = 'registry' ORDER BY span")
    assert [tuple(row) for row in rows] == [("5m", 3, 0), ("day", 3, 0)]


@given(st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)))
def test_every_instant_is_of_the_day_and_the_five_minutes_in_which_it_lies(now: datetime) -> None:
    day, five = response_counts.begin_day(now, ZONE), response_counts.begin_five_minutes(now)
    assert timedelta() <= now - five < timedelta(minutes=5)
    assert five.timestamp() % 300 == 0
    assert day <= now
    assert day.astimezone(ZONE).date() == now.astimezone(ZONE).date()
