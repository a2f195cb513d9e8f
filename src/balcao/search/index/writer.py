"""Writes services to a generation of the index."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import tantivy

from balcao.search.document import ServiceDocument
from balcao.search.index.reader import STATE_ID, IndexState, ServiceIndex
from balcao.search.index.schema import STATE, IndexedService, make_entry, make_schema
from balcao.search.index.store import ChangedRow, IndexRow

# The engine writes a segment when this memory is full. It needs at least 15 MB for one thread. A build of 100,000
# services needs less than `BUILD_BYTES`, so it writes only one segment. Each further segment makes every search slower.
BUILD_BYTES = 130_000_000
UPDATE_BYTES = 15_000_000


class IndexWriter:
    """The writer of one generation, or of an index in memory.

    Opening a second writer for the same folder raises ValueError.
    """

    def __init__(self, generation: Path | None, memory: int = UPDATE_BYTES) -> None:
        if generation is None:
            self._index = tantivy.Index(make_schema())
        elif tantivy.Index.exists(str(generation)):
            self._index = tantivy.Index.open(str(generation))
        else:
            self._index = tantivy.Index(make_schema(), path=str(generation))
        self._writer = self._index.writer(memory, 1)

    def add(self, rows: Iterable[IndexRow]) -> None:
        """Add services that the index does not contain."""
        for row in rows:
            document = msgspec.json.decode(row.doc, type=ServiceDocument)
            self._writer.add_document(make_entry(IndexedService(document, row.popularity, row.phrases)))

    def apply(self, changes: Sequence[ChangedRow], state: IndexState) -> None:
        """Replace changed services and remove deleted ones, and commit this together with the new state."""
        for change in changes:
            self._writer.delete_documents_by_term("id", change.service_id)
        self.add(change.row for change in changes if change.row is not None)
        self.commit(state)

    def commit(self, state: IndexState) -> None:
        """Commit all writes with a new state, so that readers see them."""
        self._writer.delete_documents_by_term("id", STATE_ID)
        entry = tantivy.Document(id=STATE_ID)
        entry.add_bytes(STATE, msgspec.json.encode(state))
        self._writer.add_document(entry)
        self._writer.commit()

    def close(self) -> None:
        """Wait for merges in the background, and release the folder."""
        self._writer.wait_merging_threads()

    def open_reader(self) -> ServiceIndex:
        """Return the committed index."""
        self._index.config_reader("manual")
        return ServiceIndex(self._index)
