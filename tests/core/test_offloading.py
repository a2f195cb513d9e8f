"""CPU-bound work runs in a thread.

Meanwhile the event loop serves other callers, and each caller waits only for its own work.
"""

import asyncio
import threading

import pytest

from balcao.core.database.connection_quota import holder
from balcao.core.offloading import SMALL, run_in_thread
from tests.support.polling import until


async def test_the_loop_turns_while_work_is_done_in_the_thread() -> None:
    turned = threading.Event()
    work = asyncio.create_task(run_in_thread(turned.wait))
    await asyncio.sleep(0)
    turned.set()
    assert await work


async def test_a_small_input_is_worked_on_at_once() -> None:
    assert await run_in_thread(threading.current_thread, size=SMALL) is threading.main_thread()
    assert await run_in_thread(threading.current_thread, size=SMALL + 1) is not threading.main_thread()


async def test_what_the_work_raises_reaches_its_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        await run_in_thread(lambda: 1 // 0)


async def test_many_pieces_of_one_caller_do_not_come_before_one_of_another() -> None:
    begun: list[str] = []
    may_end = threading.Event()

    def work(caller: str) -> None:
        begun.append(caller)
        may_end.wait()

    async def ask(caller: str) -> None:
        holder.set(caller)
        await run_in_thread(work, caller)

    async with asyncio.TaskGroup() as group:
        for caller in ["much", "much", "much", "little"]:
            group.create_task(ask(caller))
        await until(lambda: begun == ["much"])
        may_end.set()
    assert begun == ["much", "little", "much", "much"]
