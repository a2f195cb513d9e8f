"""An import as a feature declares it: one kind of row of the city's files, and how rows are written."""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from balcao.core.database.pool import Connection

# Lines in one transaction. A kind whose rows cost more, or whose locks others wait for, has fewer.
BATCH = 1000


@dataclass(frozen=True)
class Import:
    """One kind of import. `kind` is the word of the import command, `row` the type of one line of JSON Lines.

    `write` gets a batch of rows that are valid by type, inside a transaction under the owner's role, and returns how
    many are new or changed. It is idempotent. A row that cannot be used is its ValueError at decoding
    (`__post_init__` of `row`), whose text names the member and never the value. One that does not go with what is
    stored is an Invalid or a Conflict of `write`, which is then called with fewer rows until that one is found. `batch`
    is the most rows of one call. `from_table`: rows may come as a table, too, CSV or spreadsheet. With a `key` no batch
    has two rows of one key: the last counts.
    """

    kind: str
    row: type[msgspec.Struct]
    write: Callable[[Connection, Sequence[Any]], Awaitable[int]]
    batch: int = BATCH
    from_table: bool = False
    key: Callable[[Any], Hashable] | None = None

    async def write_batch(self, connection: Connection, rows: Sequence[Any]) -> int:
        """Write the rows, of those with one key the last; return how many are new or changed."""
        if self.key is not None:
            rows = list({self.key(row): row for row in rows}.values())
        return await self.write(connection, rows)


@dataclass
class Committed:
    """How much of a file has been committed. Every row read is changed, unchanged, refused or skipped (blank)."""

    byte_offset: int = 0
    lines: int = 0
    changed: int = 0
    unchanged: int = 0
    refused: int = 0
    skipped: int = 0

    @property
    def rows(self) -> int:
        """The number of rows read."""
        return self.changed + self.unchanged + self.refused + self.skipped


class KnownImport(msgspec.Struct, frozen=True):
    """The last file of a kind; `is_running` says whether somebody holds the lock of the kind."""

    kind: str
    size: int
    byte_offset: int
    lines: int
    changed: int
    unchanged: int
    refused: int
    skipped: int
    started_at: datetime
    committed_at: datetime
    finished_at: datetime | None
    is_running: bool
