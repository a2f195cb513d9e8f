"""Run CPU-bound work outside the event loop, so that one caller's large input does not delay other callers.

One thread per process runs all such work, because more threads would only compete for the interpreter lock. The queue
contains at most one piece of work for each caller, so a caller with many pieces mainly delays itself. The thread cannot
be stopped, so inputs must be bounded: a piece of work may take at most a few seconds.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar
from weakref import WeakKeyDictionary

from balcao.core.database.connection_quota import ConnectionQuota, holder

T = TypeVar("T")

# Inputs up to this many bytes are processed in the event loop. The slowest check takes 10 ms for an input of this size.
SMALL = 8 * 1024
_MOST_AT_ONCE = 1
# The maximum wait for the caller's earlier work. It is longer than any piece of work takes.
_LONGEST_SECONDS = 20.0

_thread = ThreadPoolExecutor(1, "offloaded")
# One quota for each event loop, because a test process has several loops.
_shares: WeakKeyDictionary[asyncio.AbstractEventLoop, ConnectionQuota] = WeakKeyDictionary()


async def run_in_thread(work: Callable[..., T], *values: object, size: int = SMALL + 1) -> T:
    """Return the result of `work` for these values, or raise its exception.

    An input with a `size` up to `SMALL` is processed immediately. Raises TooMany if the caller's earlier work takes too
    long.
    """
    if size <= SMALL:
        return work(*values)
    loop, caller = asyncio.get_running_loop(), holder.get()
    shares = _shares.setdefault(loop, ConnectionQuota(_MOST_AT_ONCE))
    if not shares.acquire_now(caller):
        await shares.acquire(caller, _LONGEST_SECONDS)
    try:
        return await loop.run_in_executor(_thread, copy_context().run, work, *values)
    finally:
        shares.release(caller)
