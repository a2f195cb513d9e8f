"""SQL of the services: heads, slugs, and a change with all that it leaves."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from balcao.core.context.audit import guard_audit_write, record_sql
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Row, Source
from balcao.core.database.results import read_part
from balcao.core.database.statements import statement
from balcao.core.errors import Unavailable
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import PROGRAM_VERSION, StoredService
from balcao.search.collection.store import write_row_sql
from balcao.search.versions.store import append_version_sql


class ServiceHead(msgspec.Struct, frozen=True):
    """A service that exists or existed."""

    newest_version: int
    created_at: datetime
    deleted: bool


class OpenedService(NamedTuple):
    """What a writer finds: `head` is None for a service that never existed, `stored` for one that has no row."""

    alias: Alias
    head: ServiceHead | None
    stored: StoredService | None

    @classmethod
    def from_row(cls, row: Row) -> "OpenedService":
        """Return what the row tells. Raises Unavailable when there is no collection."""
        if row["physical"] is None:
            raise Unavailable(code="collection-missing")
        head = None if row["newest_version"] is None else read_part(ServiceHead, row)
        return cls(read_part(Alias, row), head, None if row["doc"] is None else StoredService.from_row(row))


@statement("""
SELECT physical, mirror, schema_version, fold_revision, generation,
       newest_version, created_at, deleted, doc, carried, version
FROM search.open_service(:service_id, :program_version, :created)
""")
async def open_service(
    connection: Connection,
    service_id: str,
    *,
    created: datetime | None = None,
    program_version: str = PROGRAM_VERSION,
) -> OpenedService:
    """Take a writer's locks of collection and service until the transaction ends, and read the service.

    One that never existed gets a head where it is to be `created`. Raises Unavailable when there is no collection.
    """


# In the order of the ids, as every writer of many services takes them.
@statement("""
INSERT INTO search.service_head (id, created_at)
SELECT id, created_at FROM unnest(:ids::uuid[], :created::timestamptz[]) AS wanted (id, created_at) ORDER BY id
ON CONFLICT (id) DO NOTHING
""")
async def _insert_heads(connection: Connection, ids: Sequence[str], created: Sequence[datetime]) -> None: ...


@statement("""
SELECT id::text AS id, next_version - 1 AS newest_version, created_at, deleted_at IS NOT NULL AS deleted
FROM search.service_head WHERE id = ANY (:ids::uuid[]) ORDER BY service_head.id FOR UPDATE
""")
async def _lock_heads(connection: Connection, ids: Sequence[str]) -> Mapping[str, ServiceHead]: ...


async def lock_heads(connection: Connection, created: Mapping[str, datetime]) -> Mapping[str, ServiceHead]:
    """Lock these services until the transaction ends, and return their heads; who has none gets one `created` then."""
    await _insert_heads(connection, list(created), list(created.values()))
    return await _lock_heads(connection, list(created))


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
    text = _SAVE.format(
        row=write_row_sql(alias, "numbered.service", "numbered"),
        version=append_version_sql("numbered.entry", "numbered"),
        trail=record_sql("$5::jsonb", "numbered"),
    )
    columns = [[getattr(each, name) for each in saved] for name in SavedService.__struct_fields__]
    with guard_audit_write():
        await connection.execute(text, *columns, trail)


@statement("""
UPDATE search.service_head SET next_version = next_version + 1, deleted_at = :at
WHERE id = :service_id RETURNING next_version - 1
""")
async def mark_deleted(connection: Connection, service_id: str, at: datetime) -> int:
    """Mark the head, which is locked, as deleted, and return the number of the version about to be written."""


@lookup("SELECT next_version - 1 FROM search.service_head WHERE id = :service_id::uuid")
async def select_newest_version(source: Source, service_id: str) -> int | None:
    """Return the newest version's number, None for a service that never existed."""


class Naming(msgspec.Struct, frozen=True):
    """What a service's slug is made of: its name, or the one given."""

    id: str
    name: str
    given: str | None


# One after the other, each sees what those before it took.
@statement("""
SELECT slug.taken, slug.former
FROM unnest(:wanted.id::uuid[], :wanted.name::text[], :wanted.given::text[])
    WITH ORDINALITY AS wanted (id, name, given, place)
CROSS JOIN LATERAL search.take_slug(wanted.id, wanted.name, wanted.given) AS slug
ORDER BY wanted.place
""")
async def take_slugs(connection: Connection, wanted: Sequence[Naming]) -> list[tuple[str | None, list[str]]]:
    """Give each service a slug, and return it with the former ones.

    None when every one is another service's.
    """
