"""SQL of the services: heads, slugs, and a change with all that it leaves."""

from datetime import datetime

import msgspec

from balcao.core.context.audit import record_sql, recording
from balcao.core.database.pool import Connection
from balcao.core.errors import Unavailable
from balcao.search.collection import service as collection
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import PROGRAM_VERSION, StoredService
from balcao.search.versions import service as versions


class ServiceHead(msgspec.Struct, frozen=True):
    """A service that exists or existed."""

    newest_version: int
    created_at: datetime
    deleted: bool


class OpenedService(msgspec.Struct, frozen=True):
    """What a writer finds: `head` is None for a service that never existed, `stored` for one that has no row."""

    alias: Alias
    head: ServiceHead | None
    stored: StoredService | None


_OPEN = """
SELECT physical, mirror, schema_version, fold_revision, generation,
       newest_version, created_at, deleted, doc, carried, version
FROM search.open_service($1, $2, $3)
"""


async def open_service(connection: Connection, service_id: str, *, created: datetime | None = None) -> OpenedService:
    """Take a writer's locks of collection and service until the transaction ends, and read the service.

    One that never existed gets a head where it is to be `created`. Raises Unavailable when there is no collection.
    """
    [row] = await connection.fetch(_OPEN, service_id, PROGRAM_VERSION, created)
    if row["physical"] is None:
        raise Unavailable(code="collection-missing")
    has_head, has_row = row["newest_version"] is not None, row["doc"] is not None
    return OpenedService(
        Alias(row["physical"], row["mirror"], row["schema_version"], row["fold_revision"], row["generation"]),
        ServiceHead(row["newest_version"], row["created_at"], row["deleted"]) if has_head else None,
        StoredService.decode(row["doc"], row["carried"], row["version"]) if has_row else None,
    )


_SAVE = """
WITH numbered AS (
    UPDATE search.service_head SET next_version = $2 + 1, deleted_at = NULL WHERE id = $1 AND next_version = $2
    RETURNING id
), written AS ({row}), appended AS ({version}), recorded AS ({trail})
SELECT id FROM numbered
"""


async def save_service(connection: Connection, alias: Alias, saved: StoredService, version: str, trail: str) -> None:
    """Write the number, the row, the version and the audit events of a change; the head is locked.

    Raises Unavailable when the events cannot be written.
    """
    statement = _SAVE.format(
        row=collection.write_row_sql(alias, "$3::jsonb", "numbered"),
        version=versions.append_sql("$4::jsonb", "numbered"),
        trail=record_sql("$5::jsonb", "numbered"),
    )
    with recording():
        await connection.execute(
            statement, saved.document.id, saved.version, collection.encode_row(saved), version, trail
        )


_MARK_DELETED = """
UPDATE search.service_head SET next_version = next_version + 1, deleted_at = $2
WHERE id = $1 RETURNING next_version - 1
"""


async def mark_deleted(connection: Connection, service_id: str, at: datetime) -> int:
    """Mark the head, which is locked, as deleted, and return the number of the version about to be written."""
    return int(await connection.fetchval(_MARK_DELETED, service_id, at))


_NEWEST_NUMBER = "SELECT next_version - 1 FROM search.service_head WHERE id = $1"


async def read_newest_version(connection: Connection, service_id: str) -> int:
    """Return the newest version's number, 0 for a service that never existed."""
    return int(await connection.fetchval(_NEWEST_NUMBER, service_id) or 0)


_TAKE_SLUG = "SELECT taken, former FROM search.take_slug($1, $2, $3)"


async def take_slug(
    connection: Connection, service_id: str, name: str, given: str | None
) -> tuple[str | None, list[str]]:
    """Give the service a slug by its name, or the one given, and return it with the former ones.

    None when every one is another service's.
    """
    [row] = await connection.fetch(_TAKE_SLUG, service_id, name, given)
    return row["taken"], row["former"]
