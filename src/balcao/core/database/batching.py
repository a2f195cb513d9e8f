"""Concurrent requests share a statement: look-ups by key, and small writes that share a commit.

None waits for others to come: the first ones go at once, and those that come while these are under way share the next
statement.
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
# Up to so many callers get a statement each, which is faster and cheaper than a task and a batch.
ALONE_AT_ONCE = 4


LOOKUPS: "list[Lookup]" = []
"""The look-ups of all modules that are loaded."""


class Lookup:
    """A statement that returns one row, or none, for each key of the relation `asked (key)`, and the key as `key`.

    `name` is that of its feature and its own, as a `Statement` has it, and stands in the text as there.
    Written once, planned twice: for a single key, which the planner sees as `= $1`, and for an array of keys.
    Callers with different rights share a statement, so the right to a key is checked before it is asked for.
    """

    __slots__ = ("name", "of_many", "of_one")

    def __init__(self, name: str, key_type: str, statement: str) -> None:
        self.name = name
        LOOKUPS.append(self)
        self.of_one = f"WITH /* {name} */ asked AS NOT MATERIALIZED (SELECT $1::{key_type} AS key) {statement}"
        # The inner SELECT hides the array's length from the planner. Where it sees one, a plan for a few keys looks
        # cheaper than the generic plan, and PostgreSQL plans the statement anew each time instead of keeping that.
        keys = f"SELECT key FROM unnest(ARRAY(SELECT unnest($1::{key_type}[]))) AS key"  # noqa: S608 - our own text
        self.of_many = f"WITH /* {name} */ asked AS NOT MATERIALIZED ({keys}) {statement}"


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
        self._free = at_once
        self._largest = largest
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._tasks: set[asyncio.Future[None]] = set()
        self._is_due = False
        self._under_way = 0  # counted in items, not in statements

    def submit(self, item: Item) -> asyncio.Future[Result]:
        """Return the future result of the item; cancelling it does not affect the other items."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        self._waiting.append((item, future))
        if self._free and not self._is_due:
            self._is_due = True
            loop.call_soon(self._send)  # with all that arrive in this turn of the loop
        return future

    async def run_alone(self, run: Callable[[Item], Awaitable[Result]], item: Item) -> Result:
        """Run one item in the caller's own task where few others are under way, else together with them."""
        if self._waiting or self._under_way >= ALONE_AT_ONCE:
            return await self.submit(item)
        self._under_way += 1
        try:
            return await run(item)
        finally:
            self._under_way -= 1

    async def close(self) -> None:
        """Wait for the statements under way and for the items that wait for the next one."""
        while self._tasks or self._waiting:
            self._send()
            pending: list[asyncio.Future[Any]] = [*self._tasks, *(future for _, future in self._waiting)]
            await asyncio.wait(pending)

    def _send(self) -> None:
        self._is_due = False
        if self._waiting and self._free:
            batch, self._waiting = self._waiting[: self._largest], self._waiting[self._largest :]
            self._free -= 1
            self._under_way += len(batch)
            task = asyncio.get_running_loop().create_task(self._send_batch(batch))
            self._tasks.add(task)  # the loop itself holds tasks only weakly
            task.add_done_callback(self._tasks.discard)

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
            if isinstance(failure, asyncio.CancelledError):
                raise
        else:
            for (_, future), result in zip(batch, results, strict=True):
                if not future.done():
                    future.set_result(result)
        finally:
            self._free += 1
            self._under_way -= len(batch)
            self._send()

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
        if future.done():
            continue
        if isinstance(failure, asyncio.CancelledError):
            future.cancel()
        else:
            future.set_exception(failure)
