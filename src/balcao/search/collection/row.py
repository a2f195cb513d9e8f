"""A row of the collection, in the schema version that this program uses."""

from typing import Self

import msgspec

from balcao.core.database.pool import Row
from balcao.search.document import ServiceDocument

# The schema version of documents in this program. The database converts documents between this version and the version
# of the active table.
PROGRAM_VERSION = "v3"


class StoredService(msgspec.Struct, frozen=True):
    """A service with its version number.

    `carried` is a JSON object with the fields that `PROGRAM_VERSION` does not have. The program writes them back
    unchanged. For a new service it is `{}`. `version` is the number of the newest version.
    """

    document: ServiceDocument
    carried: str
    version: int

    @classmethod
    def from_row(cls, row: Row) -> Self:
        """Read a row that the database has converted to `PROGRAM_VERSION`."""
        return cls(msgspec.json.decode(row["doc"], type=ServiceDocument), row["carried"], row["version"])


class RefusedRow(msgspec.Struct, frozen=True):
    """A row that could not be converted.

    `reason` is `SQLSTATE` with the code, or `REVERSE` if converting it back produces a different row.
    """

    service_id: str
    reason: str
    field: str | None = None


class RehearsedChunk(msgspec.Struct, frozen=True):
    """A chunk of a dry run: its size, last id and refused rows, and the number of changed rows for each field."""

    seen: int
    last: str | None
    refused: list[RefusedRow]
    changed: list[dict[str, int]]
