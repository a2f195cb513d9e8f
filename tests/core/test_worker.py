"""The worker's way to the queue: nothing it is told is lost, nothing that is due later holds it up."""

import asyncio
from datetime import timedelta

import asyncpg

from balcao.core.jobs import JobKind, Worker, _ListeningFirst, enqueue
from balcao.core.platform import Platform

PATIENCE_SECONDS = 60


async def test_a_probe_sent_before_the_worker_listens_is_heard(database_url: str) -> None:
    async with asyncpg.create_pool(database_url, min_size=2, max_size=2) as pool:
        driver = _ListeningFirst(pool)
        heard = asyncio.Event()
        sending = asyncio.create_task(driver.notify("probe", "{}"))
        await asyncio.sleep(0)  # lets the sender run first
        async with driver:
            await driver.add_listener("probe", lambda _: heard.set())
            await asyncio.wait_for(heard.wait(), PATIENCE_SECONDS)
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
    async with asyncio.timeout(PATIENCE_SECONDS):
        await Worker(platform.database, [JobKind("test.steps", run)], platform).drain()
    assert done == ["first", "second"]
