"""Read access to the search index."""

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import tantivy
from tantivy import Query

from balcao.search.index.schema import (
    BETWEEN_PHRASES,
    CONTENT,
    FACET_SEPARATOR,
    HEAD,
    LEMMAS,
    LISTED,
    NAME,
    PHRASES,
    REST,
    SHOWN,
    SOUNDS,
    STATE,
    WORDS,
    Order,
    decode_order,
    make_schema,
    read_sound_word,
    write_sound_prefix,
)
from balcao.search.public import PublicService, to_listed
from balcao.search.sanitising import clean_body

T = TypeVar("T")

# The id of the entry that describes the index. No service has this id.
STATE_ID = "state"
# All values of a facet are counted before spellings are merged. In practice, a facet has a few hundred values.
MOST_FACET_BUCKETS = 10_000
MOST_COUNTED_ROOTS = 50_000
# Each cache needs at most about 8 MB, because an entry needs about 4 KB and a service about 30 KB. Small caches are
# enough, because the same popular services appear in most results.
MOST_CACHED_ENTRIES = 2_000
MOST_CACHED_SERVICES = 250


class IndexState(msgspec.Struct, frozen=True):
    """The state of the catalogue in the index: it contains all changes up to `position`.

    `newest` identifies that change, so that the restore of an older database is detected. `popularity` identifies the
    ranking of the services by their views.
    """

    position: int
    newest: str
    generation: int
    popularity: str


class Entry(msgspec.Struct, frozen=True):
    """The stored fields of a service that determine its rank. `title` is its name as editors wrote it."""

    id: str
    title: str
    order: Order
    name: frozenset[str]
    lemmas: frozenset[str]
    phrases: list[frozenset[str]]
    phrase_roots: frozenset[str]
    head: frozenset[str]


class ShownService(msgspec.Struct, frozen=True):
    """A service to display. `public` and `listed` are its two JSON forms, without forbidden markup."""

    service: PublicService
    public: bytes
    listed: bytes


class _Named(msgspec.Struct):
    nome_servico: str


Address = Any  # tantivy.DocAddress
Hits = list[tuple[Any, Address]]


