"""SQL of the services: heads, slugs, and a change with all that it leaves."""

from collections.abc import Mapping, Sequence
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


# In the order of the ids, as every writer of many services takes them.
_ADD_HEADS = """
INSERT INTO search.service_head (id, created_at)
SELECT id, created_at FROM unnest($1::uuid[], $2::timestamptz[]) AS wanted (id, created_at) ORDER BY id
ON CONFLICT (id) DO NOTHING
"""
_LOCK_HEADS = """
SELECT id::text AS id, next_version - 1 AS newest_version, created_at, deleted_at IS NOT NULL AS deleted
FROM search.service_head WHERE id = ANY ($1::uuid[]) ORDER BY service_head.id FOR UPDATE
"""


async def lock_heads(connection: Connection, created: Mapping[str, datetime]) -> dict[str, ServiceHead]:
    """Lock these services until the transaction ends, and return their heads; who has none gets one `created` then."""
    await connection.execute(_ADD_HEADS, list(created), list(created.values()))
    rows = await connection.fetch(_LOCK_HEADS, list(created))
    return {row["id"]: ServiceHead(row["newest_version"], row["created_at"], row["deleted"]) for row in rows}


class SavedService(msgspec.Struct, frozen=True):
    """A change of one service: its row and its version are jsonb texts."""

    id: str
    number: int
    row: str
    version: str


# An array of documents, not one document of all: that could be larger than jsonb may be.
_SAVE = """
WITH numbered AS (
    UPDATE search.service_head AS head SET next_version = sent.number + 1, deleted_at = NULL
    FROM unnest($1::uuid[], $2::int[], $3::jsonb[], $4::jsonb[]) AS sent (id, number, service, entry)
    WHERE head.id = sent.id AND next_version = sent.number
    RETURNING head.id, sent.service, sent.entry
), written AS ({row}), appended AS ({version}), recorded AS ({trail})
SELECT id FROM numbered
"""


async def save_services(connection: Connection, alias: Alias, saved: Sequence[SavedService], trail: str) -> None:
    """Write the numbers, the rows, the versions and for each the audit events of changes; the heads are locked.

    Raises Unavailable when the events cannot be written.
    """
    statement = _SAVE.format(
        row=collection.write_row_sql(alias, "numbered.service", "numbered"),
        version=versions.append_sql("numbered.entry", "numbered"),
        trail=record_sql("$5::jsonb", "numbered"),
    )
    columns = [[getattr(each, name) for each in saved] for name in SavedService.__struct_fields__]
    with recording():
        await connection.execute(statement, *columns, trail)


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


class Naming(msgspec.Struct, frozen=True):
    """What a service's slug is made of: its name, or the one given."""

    id: str
    name: str
    given: str | None


# One after the other, each sees what those before it took.
_TAKE_SLUGS = """
SELECT slug.taken, slug.former
FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY AS wanted (id, name, given, place)
CROSS JOIN LATERAL search.take_slug(wanted.id, wanted.name, wanted.given) AS slug
ORDER BY wanted.place
"""


async def take_slugs(connection: Connection, wanted: Sequence[Naming]) -> list[tuple[str | None, list[str]]]:
    """Give each service a slug, and return it with the former ones.

    None when every one is another service's.
    """
    ids, names, given = ([getattr(each, name) for each in wanted] for name in Naming.__struct_fields__)
    return [(row["taken"], row["former"]) for row in await connection.fetch(_TAKE_SLUGS, ids, names, given)]
