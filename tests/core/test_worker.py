"""The worker's connection to the queue loses no notification, and scheduled jobs do not delay jobs that are due."""

import asyncio
import subprocess
import sys
from datetime import timedelta
from typing import Any

import asyncpg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.core.context.platform import Platform
from balcao.core.database.faults import LOST
from balcao.core.database.pool import Database
from balcao.core.jobs.driver import ListeningFirst
from balcao.core.jobs.pulse import StallDetector
from balcao.core.jobs.worker import (
    JobKind,
    PermanentFailure,
    Retry,
    Wait,
    Worker,
    enqueue,
    withdraw_job,
)
from tests.support.polling import PATIENCE, until


async def test_a_probe_sent_before_the_worker_listens_is_heard(database_url: str) -> None:
    async with asyncpg.create_pool(database_url, min_size=2, max_size=2) as pool:
        driver = ListeningFirst(pool)
        heard = asyncio.Event()
        sending = asyncio.create_task(driver.notify("probe", "{}"))
        await asyncio.sleep(0)  # let the sender run first
        async with driver:
            await driver.add_listener("probe", lambda _: heard.set())
            await asyncio.wait_for(heard.wait(), PATIENCE)
            await sending


async def test_draining_runs_what_is_due_and_what_that_enqueues_but_waits_for_nothing_later(platform: Platform) -> None:
    done: list[str] = []

    async def run(platform: Platform, payload: dict[str, str]) -> None:
        done.append(payload["step"])
        if payload["step"] == "first":
            async with platform.database.transaction() as connection:
                await enqueue(connection, "test.steps", {"step": "second"})

    async with platform.database.transaction() as connection:
        await enqueue(connection, "test.steps", {"step": "first"})
        await enqueue(connection, "test.steps", {"step": "tomorrow"}, delay=timedelta(days=1))
    async with asyncio.timeout(PATIENCE):
        await Worker(platform.database, [JobKind("test.steps", run)], platform).drain()
    assert done == ["first", "second"]


@pytest.mark.parametrize("lost", [LOST[0], *(pytest.param(each, marks=pytest.mark.long) for each in LOST[1:])])
async def test_a_worker_outlives_whatever_a_lost_connection_brings(
    lost: type[Exception], platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = asyncio.Event()
    create, losses = asyncpg.create_pool, [lost("gone")]

    async def run(_: Platform, __: dict[str, str]) -> None:
        done.set()

    def lose_once(*words: Any, **options: Any) -> Any:
        if losses:
            raise losses.pop()
        return create(*words, **options)

    monkeypatch.setattr(asyncpg, "create_pool", lose_once)
    worker = Worker(platform.database, [JobKind("test.outlived", run)], platform)
    async with platform.database.transaction() as connection:
        await enqueue(connection, "test.outlived", {})
    running = asyncio.create_task(worker.run())
    async with asyncio.timeout(PATIENCE):
        await asyncio.wait({running, asyncio.create_task(done.wait())}, return_when=asyncio.FIRST_COMPLETED)
        worker.stop()
        await running
    assert done.is_set()


JOBS = """
SELECT status::text, attempts, execute_after > now() AS later FROM queue.pgqueuer WHERE entrypoint = $1
"""


async def rows(platform: Platform, kind: str) -> list[tuple[str, int, bool]]:
    async with platform.database.connection() as connection:
        found = await connection.fetch(JOBS, kind)
    return [tuple(row) for row in found]


async def test_a_job_that_is_given_up_is_told_once_and_by_its_code(
    platform: Platform, caplog: pytest.LogCaptureFixture
) -> None:
    async def run(_: Platform, __: dict[str, str]) -> None:
        raise PermanentFailure("never")

    async with platform.database.transaction() as connection:
        await enqueue(connection, "test.given_up", {})
    async with asyncio.timeout(PATIENCE):
        await Worker(platform.database, [JobKind("test.given_up", run)], platform).drain()
    told = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert len(told) == 1
    assert "job.parked" in told[0]


@pytest.mark.parametrize(
    ("raised", "state"),
    [
        (Retry("later"), ("queued", 1, True)),
        (Wait("not-now", timedelta(hours=1)), ("queued", 0, True)),
        (PermanentFailure("never"), ("failed", 0, False)),
    ],
    ids=["retry", "wait", "park"],
)
async def test_a_job_says_how_it_goes_on(platform: Platform, raised: Exception, state: tuple[str, int, bool]) -> None:
    kind = f"test.{type(raised).__name__}"

    async def run(_: Platform, __: dict[str, str]) -> None:
        raise raised

    async with platform.database.transaction() as connection:
        await enqueue(connection, kind, {})
    async with asyncio.timeout(PATIENCE):
        await Worker(platform.database, [JobKind(kind, run)], platform).drain()
    assert await rows(platform, kind) == [state]


# The database refuses to put a job back, as a server does that has just become a replica.
REFUSE = """
CREATE FUNCTION refuse_retry() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION USING ERRCODE = 'read_only_sql_transaction'; END $$;
CREATE TRIGGER refuse_retry BEFORE UPDATE ON queue.pgqueuer FOR EACH ROW
WHEN (OLD.entrypoint = 'test.left' AND NEW.status = 'queued') EXECUTE FUNCTION refuse_retry()
"""


@pytest.mark.parametrize("raised", [Retry("later"), Wait("not-now", timedelta(hours=1))], ids=["retry", "wait"])
async def test_a_job_that_cannot_be_put_back_waits_for_its_lease(
    platform: Platform, database_url: str, raised: Exception
) -> None:
    async def run(_: Platform, __: dict[str, str]) -> None:
        raise raised

    owner = await asyncpg.connect(database_url)
    try:
        await owner.execute(REFUSE)
        async with platform.database.transaction() as connection:
            await enqueue(connection, "test.left", {})
        async with asyncio.timeout(PATIENCE):
            await Worker(platform.database, [JobKind("test.left", run)], platform).drain()
        assert [row[:2] for row in await rows(platform, "test.left")] == [("picked", 0)]
    finally:
        await owner.execute("DROP FUNCTION refuse_retry() CASCADE; DELETE FROM queue.pgqueuer")
        await owner.close()


async def test_no_more_jobs_of_a_kind_run_at_once_than_it_allows(platform: Platform) -> None:
    running, most = 0, 0

    async def run(_: Platform, __: dict[str, str]) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)  # let the other jobs run
        running -= 1

    async with platform.database.transaction() as connection:
        for _ in range(12):
            await enqueue(connection, "test.few", {})
    async with asyncio.timeout(PATIENCE):
        await Worker(platform.database, [JobKind("test.few", run, max_concurrent=2)], platform).drain()
    assert most <= 2
    assert await rows(platform, "test.few") == []


