"""Concurrent requests share a statement: look-ups by key, and small writes that share a commit.

Those that come within one turn of the event loop go together at its end, and those that come while statements are under
way share the next one. All of it runs in callbacks of the loop, without a task.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

import asyncpg

from balcao.core.callbacks import Delivery, begin
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
        self._waiting: list[tuple[Item, Delivery[Result]]] = []
        self._is_due = False
        self._under_way = 0
        self._ended: asyncio.Future[None] | None = None  # one of the statements under way

    def submit(self, item: Item) -> Delivery[Result]:
        """Return the delivery of the item's result; cancelling it does not affect the other items."""
        delivery: Delivery[Result] = Delivery()
        self._waiting.append((item, delivery))
        self._send_soon()
        return delivery

    async def close(self) -> None:
        """Wait for the statements under way and for the items that wait for the next one."""
        while self._under_way or self._waiting:
            self._send_soon()
            self._ended = asyncio.get_running_loop().create_future()
            await self._ended

    def _send_soon(self) -> None:
        """Have what waits sent at the end of this turn of the loop, with all that arrives until then."""
        if self._waiting and self._under_way < self._at_once and not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._send)

    def _send(self) -> None:
        self._is_due = False
        if self._waiting:
            begin(self._send_waiting())

    async def _send_waiting(self) -> None:
        self._under_way += 1
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                if len(batch) > self._largest:
                    batch, self._waiting = batch[: self._largest], batch[self._largest :]
                    self._send_soon()
                await self._send_batch(batch)
        finally:
            self._end_one()

    def _end_one(self) -> None:
        self._under_way -= 1
        self._send_soon()
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(None)

    async def _send_batch(self, batch: Sequence[tuple[Item, Delivery[Result]]]) -> None:
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
            if isinstance(failure, asyncio.CancelledError):
                raise
        else:
            for (_, delivery), result in zip(batch, results, strict=True):
                delivery.deliver(result)

    async def _send_one_by_one(self, batch: Sequence[tuple[Item, Delivery[Result]]]) -> None:
        for item, delivery in batch:
            try:
                (result,) = await self._run([item])
            except Exception as failure:
                delivery.fail(failure)
            else:
                delivery.deliver(result)


def _fail(batch: Sequence[tuple[Any, Delivery[Any]]], failure: BaseException) -> None:
    for _, delivery in batch:
        delivery.fail(failure)
