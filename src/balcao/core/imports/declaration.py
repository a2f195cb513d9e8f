"""Declare an import: one kind of row in the city's files, and how such rows are written."""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from balcao.core.database.pool import Connection

# The default number of lines in one transaction. Kinds whose rows are expensive, or whose locks block other writers,
# use fewer lines.
BATCH = 1000


@dataclass(frozen=True)
class Import:
    """One kind of import.

    - `kind`: the name in the import command.
    - `row`: the type of a line of JSON Lines. If a row is unusable, its `__post_init__` raises ValueError with a
      message that names the member and never the value.
    - `write`: writes a batch of such rows, in a transaction with the owner's role, and returns how many are new or
      changed. It must be idempotent. If a row conflicts with stored data, it raises Invalid or Conflict. It is then
      called with fewer rows, until that row is found.
    - `batch`: the maximum number of rows in one call of `write`.
    - `from_table`: the file may also be a table (CSV or spreadsheet).
    - `key`: if set, a batch contains only the last of several rows with the same key.
    """

    kind: str
    row: type[msgspec.Struct]
    write: Callable[[Connection, Sequence[Any]], Awaitable[int]]
    batch: int = BATCH
    from_table: bool = False
    key: Callable[[Any], Hashable] | None = None

    async def write_batch(self, connection: Connection, rows: Sequence[Any]) -> int:
        """Write the rows.

        Of several rows with the same key, write only the last. Return how many are new or changed.
        """
        if self.key is not None:
            rows = list({self.key(row): row for row in rows}.values())
        return await self.write(connection, rows)


@dataclass
class Committed:
    """The committed part of a file. Each row in it is counted as changed, unchanged, refused or skipped (blank)."""

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
    """The most recently imported file of a kind. `is_running` is true if a process holds the kind's lock."""

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
