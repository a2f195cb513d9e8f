"""What each process caches of the search: alias row, synonyms, folded words and finished responses.

Every write to the catalogue notifies all processes, which count the change and drop the responses.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from balcao.core.context.call import Call
from balcao.core.database.pool import Database
from balcao.core.values.ready import Ready
from balcao.search.collection.alias import Alias
from balcao.search.public_search.facets_store import Facets
from balcao.search.public_search.terms import Synonyms, Word

CHANNEL = "balcao_search"
# Should a notice be lost, everything is read again after so long.
COMPARE_SECONDS = 30.0
RESPONSE_SECONDS = 30.0
MOST_RESPONSES = 2048
# Facets of very many services stay cached through changes, which hardly change them: counting takes long.
FACET_SECONDS = 30.0
MOST_FACETS = 512
MOST_RESPONSE_BYTES = 64 * 1024 * 1024
MOST_WORDS = 65_536

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class RecentlyUsed(Generic[K, V]):
    """A mapping that forgets what was not used for longest."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Return the value, None when there is none."""
        value = self._entries.get(key)
        if value is not None:
            self._entries.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Store the value, and forget the one not used for longest if there are too many."""
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._most:
            self._entries.popitem(last=False)

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A finished response; `missed` is the folded query if it found nothing: each request with it is counted."""

    ready: Ready
    missed: str = ""


class SearchState:
    """The cache; `changes` counts the notifications, and a response is cached only if there was none meanwhile."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.alias: Alias | None = None
        self.synonyms: Synonyms | None = None  # None until the first search
        self.synonyms_revision: Hashable = None
        self.changes = 0
        self.changed_at = -math.inf  # by the process's monotonic clock: when it last heard of a change
        self._words: RecentlyUsed[str, Sequence[Word]] = RecentlyUsed(MOST_WORDS)
        self._responses: RecentlyUsed[Hashable, tuple[float, CachedResponse]] = RecentlyUsed(MOST_RESPONSES)
        self._facets: RecentlyUsed[Hashable, tuple[float, Facets]] = RecentlyUsed(MOST_FACETS)
        self._bytes = 0
        self._clock = clock

    def begin_reload(self) -> None:
        """Drop every response: what they were made of has changed."""
        self.changes += 1
        self.changed_at = self._clock()
        self._responses.clear()
        self._bytes = 0

    def finish_reload(self, alias: Alias) -> None:
        """Take over the alias row, which was read again."""
        if self.alias is None or alias.fold_revision != self.alias.fold_revision:
            self._words.clear()
        self.alias = alias
        self.begin_reload()

    def find_response(self, key: Hashable) -> CachedResponse | None:
        """Return a response that has not expired."""
        cached = self._responses.get(key)
        return cached[1] if cached is not None and cached[0] > self._clock() else None

    def store_response(self, key: Hashable, cached: CachedResponse, changes: int) -> None:
        """Cache a response that was begun when `changes` was this, unless there has been a change since."""
        if changes != self.changes:
            return
        if self._bytes + len(cached.ready.body) > MOST_RESPONSE_BYTES:
            self._responses.clear()
            self._bytes = 0
        self._bytes += len(cached.ready.body)
        self._responses.put(key, (self._clock() + RESPONSE_SECONDS, cached))

    def find_facets(self, key: Hashable) -> Facets | None:
        """Return the facets of very many services as they were counted lately."""
        cached = self._facets.get(key)
        return cached[1] if cached is not None and cached[0] > self._clock() else None

    def store_facets(self, key: Hashable, facets: Facets) -> None:
        """Cache the facets of very many services."""
        self._facets.put(key, (self._clock() + FACET_SECONDS, facets))

    def find_words(self, text: str) -> Sequence[Word] | None:
        """Return how a text was folded, None for one that was not asked for lately."""
        return self._words.get(text)

    def store_words(self, text: str, words: Sequence[Word]) -> None:
        """Cache how a text is folded."""
        self._words.put(text, tuple(words))


def find_reader(call: Call) -> Database:
    """Return what to read a cached response from: a replica only if it has every change that was notified."""
    return call.find_reader_since(call.platform.part(SearchState).changed_at)
