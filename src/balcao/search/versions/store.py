"""SQL of the versions; they are added and read, never changed."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from balcao.core.database.pool import Connection, Row
from balcao.search.versions.schemas import VersionEntry


class NewVersion(msgspec.Struct):
    """One row, as it stays."""

    id: str
    service_id: str
    version_number: int
    created_at: datetime
    created_by: str
    created_by_sub: str
    created_by_cpf: str | None
    change_type: str
    change_reason: str | None
    previous_version: int | None
    rollback_to_version: int | None
    snapshot: dict[str, Any]


_APPEND = """
INSERT INTO search.service_versions
    (id, service_id, version_number, created_at, created_by, created_by_sub, created_by_cpf, change_type,
     change_reason, previous_version, rollback_to_version, snapshot, is_rollback)
SELECT given.*, given.rollback_to_version IS NOT NULL
FROM {source} CROSS JOIN LATERAL jsonb_to_record({version}) AS given (
    id uuid, service_id uuid, version_number int, created_at timestamptz, created_by text, created_by_sub text,
    created_by_cpf text, change_type text, change_reason text, previous_version int, rollback_to_version int,
    snapshot jsonb)
"""


def append_sql(version: str, source: str) -> str:
    """Return the text of an INSERT that appends, for each row of `source`, the version of an SQL expression."""
    return _APPEND.format(version=version, source=source)


_APPEND_ONE = append_sql("$1::jsonb", "(VALUES (true)) AS always")


async def append(connection: Connection, version: str) -> None:
    await connection.execute(_APPEND_ONE, version)


_SNAPSHOT = "SELECT snapshot::text FROM search.service_versions WHERE service_id = $1 AND version_number = $2"


async def read_snapshot(connection: Connection, service_id: str, number: int) -> str | None:
    found: str | None = await connection.fetchval(_SNAPSHOT, service_id, number)
    return found


# What a version tells of itself; `changed_fields` are in the order of `$2`, all members that are compared.
_ENTRY = """
SELECT version.id::text, version.service_id::text, version.version_number,
       floor(extract(epoch FROM version.created_at))::bigint AS created_at,
       version.created_by, version.created_by_sub, version.created_by_cpf, version.change_type, version.change_reason,
       version.previous_version, version.is_rollback, version.rollback_to_version,
       version.snapshot ->> 'nome_servico' AS nome_servico,
       (version.snapshot ->> 'status')::int AS status,
       (version.snapshot ->> 'published_at')::bigint AS published_at,
       ARRAY(SELECT member FROM unnest($2::text[]) WITH ORDINALITY AS compared (member, place)
             WHERE search.value_or_null(version.snapshot -> member)
                   IS DISTINCT FROM search.value_or_null(former.snapshot -> member)
             ORDER BY place) AS changed_fields
FROM search.service_versions AS version
LEFT JOIN search.service_versions AS former
    ON former.service_id = version.service_id AND former.version_number = version.version_number - 1
WHERE version.service_id = $1
"""
_LIST = f"""
SELECT head.next_version - 1 AS total, entry.*
FROM search.service_head AS head
LEFT JOIN LATERAL (
    {_ENTRY} AND version.version_number <= head.next_version - 1 - $3
    ORDER BY version.version_number DESC LIMIT $4
) AS entry ON true
WHERE head.id = $1
ORDER BY entry.version_number DESC
"""


async def list_versions(
    connection: Connection, service_id: str, compared: Sequence[str], offset: int, limit: int
) -> tuple[int, list[VersionEntry]] | None:
    """Return the number of all versions, and a page of them, newest first; None for an unknown service."""
    rows = await connection.fetch(_LIST, service_id, list(compared), offset, limit)
    if not rows:
        return None
    return rows[0]["total"], [_parse_entry(row) for row in rows if row["id"] is not None]


_READ_VERSION = f"""
SELECT entry.*, (SELECT snapshot::text FROM search.service_versions WHERE id = entry.id::uuid) AS snapshot
FROM search.service_head AS head
LEFT JOIN LATERAL ({_ENTRY} AND version.version_number = $3) AS entry ON true
WHERE head.id = $1
"""


class WholeVersion(msgspec.Struct, frozen=True):
    """A version and its snapshot; both None when the service has no version of that number."""

    entry: VersionEntry | None
    snapshot: str | None


async def read_version(
    connection: Connection, service_id: str, compared: Sequence[str], number: int
) -> WholeVersion | None:
    """Return the version of that number; None for an unknown service."""
    row = await connection.fetchrow(_READ_VERSION, service_id, list(compared), number)
    if row is None:
        return None
    return WholeVersion(None if row["id"] is None else _parse_entry(row), row["snapshot"])


def _parse_entry(row: Row) -> VersionEntry:
    return VersionEntry(**{name: row[name] for name in VersionEntry.__struct_fields__})


class VersionPair(msgspec.Struct, frozen=True):
    """Two versions of one service; a snapshot is None when there is no version of that number."""

    known: bool
    old: str | None
    new: str | None
    change_type: str | None
    changed_at: datetime | None
    changed_by: str | None


_PAIR = """
SELECT EXISTS (SELECT FROM search.service_head WHERE id = $1) AS known,
       older.snapshot::text AS old,
       newer.snapshot::text AS new,
       newer.change_type,
       newer.created_at AS changed_at,
       newer.created_by AS changed_by
FROM (SELECT) AS one
LEFT JOIN search.service_versions AS older ON older.service_id = $1 AND older.version_number = $2
LEFT JOIN search.service_versions AS newer ON newer.service_id = $1 AND newer.version_number = $3
"""


async def read_pair(connection: Connection, service_id: str, from_version: int, to_version: int) -> VersionPair:
    [row] = await connection.fetch(_PAIR, service_id, from_version, to_version)
    return VersionPair(**row)
