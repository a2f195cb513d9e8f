"""Batch concurrent look-ups into one statement, and concurrent small writes into one commit.

Items that arrive within one iteration of the event loop are sent together at its end. While the allowed number of
statements is in flight, arriving items queue and share the next statement. The first look-up of an idle database is
sent immediately, so that a single caller does not wait for the next iteration.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

import asyncpg

from balcao.core.errors import Unavailable
from balcao.core.tasks import start

Item = TypeVar("Item")
Result = TypeVar("Result")

# The maximum number of items in a batch. Every caller waits for the whole batch, and would notice the delay of a larger
# batch.
LARGEST_BATCH = 100
# Two statements are enough: while PostgreSQL executes one statement, this process builds the other or reads its rows.
STATEMENTS_AT_ONCE = 2


class Batch(Generic[Item, Result]):
    """Sends concurrent items in batches.

    `run` gets the items of a batch and returns one result for each, in the same order. At most `at_once` statements are
    in flight, each with at most `largest` items. With `is_eager`, an item that arrives while no statement is in flight
    is sent immediately. If PostgreSQL or the driver rejects a batch, its items are retried one by one, so only the bad
    item fails. Any other failure fails the whole batch.
    """

    def __init__(
        self,
        run: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]],
        *,
        at_once: int = STATEMENTS_AT_ONCE,
        largest: int = LARGEST_BATCH,
        is_eager: bool = False,
    ) -> None:
        self._run = run
        self._is_eager = is_eager
        self._at_once = at_once
        self._largest = largest
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._is_due = False
        self._tasks: set[asyncio.Task[None]] = set()  # each task is a statement in flight

    def submit(self, item: Item) -> asyncio.Future[Result]:
        """Add an item, and return a future for its result. Cancelling it does not affect the other items."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        self._send_soon()
        return future

    async def close(self) -> None:
        """Wait until all queued items have been sent and all statements have finished."""
        while self._waiting or self._tasks:
            self._send_soon()
            await asyncio.wait(self._tasks)

    def _send_soon(self) -> None:
        """Schedule a batch for the end of this loop iteration, so that items that arrive until then join it.

        An eager batch is sent immediately if no statement is in flight.
        """
        if self._waiting and len(self._tasks) < self._at_once and not self._is_due:
            self._is_due = True
            send = start if self._is_eager and not self._tasks else asyncio.create_task
            task = send(self._send_waiting())
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
        except (asyncpg.PostgresError, ValueError) as refusal:  # the driver rejected an argument with ValueError
            if len(batch) == 1:
                _fail(batch, refusal)
            else:
                await self._send_one_by_one(batch)
        except BaseException as failure:
            _fail(batch, failure)
            if isinstance(failure, Unavailable):
                # The database is down. Fail the queued items too, so that they do not wait for the same timeout.
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
