"""SQL for the services: heads, slugs, and the statement that writes changes."""

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
    """The head of a service, which deleted services have too."""

    newest_version: int
    created_at: datetime
    deleted: bool


class OpenedService(NamedTuple):
    """A locked service. `head` is None if it never existed, `stored` is None if it has no row."""

    alias: Alias
    head: ServiceHead | None
    stored: StoredService | None

    @classmethod
    def from_row(cls, row: Row) -> "OpenedService":
        """Read the row of `search.open_service`. Raises Unavailable if the collection is missing."""
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
    """Lock the collection and a service for writing until the transaction ends, and read the service.

    With `created`, a service that never existed gets a head. Raises Unavailable if the collection is missing.
    """


# Lock order: every writer of several services locks them in the order of their ids.
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
    """Lock these services until the transaction ends, and return their heads.

    A service without a head gets one with the given creation time.
    """
    await _insert_heads(connection, list(created), list(created.values()))
    return await _lock_heads(connection, list(created))


class SavedService(msgspec.Struct, frozen=True):
    """A change of one service. The row and the version are encoded as JSON."""

    id: str
    number: int
    row: str
    version: str


# Use arrays of documents, because a single document with all changes could exceed the size limit of jsonb.
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
    """Write the rows, the versions and the audit events of several changes. The caller has locked the heads.

    Raises Unavailable if the audit events cannot be written.
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
    """Mark a locked head as deleted, and return the number for the version of the deletion."""


@lookup("SELECT next_version - 1 FROM search.service_head WHERE id = :service_id::uuid")
async def select_newest_version(source: Source, service_id: str) -> int | None:
    """Return the number of the newest version, or None if the service never existed."""


class Naming(msgspec.Struct, frozen=True):
    """How to choose a slug: use `given` if it is free, otherwise derive one from the name."""

    id: str
    name: str
    given: str | None


# `take_slug` runs once for each row, so each call sees the slugs that earlier calls took.
@statement("""
SELECT slug.taken, slug.former
FROM unnest(:wanted.id::uuid[], :wanted.name::text[], :wanted.given::text[])
    WITH ORDINALITY AS wanted (id, name, given, place)
CROSS JOIN LATERAL search.take_slug(wanted.id, wanted.name, wanted.given) AS slug
ORDER BY wanted.place
""")
async def take_slugs(connection: Connection, wanted: Sequence[Naming]) -> list[tuple[str | None, list[str]]]:
    """Give each service a slug. Return the slug and the former slugs of each service.

    A slug is None if all candidates belong to other services.
    """
