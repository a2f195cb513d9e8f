"""SQL of the versions; they are added and read, never changed."""

from datetime import datetime
from typing import Any

import msgspec

from balcao.core.database.pool import Connection, json_text


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
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::int, $12::jsonb, $11 IS NOT NULL)
"""


async def append(connection: Connection, version: NewVersion) -> None:
    *columns, snapshot = msgspec.structs.astuple(version)
    await connection.execute(_APPEND, *columns, json_text(snapshot))


_SNAPSHOT = "SELECT snapshot::text FROM search.service_versions WHERE service_id = $1 AND version_number = $2"


async def read_snapshot(connection: Connection, service_id: str, number: int) -> str | None:
    found: str | None = await connection.fetchval(_SNAPSHOT, service_id, number)
    return found


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
