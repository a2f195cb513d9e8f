"""Daily counts of views and queries. Each process counts in memory and writes to the database every ten seconds."""

import functools
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import date
from typing import NamedTuple

from balcao.core.logs import log
from balcao.core.repeating import repeating
from balcao.core.values.clock import utc_now

FLUSH_SECONDS = 10.0
# Above this number of keys, new keys are ignored until the next write, so that a flood of keys cannot fill the memory.
MOST_KEYS = 10_000


class TallyEntry(NamedTuple):
    """The count of one key on one day (UTC)."""

    day: date
    key: str
    times: int


class Tally:
    """The counts of each key and day (UTC) since the last write."""

    def __init__(self, most: int = MOST_KEYS) -> None:
        self._most = most
        self._counts: Counter[tuple[date, str]] = Counter()

    def count(self, key: str) -> None:
        """Add one to the count of `key` for today. Ignore a new key if there are too many."""
        entry = (utc_now().date(), key)
        if entry in self._counts or len(self._counts) < self._most:
            self._counts[entry] += 1

    def take(self) -> list[TallyEntry]:
        """Return the counts, sorted by day and key, and reset them."""
        taken, self._counts = self._counts, Counter()
        return sorted(TallyEntry(day, key, times) for (day, key), times in taken.items())

    def give_back(self, taken: list[TallyEntry]) -> None:
        """Add back the counts that could not be written."""
        for day, key, times in taken:
            if len(self._counts) < self._most:
                self._counts[day, key] += times


@asynccontextmanager
async def flushing(flush: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """Call `flush` every ten seconds during the block, and once more at its end."""
    try:
        async with repeating(functools.partial(_flush, flush), FLUSH_SECONDS):
            yield
    finally:
        await _flush(flush)


async def _flush(flush: Callable[[], Awaitable[None]]) -> None:
    try:
        await flush()
    except Exception as failure:  # a failed write must not stop the server
        log.warning("tally.not_written", code=type(failure).__name__)
