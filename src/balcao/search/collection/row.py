"""A service as a row of the collection, in the form in which the programs read and write it."""

from typing import Self

import msgspec

from balcao.core.database.pool import Row
from balcao.search.document import ServiceDocument

# The database steps to and from the schema version of the active table.
PROGRAM_VERSION = "v3"


class StoredService(msgspec.Struct, frozen=True):
    """A service's row.

    `carried` is JSON: what the programs do not know of the service and hand back untouched; `{}` for a new one.
    `version` is the number of its newest version.
    """

    document: ServiceDocument
    carried: str
    version: int

    @classmethod
    def from_row(cls, row: Row) -> Self:
        """Return a service from its row, which the database has stepped to the form of the programs."""
        return cls(msgspec.json.decode(row["doc"], type=ServiceDocument), row["carried"], row["version"])


class RefusedRow(msgspec.Struct, frozen=True):
    """A row that could not be taken to a table; `reason` is `SQLSTATE` and its code, or `REVERSE`."""

    service_id: str
    reason: str
    field: str | None = None


class RehearsedChunk(msgspec.Struct, frozen=True):
    """Some rows of a dry run: how many, the last id, the refused ones, and how many rows each field differs in."""

    seen: int
    last: str | None
    refused: list[RefusedRow]
    changed: list[dict[str, int]]
