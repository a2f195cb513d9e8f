"""The cache for the services' answers. If it exceeds its size limit, it evicts the least recently used entries."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from balcao.web.api import ApiFault

# The estimated size in bytes of an answer's Python objects: the entry, its key and the structs of a short answer.
ENTRY_BYTES = 1_000


@dataclass(frozen=True)
class Entry:
    """A decoded answer. Times are seconds on the monotonic clock.

    `read_at` is when a service last confirmed the answer. Until `fresh_until`, the service allows the site to use the
    answer without another call. `size` is the length of the answer in bytes. After a failed call, `fault` is its
    exception, and no other call is made before `retry_at`. If no call has succeeded yet, `read_at` is minus infinity.
    """

    value: Any
    etag: str
    read_at: float
    fresh_until: float
    size: int
    fault: ApiFault | None = None
    retry_at: float = 0.0

    @property
    def has_value(self) -> bool:
        """Whether a call has succeeded."""
        return self.read_at > float("-inf")


class AnswerCache:
    """A cache of at most `limit` bytes. An answer larger than an eighth of the limit is not stored."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: OrderedDict[Hashable, Entry] = OrderedDict()
        self.size = 0

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable) -> Entry | None:
        """Return the entry, and mark it as recently used."""
        entry = self._entries.get(key)
        if entry is not None:
            self._entries.move_to_end(key)
        return entry

    def put(self, key: Hashable, entry: Entry) -> None:
        """Store an entry and replace an existing one.

        Evict the least recently used entries if the cache is too large.
        """
        self.drop(key)
        size = entry.size + ENTRY_BYTES
        if size > self._limit // 8:
            return
        self._entries[key] = entry
        self.size += size
        while self.size > self._limit:
            _, evicted = self._entries.popitem(last=False)
            self.size -= evicted.size + ENTRY_BYTES

    def drop(self, key: Hashable) -> None:
        """Remove an entry if it exists."""
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.size -= entry.size + ENTRY_BYTES
