"""The cache of each process: synonyms and finished responses.

Every change of the catalogue notifies all processes, which then drop the responses. The cache key of a search also
contains the version of the index.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from balcao.core.context.call import Call
from balcao.core.database.pool import Database
from balcao.core.values.ready import Ready
from balcao.search.public_search.synonyms import Synonyms

CHANNEL = "balcao_search"
# If a notification is lost, the cache is dropped after this time.
COMPARE_SECONDS = 30.0
RESPONSE_SECONDS = 30.0
MOST_RESPONSES = 2048
MOST_RESPONSE_BYTES = 64 * 1024 * 1024

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class RecentlyUsed(Generic[K, V]):
    """A mapping that evicts the least recently used values when it has too many values or bytes."""

    def __init__(self, most: int, most_bytes: int, size: Callable[[V], int]) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._size = size
        self._bytes = 0
        self._entries: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Return the value, or None if the key is missing."""
        value = self._entries.get(key)
        if value is not None:
            self._entries.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Store the value, and evict others if necessary."""
        former = self._entries.pop(key, None)
        self._bytes += self._size(value) - (0 if former is None else self._size(former))
        self._entries[key] = value
        while len(self._entries) > self._most or self._bytes > self._most_bytes:
            self._bytes -= self._size(self._entries.popitem(last=False)[1])

    def clear(self) -> None:
        """Drop everything."""
        self._entries.clear()
        self._bytes = 0


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A finished response.

    `counted` is the folded query. Each request that gets this response counts as one search for it. It is empty for
    pages after the first one. `is_missed` is true if the query found nothing.
    """

    ready: Ready
    counted: str = ""
    is_missed: bool = False


class SearchState:
    """The cache of a process.

    `changes` counts the notifications, so that a change during the work on a response is detected.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.synonyms: Synonyms | None = None  # None until the first search
        self.synonyms_revision: Hashable = None
        self.changes = 0
        self.changed_at = -math.inf  # by the monotonic clock of the process
        self._responses: RecentlyUsed[Hashable, tuple[float, CachedResponse]] = RecentlyUsed(
            MOST_RESPONSES, MOST_RESPONSE_BYTES, lambda entry: len(entry[1].ready.body)
        )
        self._clock = clock

    def note_change(self) -> None:
        """Drop every response, because the catalogue has changed."""
        self.changes += 1
        self.changed_at = self._clock()
        self._responses.clear()

    def find_response(self, key: Hashable) -> CachedResponse | None:
        """Return a response that has not expired."""
        cached = self._responses.get(key)
        return cached[1] if cached is not None and cached[0] > self._clock() else None

    def store_response(self, key: Hashable, cached: CachedResponse, changes: int) -> None:
        """Cache a response, unless the catalogue has changed since `changes` was read."""
        if changes == self.changes:
            self._responses.put(key, (self._clock() + RESPONSE_SECONDS, cached))


def find_reader(call: Call) -> Database:
    """Return a database for a cacheable response.

    Use a replica only if it contains every change of which this process was notified.
    """
    return call.find_reader_since(call.platform.part(SearchState).changed_at)
