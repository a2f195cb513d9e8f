"""Coroutines that run in callbacks of the event loop, without a task.

A short read is as cheap as what it asks the database; a task would cost a turn of the loop to begin it and another one
to end it. What needs a task all the same (a time-out, a group of tasks, most libraries) comes after `in_task`.
"""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, copy_context
from types import coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_tasks: set[asyncio.Task[None]] = set()  # the loop itself holds tasks only weakly
_IN_TASK = object()


def begin(work: Coroutine[Any, Any, None]) -> None:
    """Run the coroutine up to where it waits, and go on when that has come.

    Within a task it gets one of its own: that one must not be taken for its own, by a time-out for instance.
    """
    loop = asyncio.get_running_loop()
    if asyncio.current_task(loop) is None:
        _Run(work, loop).go_on()
    else:
        _hold(loop.create_task(work))


@coroutine
def in_task() -> Generator[Any, None, None]:
    """Have a coroutine that runs in callbacks go on in a task of its own."""
    if asyncio.current_task() is None:
        yield _IN_TASK


class _Run:
    """A coroutine on its way."""

    __slots__ = ("_context", "_loop", "_work")

    def __init__(self, work: Coroutine[Any, Any, None], loop: asyncio.AbstractEventLoop) -> None:
        self._work = work
        self._loop = loop
        self._context = copy_context()

    def go_on(self, _: Any = None) -> None:
        """Run the coroutine up to where it waits again."""
        try:
            awaited = self._context.run(self._work.send, None)
        except (StopIteration, asyncio.CancelledError):
            return
        except Exception as fault:  # who delivered what was waited for has others to deliver to
            self._loop.call_exception_handler({"message": "Work in callbacks failed", "exception": fault})
            return
        if awaited.__class__ is Delivery:
            awaited.follow(self.go_on)
        elif awaited is None:  # asyncio.sleep(0)
            self._loop.call_soon(self.go_on)
        elif awaited is _IN_TASK:
            _hold(self._loop.create_task(_resume(self._work), context=self._context))
        else:
            awaited._asyncio_future_blocking = False  # as a task takes it
            awaited.add_done_callback(self.go_on)


async def _resume(work: Coroutine[Any, Any, None]) -> None:
    """Run on what has begun in callbacks: a task takes coroutines alone, and `await` only those that have not begun."""
    await _delegate(work)


@coroutine
def _delegate(work: Coroutine[Any, Any, None]) -> Generator[Any, None, None]:
    yield from work


def _hold(task: asyncio.Task[None]) -> None:
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


class Delivery(Generic[T]):
    """A result that one coroutine waits for, as for a future; in callbacks it goes on within the call that delivers."""

    __slots__ = ("_asyncio_future_blocking", "_callbacks", "_go_on", "_loop", "_result", "fault", "is_done")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._asyncio_future_blocking = False  # by which a task knows what it can wait for
        self._callbacks: tuple[tuple[Callable[[Any], Any], Context | None], ...] = ()
        self._go_on: Callable[[], None] | None = None
        self.fault: BaseException | None = None
        self.is_done = False

    def __await__(self) -> Generator[Any, None, T]:
        if not self.is_done:
            self._asyncio_future_blocking = True
            yield self
        return self.result()

    def deliver(self, result: T) -> None:
        """Hand the result over, unless nobody waits any more."""
        if not self.is_done:
            self._result = result
            self._end()

    def fail(self, fault: BaseException) -> None:
        """Raise the fault where the result is waited for."""
        if not self.is_done:
            self.fault = fault
            self._end()

    def follow(self, go_on: Callable[[], None]) -> None:
        """Call this once it is done; at once then, if no task is running."""
        self._go_on = go_on

    def _end(self) -> None:
        self.is_done = True
        for callback, context in self._callbacks:
            self._loop.call_soon(callback, self, context=context)
        if self._go_on is None:
            return
        if asyncio.current_task(self._loop) is None:
            self._go_on()
        else:
            self._loop.call_soon(self._go_on)

    # ---- what a task calls ------------------------------------------------------------------------------------------

    def result(self) -> T:
        """Return the result, or raise the fault."""
        if self.fault is not None:
            raise self.fault
        return self._result

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """Return the loop that it belongs to."""
        return self._loop

    def add_done_callback(self, callback: Callable[[Any], Any], *, context: Context | None = None) -> None:
        """Call this in a turn of the loop after it is done."""
        self._callbacks += ((callback, context),)

    def cancel(self, msg: Any = None) -> bool:
        """Wait no longer; return whether anything was waited for."""
        was_done = self.is_done
        self.fail(asyncio.CancelledError() if msg is None else asyncio.CancelledError(msg))
        return not was_done