class ServiceIndex:
    """An open index. It shows the commits that existed at the last `reload`."""

    def __init__(self, index: tantivy.Index) -> None:
        self.schema = make_schema()
        self._index = index
        # Valid until the next reload. Caches that are keyed by words of queries are bounded, because a query may
        # contain any words.
        self._counts: dict[tuple[str, str], int] = {}
        self._rarities: dict[str, float] = {}
        self._sums: dict[frozenset[str], float] = {}
        # Keyed by the number that identifies the content, so these caches stay valid after a reload.
        self._entries: dict[int, Entry] = {}
        self._services: dict[int, ShownService] = {}
        self.reload()

    @classmethod
    def open(cls, folder: Path) -> "ServiceIndex":
        """Open the index in a folder. Raises ValueError if the folder contains no index."""
        index = tantivy.Index.open(str(folder))
        index.config_reader("manual")
        return cls(index)

    def reload(self) -> None:
        """Read the newest commit, whichever process wrote it."""
        self._index.reload()
        self._searcher = self._index.searcher()
        self._counts.clear()
        self._rarities.clear()
        self._sums.clear()

    def count(self) -> int:
        """Return the number of services."""
        return int(self._searcher.num_docs) - 1

    def read_state(self) -> IndexState:
        """Return the state of the catalogue in the index."""
        found = self._searcher.search(Query.term_query(self.schema, "id", STATE_ID), 1).hits
        return msgspec.json.decode(self._searcher.doc(found[0][1])[STATE][0], type=IndexState)

    def search(self, query: Query, limit: int) -> tuple[int, Hits]:
        """Return the number of matches, and the best matches with the engine's score."""
        return _read_result(self._searcher.search(query, limit, count=True))

    def list_in_order(self, query: Query, limit: int, offset: int) -> tuple[int, Hits]:
        """Return the number of matches, and one page of them, sorted by popularity, highlight and last change."""
        return _read_result(self._searcher.search(query, limit, count=True, order_by_field=LISTED, offset=offset))

    def find_service(self, service_id: str) -> PublicService | None:
        """Return a service by its id, or None if the index does not contain it."""
        found = self._searcher.search(Query.term_query(self.schema, "id", service_id), 1).hits
        return self.read_services([found[0][1]])[0].service if found else None

    def read_entries(self, addresses: Sequence[Address]) -> list[Entry]:
        """Return the entries at these addresses, in the same order."""
        return self._read(addresses, self._entries, MOST_CACHED_ENTRIES, _read_entry)

    def read_services(self, addresses: Sequence[Address]) -> list[ShownService]:
        """Return the services at these addresses, in the same order. Callers share them and must not change them."""
        return self._read(addresses, self._services, MOST_CACHED_SERVICES, _read_service)

    def _read(
        self, addresses: Sequence[Address], cache: dict[int, T], most: int, read: Callable[[tantivy.Document], T]
    ) -> list[T]:
        contents: Any = self._searcher.fast_field_values(CONTENT, list(addresses))
        values = []
        for content, address in zip(contents, addresses, strict=True):
            value = cache.get(content)
            if value is None:
                value = cache[content] = read(self._searcher.doc(address))
                if len(cache) > most:
                    del cache[next(iter(cache))]
            values.append(value)
        return values

    def read_orders(self, addresses: Sequence[Address]) -> list[Order]:
        """Return the sort values of the services at these addresses, in the same order."""
        numbers: Any = self._searcher.fast_field_values(LISTED, list(addresses))
        return [decode_order(number) for number in numbers]

    def count_services(self, root: str) -> int:
        """Return the number of services with the root, counted in the zone in which the root is most frequent."""
        return max(self.count_in(zone, root) for zone in (NAME, PHRASES, HEAD, REST))

    def count_in(self, zone: str, root: str) -> int:
        """Return the number of services with the root in this zone."""
        count = self._counts.get((zone, root))
        if count is None:
            if len(self._counts) > MOST_COUNTED_ROOTS:
                self._counts.clear()
            count = self._counts[zone, root] = self._searcher.doc_freq(zone, root)
        return count

    def find_rarity(self, root: str) -> float:
        """Return the weight of a root, which is higher if fewer services contain the root."""
        if root not in self._rarities:
            self._rarities[root] = math.log(1 + max(self.count(), 1) / max(self.count_services(root), 1))
        return self._rarities[root]

    def sum_rarities(self, roots: frozenset[str]) -> float:
        """Return the total weight of a name's or phrase's roots. The weight is never 0, so callers can divide by it."""
        if roots not in self._sums:
            if len(self._sums) > MOST_COUNTED_ROOTS:
                self._sums.clear()
            self._sums[roots] = sum(map(self.find_rarity, roots)) or 1.0
        return self._sums[roots]

    def has_word(self, folded: str) -> bool:
        """Return whether a name, phrase or summary contains the word in this form."""
        return self._searcher.doc_freq(WORDS, folded) > 0

    def count_word(self, folded: str) -> int:
        """Return the number of services with the word in this form."""
        return self._searcher.doc_freq(WORDS, folded)

    def complete_word(self, start: str, most: int) -> list[str]:
        """Return up to `most` words that start with `start`, most frequent first."""
        return [word for word, _ in self._searcher.terms_with_prefix(WORDS, start, limit=most)]

    def list_words_of_sound(self, sound: str) -> list[str]:
        """Return the words with this sound."""
        if not self._searcher.doc_freq(SOUNDS, sound):
            return []
        found = self._searcher.terms_with_prefix(SOUNDS, write_sound_prefix(sound))
        return [read_sound_word(term) for term, _ in found]

    def count_values(self, query: Query, facets: Sequence[str], most: int) -> dict[str, list[tuple[str, int]]]:
        """Return the most frequent values of each facet among the matches, each with the number of services."""
        if not facets:
            return {}
        asked = {facet: {"terms": {"field": facet, "size": MOST_FACET_BUCKETS}} for facet in facets}
        found = self._searcher.aggregate(query, asked)
        return {facet: _merge_spellings(found[facet]["buckets"])[:most] for facet in facets}


def _read_entry(found: tantivy.Document) -> Entry:
    phrases = [frozenset(phrase.split()) for phrase in found[PHRASES][0].split(BETWEEN_PHRASES)]
    return Entry(
        found["id"][0],
        msgspec.json.decode(found[SHOWN][0], type=_Named).nome_servico,
        decode_order(found[LISTED][0]),
        frozenset(found[NAME][0].split()),
        frozenset(found[LEMMAS][0].split()),
        phrases,
        frozenset().union(*phrases),
        frozenset(found[HEAD][0].split()),
    )


def _read_service(found: tantivy.Document) -> ShownService:
    public = found[SHOWN][0]
    service = msgspec.json.decode(public, type=PublicService)
    return ShownService(service, clean_body(public), clean_body(msgspec.json.encode(to_listed(service))))


def _read_result(result: Any) -> tuple[int, Hits]:
    # The type stub of the engine lacks `count`.
    return result.count, result.hits


def _merge_spellings(buckets: Iterable[dict[str, Any]]) -> list[tuple[str, int]]:
    """Add up the counts of spellings that differ only in case and accents.

    Return values with counts, most frequent first.
    """
    merged: dict[str, tuple[str, int]] = {}
    for bucket in buckets:
        folded, _, spelling = bucket["key"].partition(FACET_SEPARATOR)
        known, count = merged.get(folded, (spelling, 0))
        merged[folded] = (min(known, spelling), count + bucket["doc_count"])
    ranked = sorted(merged.items(), key=lambda item: (-item[1][1], item[0]))
    return [value for _, value in ranked]