async def test_a_job_that_is_no_longer_wanted_leaves_the_queue_unless_a_worker_holds_it(platform: Platform) -> None:
    async with platform.database.transaction() as connection:
        waiting, held = [await enqueue(connection, "test.unwanted", {}) for _ in range(2)]
        await connection.execute("UPDATE queue.pgqueuer SET status = 'picked' WHERE id = $1", held)
        assert await withdraw_job(connection, waiting)
        assert not await withdraw_job(connection, held)
        assert await withdraw_job(connection, held, also_running=True)


@given(turns=st.lists(st.booleans(), max_size=30), most=st.integers(0, 5))
def test_a_loop_stands_still_once_it_has_not_turned_for_more_looks_than_allowed(turns: list[bool], most: int) -> None:
    detector = StallDetector(most)
    detector.is_stalled(1.0)
    for number, _ in enumerate(turns, 1):
        still = number - max((at for at, turned in enumerate(turns[:number], 1) if turned), default=0)
        assert detector.is_stalled(1.0 + number - still) == (still > most)


@pytest.mark.long
async def test_a_worker_that_waits_for_its_database_does_not_stand_still() -> None:
    worker = Worker(Database("postgresql:///city?host=/nowhere"), [], None)
    running = asyncio.create_task(worker.run())
    for _ in range(2):
        before = worker.pulse.iterated_at
        await until(lambda before=before: worker.pulse.iterated_at > before)  # type: ignore[misc]
    worker.stop()
    await running


FROZEN = """
import signal, time
from balcao.operate.processes import channel
from balcao.core.jobs.pulse import Pulse, watching
signal.signal(signal.SIGTERM, lambda *_: print("asked", flush=True))
with watching(Pulse(), 0.1, lambda: channel.end_process(0.1), 0.01):
    while True:
        time.sleep(1)
"""


def test_a_process_whose_worker_stands_still_is_asked_to_stop_and_ends_all_the_same() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FROZEN], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ended.returncode == 70, ended.stderr
    assert "asked" in ended.stdout
    assert "worker.stalled" in ended.stdout + ended.stderr
