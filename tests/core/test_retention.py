"""Each kind of data is retained for the required period and then deleted (rules: registry 5)."""

import asyncio
from collections.abc import Callable
from typing import Any

import asyncpg
import pytest

from balcao import app
from balcao.core.audit import platform_data, retention
from balcao.core.audit.retention import Retention, RetentionCount
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict
from balcao.core.jobs import schedule
from balcao.core.jobs.worker import JobKind, Worker, enqueue, enqueue_if_absent
from tests.support.polling import until

Sql = Callable[..., list[asyncpg.Record]]


async def aio(call: Callable[..., Any], *args: Any) -> Any:
    return await asyncio.to_thread(call, *args)


async def swept(platform: Platform, kind: str) -> tuple[int, int]:
    """Run the retention of one kind, and return how many items were checked and how many were removed."""
    wanted = [one for one in app.list_retention() if one.kind == kind]
    reports = await retention.run_retention(operator_call(platform, retention.OPERATION), wanted)
    return reports[0].checked, reports[0].removed


async def parked(platform: Platform, sql: Sql) -> int:
    async with platform.database.transaction() as connection:
        number = await enqueue(connection, "test.parked", {})
    await aio(sql, "UPDATE queue.pgqueuer SET status = 'failed' WHERE id = $1", number)
    return number


async def test_dead_letters_go_after_90_days_with_an_audit_event_each(platform: Platform, sql: Sql) -> None:
    old, young = await parked(platform, sql), await parked(platform, sql)
    for number, days in ((old, 91), (young, 89)):
        await aio(
            sql, "UPDATE queue.pgqueuer SET updated = now() - make_interval(days => $2) WHERE id = $1", number, days
        )
    assert await swept(platform, "dead_letter") == (2, 1)
    assert [row["id"] for row in await aio(sql, "SELECT id FROM queue.pgqueuer WHERE status = 'failed'")] == [young]
    trail = await aio(
        sql, "SELECT action, fields, reason FROM platform.audit_event WHERE operation = $1", retention.OPERATION
    )
    assert [tuple(event) for event in trail] == [("delete", ["job:test.parked"], retention.REASON)]


async def test_repeatable_answers_go_after_24_hours_and_the_log_of_jobs_after_90_days(
    platform: Platform, sql: Sql
) -> None:
    for hours in (23, 25):
        await aio(
            sql,
            "INSERT INTO platform.idempotent_answer (caller, key, request, answer, made_at) "
            "VALUES ('c', $1, 'r', 'a', now() - make_interval(hours => $2))",
            str(hours),
            hours,
        )
    assert await swept(platform, "idempotent_answer") == (2, 1)
    assert [row["key"] for row in await aio(sql, "SELECT key FROM platform.idempotent_answer")] == ["23"]
    await aio(sql, "DELETE FROM queue.pgqueuer_log")
    await parked(platform, sql)
    assert await swept(platform, "job_log") == (1, 0)
    await aio(sql, "UPDATE queue.pgqueuer_log SET created = now() - interval '91 days'")
    assert await swept(platform, "job_log") == (1, 1)


async def test_audit_months_are_prepared_ahead_and_dropped_when_the_whole_month_is_too_old(
    platform: Platform, sql: Sql
) -> None:
    months = "SELECT relname FROM pg_class WHERE relname LIKE 'audit_event_2%' AND relkind = 'r'"
    ahead = "SELECT 'audit_event_' || to_char(now() + make_interval(months => $1), 'YYYY_MM') AS name"
    last = (await aio(sql, ahead, platform_data.MONTHS_AHEAD))[0]["name"]
    await aio(sql, f"DROP TABLE platform.{last}")
    for name, start, end in (("2001_01", "2001-01-01", "2001-02-01"), ("2001_02", "2001-02-01", "2001-03-01")):
        await aio(
            sql,
            f"CREATE TABLE platform.audit_event_{name} PARTITION OF platform.audit_event "
            f"FOR VALUES FROM ('{start}') TO ('{end}')",
        )
    await swept(platform, "audit_event")
    names = {row["relname"] for row in await aio(sql, months)}
    assert last in names
    assert not names & {"audit_event_2001_01", "audit_event_2001_02"}


async def test_a_kind_that_fails_stops_no_other_and_is_raised(platform: Platform) -> None:
    async def fails(_: Any, connection: Connection) -> RetentionCount:
        await connection.execute("SELECT 1 / 0")
        raise AssertionError

    async def works(_: Any, connection: Connection) -> RetentionCount:
        return RetentionCount(3, 2)

    async def refuses(_: Any, connection: Connection) -> RetentionCount:
        raise Conflict(code="test")

    call = operator_call(platform, retention.OPERATION)
    kinds = [Retention("first", fails), Retention("second", works), Retention("third", refuses)]
    with pytest.raises(asyncpg.DivisionByZeroError):
        await retention.run_retention(call, kinds)
    async with platform.database.connection() as connection:
        reports = await retention.list_reports(connection, 1)
    assert [(one.kind, one.checked, one.removed) for one in reports] == [("second", 3, 2)]


async def test_what_recurs_is_enqueued_by_the_clock_once(platform: Platform, sql: Sql) -> None:
    ran = asyncio.Event()

    async def run(_: Platform, payload: Any) -> None:
        assert payload == {}
        ran.set()

    kind = JobKind("test.recurring", run, cron="* * * * * *")  # the sixth field makes it run every second
    worker = Worker(platform.database, [kind], platform)
    working = asyncio.create_task(worker.run())
    await until(ran.is_set)
    worker.stop()
    await working
    async with platform.database.connection() as connection:
        found = await schedule.list_recurring(connection, [kind, JobKind("test.other", run)])
    assert [(one.kind, one.cron) for one in found] == [("test.recurring", "* * * * * *")]
    assert found[0].last is not None


async def test_a_recurring_job_that_still_waits_is_not_enqueued_again(platform: Platform, sql: Sql) -> None:
    for _ in range(2):
        async with platform.database.connection() as connection:
            await enqueue_if_absent(connection, "test.alone")
    assert len(await aio(sql, "SELECT FROM queue.pgqueuer WHERE entrypoint = 'test.alone'")) == 1
