"""An SQL statement in a store enqueues a job in the same form as the queue library does."""

from datetime import timedelta

import asyncpg

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import encode_payload, enqueue, enqueue_sql
from tests.support.fixture_types import Sql
from tests.support.polling import PATIENCE

KIND, PAYLOAD, DELAY = "test_enqueue", {"row": "1"}, timedelta(minutes=5)
STATEMENT = f"""
WITH wanted AS (SELECT generate_series(1, $4::int)), {enqueue_sql("$1::text", "$2::bytea", "$3::interval", "wanted")}
SELECT count(*) FROM queued
"""


async def test_both_write_the_same_rows(platform: Platform, sql: Sql) -> None:
    async with platform.database.transaction() as connection:
        by_library = await enqueue(connection, KIND, PAYLOAD, delay=DELAY)
        await connection.execute(STATEMENT, KIND, encode_payload(PAYLOAD), DELAY, 1)
        jobs = await connection.fetch(
            "SELECT to_jsonb(job) - 'id' AS job FROM queue.pgqueuer AS job WHERE entrypoint = $1", KIND
        )
        steps = await connection.fetch(
            "SELECT to_jsonb(step) - 'id' - 'job_id' AS step FROM queue.pgqueuer_log AS step WHERE entrypoint = $1",
            KIND,
        )
    assert by_library
    assert len(jobs) == len(steps) == 2  # both jobs have the time of the transaction
    assert jobs[0] == jobs[1]
    assert steps[0] == steps[1]


async def test_however_many_jobs_the_workers_are_woken_once(platform: Platform) -> None:
    woken: list[str] = []

    def note(*notice: object) -> None:
        woken.append(str(notice[-1]))

    listener: asyncpg.Connection = await platform.database.listener(PATIENCE)
    try:
        await listener.add_listener("balcao_queue", note)
        async with platform.database.connection() as connection:
            await connection.execute(STATEMENT, KIND, encode_payload(PAYLOAD), DELAY, 50)
        await listener.execute("SELECT")  # this response arrives after all earlier notifications
    finally:
        await listener.close()
    assert len(woken) == 1
