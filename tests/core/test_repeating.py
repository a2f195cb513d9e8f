"""Work that is repeated at an interval."""

import asyncio

import pytest

from balcao.core.repeating import repeating
from tests.support.polling import PATIENCE


async def test_work_is_repeated_until_the_block_ends() -> None:
    begun, done = asyncio.Semaphore(0), []

    async def work() -> None:
        begun.release()
        await asyncio.sleep(0)
        done.append("done")

    async with repeating(work, 0.001), asyncio.timeout(PATIENCE):
        for _ in range(3):
            await begun.acquire()
    assert len(done) >= 2
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_fault_of_the_work_ends_neither_the_block_nor_the_repetition(
    caplog: pytest.LogCaptureFixture,
) -> None:
    begun = asyncio.Semaphore(0)

    async def work() -> None:
        begun.release()
        raise ValueError

    async with repeating(work, 0.001), asyncio.timeout(PATIENCE):
        for _ in range(3):
            await begun.acquire()
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert "repetition.failed" in caplog.text
