"""CPU-bound work outside the event loop, so that a large input of one caller does not delay the answers to others.

One thread for each process does all of it: more threads would only compete for the interpreter lock. Each caller has
one piece of work in its queue at a time, so a caller with many pieces waits for themselves. The thread cannot be
stopped, so the input has to be bounded: a piece of work may take a few seconds at most.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar
from weakref import WeakKeyDictionary

from balcao.core.database.connection_quota import ConnectionQuota, holder

T = TypeVar("T")

# A text or body of up to this many bytes is worked on in the event loop: the slowest check of ours takes 10 ms for it.
SMALL = 8 * 1024
_MOST_AT_ONCE = 1
# More than the longest piece of work takes.
_LONGEST_SECONDS = 20.0

_thread = ThreadPoolExecutor(1, "offloaded")
# By event loop, as a process of the tests has several.
_shares: WeakKeyDictionary[asyncio.AbstractEventLoop, ConnectionQuota] = WeakKeyDictionary()


async def run_in_thread(work: Callable[..., T], *values: object, size: int = SMALL + 1) -> T:
    """Return what `work` returns for these values, or raise what it raises.

    An input of a `size` up to `SMALL` is worked on at once. Raises TooMany for a caller whose earlier work takes long.
    """
    if size <= SMALL:
        return work(*values)
    loop, caller = asyncio.get_running_loop(), holder.get()
    shares = _shares.setdefault(loop, ConnectionQuota(_MOST_AT_ONCE))
    if not shares.take_now(caller):
        await shares.take(caller, _LONGEST_SECONDS)
    try:
        return await loop.run_in_executor(_thread, copy_context().run, work, *values)
    finally:
        shares.give_back(caller)
