"""Concurrent requests share a statement: look-ups by key, and small writes that share a commit.

Those that come within one turn of the event loop go together at its end, and those that come while statements are under
way share the next one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

import asyncpg

from balcao.core.errors import Unavailable

Item = TypeVar("Item")
Result = TypeVar("Result")

# In a larger batch each caller would notice the time that the others' items take.
LARGEST_BATCH = 100
# While PostgreSQL works on one statement, the process prepares the other.
STATEMENTS_AT_ONCE = 2


class Batch(Generic[Item, Result]):
    """Runs items together: `run` takes several and returns a result for each, in their order.

    At most `at_once` statements are under way and `largest` items in one. An item that PostgreSQL refuses fails alone:
    the statement that it spoiled is repeated item by item. Every other failure is that of all its items.
    """

    def __init__(
        self,
        run: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]],
        *,
        at_once: int = STATEMENTS_AT_ONCE,
        largest: int = LARGEST_BATCH,
    ) -> None:
        self._run = run
        self._at_once = at_once
        self._largest = largest
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._is_due = False
        self._tasks: set[asyncio.Task[None]] = set()  # each with a statement under way

    def submit(self, item: Item) -> asyncio.Future[Result]:
        """Return a future of the item's result; cancelling it does not affect the other items."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        self._send_soon()
        return future

    async def close(self) -> None:
        """Wait for the statements under way and for the items that wait for the next one."""
        while self._waiting or self._tasks:
            self._send_soon()
            await asyncio.wait(self._tasks)

    def _send_soon(self) -> None:
        """Have what waits sent at the end of this turn of the loop, with all that arrives until then."""
        if self._waiting and len(self._tasks) < self._at_once and not self._is_due:
            self._is_due = True
            task = asyncio.create_task(self._send_waiting())  # begins in the next turn of the loop
            self._tasks.add(task)
            task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._send_soon()

    async def _send_waiting(self) -> None:
        self._is_due = False
        while self._waiting:
            batch, self._waiting = self._waiting, []
            if len(batch) > self._largest:
                batch, self._waiting = batch[: self._largest], batch[self._largest :]
                self._send_soon()
            await self._send_batch(batch)

    async def _send_batch(self, batch: Sequence[tuple[Item, asyncio.Future[Result]]]) -> None:
        try:
            results = await self._run([item for item, _ in batch])
        except (asyncpg.PostgresError, ValueError) as refusal:  # by the server, or by the driver itself
            if len(batch) == 1:
                _fail(batch, refusal)
            else:
                await self._send_one_by_one(batch)
        except BaseException as failure:
            _fail(batch, failure)
            if isinstance(failure, Unavailable):
                # The database is away: the items that wait would only wait as long again.
                waiting, self._waiting = self._waiting, []
                _fail(waiting, failure)
            if not isinstance(failure, Exception):
                raise
        else:
            for (_, future), result in zip(batch, results, strict=True):
                if not future.done():
                    future.set_result(result)

    async def _send_one_by_one(self, batch: Sequence[tuple[Item, asyncio.Future[Result]]]) -> None:
        for item, future in batch:
            try:
                (result,) = await self._run([item])
            except Exception as failure:
                _fail([(item, future)], failure)
            else:
                if not future.done():
                    future.set_result(result)


def _fail(batch: Sequence[tuple[Any, asyncio.Future[Any]]], failure: BaseException) -> None:
    for _, future in batch:
        if not future.done():
            future.set_exception(failure)
