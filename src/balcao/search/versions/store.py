"""SQL for the versions. Versions are only added and read, never changed."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.search.versions.schemas import VersionEntry


class NewVersion(msgspec.Struct):
    """A row of `search.service_versions`."""

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
    proposed_by: str | None
    snapshot: dict[str, Any]


_APPEND = """
INSERT INTO search.service_versions
    (id, service_id, version_number, created_at, created_by, created_by_sub, created_by_cpf, change_type,
     change_reason, previous_version, rollback_to_version, proposed_by, snapshot, is_rollback)
SELECT given.*, given.rollback_to_version IS NOT NULL
FROM {source} CROSS JOIN LATERAL jsonb_to_record({version}) AS given (
    id uuid, service_id uuid, version_number int, created_at timestamptz, created_by text, created_by_sub text,
    created_by_cpf text, change_type text, change_reason text, previous_version int, rollback_to_version int,
    proposed_by text, snapshot jsonb)
"""


def append_version_sql(version: str, source: str) -> str:
    """Return an INSERT statement that appends one version for each row of `source`.

    `version` is an SQL expression for the jsonb text of `encode_version`.
    """
    return _APPEND.format(version=version, source=source)


@statement(append_version_sql(":version::jsonb", "(VALUES (true)) AS always"))
async def append_version(connection: Connection, version: str) -> None:
    """Append one version, which is the jsonb text of `encode_version`."""


@statement("""
SELECT snapshot::text FROM search.service_versions WHERE service_id = :service_id AND version_number = :number
""")
async def select_snapshot(connection: Connection, service_id: str, number: int) -> str | None: ...


# The columns of a `VersionEntry`. `changed_fields` are the members of `:compared` that differ from the previous
# version.
_ENTRY = """
SELECT version.id::text, version.service_id::text, version.version_number,
       floor(extract(epoch FROM version.created_at))::bigint AS created_at,
       version.created_by, version.created_by_sub, version.created_by_cpf, version.change_type, version.change_reason,
       version.previous_version, version.is_rollback, version.rollback_to_version, version.proposed_by,
       version.snapshot ->> 'nome_servico' AS nome_servico,
       (version.snapshot ->> 'status')::int AS status,
       (version.snapshot ->> 'awaiting_approval')::boolean AS awaiting_approval,
       (version.snapshot ->> 'published_at')::bigint AS published_at,
       ARRAY(SELECT member FROM unnest(:compared::text[]) WITH ORDINALITY AS compared (member, place)
             WHERE search.value_or_null(version.snapshot -> member)
                   IS DISTINCT FROM search.value_or_null(former.snapshot -> member)
             ORDER BY place) AS changed_fields
FROM search.service_versions AS version
LEFT JOIN search.service_versions AS former
    ON former.service_id = version.service_id AND former.version_number = version.version_number - 1
WHERE version.service_id = :service_id
"""


class ListedVersion(NamedTuple):
    """A version on a page, and the number of all versions. If the page is empty, the only row has no version."""

    total: int
    entry: VersionEntry | None


@statement(f"""
SELECT head.next_version - 1 AS total, entry.*
FROM search.service_head AS head
LEFT JOIN LATERAL (
    {_ENTRY} AND version.version_number <= head.next_version - 1 - :offset
    ORDER BY version.version_number DESC LIMIT :limit
) AS entry ON true
WHERE head.id = :service_id
ORDER BY entry.version_number DESC
""")
async def _list_versions(
    connection: Connection, service_id: str, compared: Sequence[str], offset: int, limit: int
) -> list[ListedVersion]: ...


async def list_service_versions(
    connection: Connection, service_id: str, compared: Sequence[str], offset: int, limit: int
) -> tuple[int, list[VersionEntry]] | None:
    """Return the number of all versions and one page, newest first. Return None for an unknown service."""
    listed = await _list_versions(connection, service_id, compared, offset, limit)
    if not listed:
        return None
    return listed[0].total, [each.entry for each in listed if each.entry is not None]


class WholeVersion(NamedTuple):
    """A version and its snapshot. Both are None if the service has no such version."""

    entry: VersionEntry | None
    snapshot: str | None


@statement(f"""
SELECT entry.*, (SELECT snapshot::text FROM search.service_versions WHERE id = entry.id::uuid) AS snapshot
FROM search.service_head AS head
LEFT JOIN LATERAL ({_ENTRY} AND version.version_number = :number) AS entry ON true
WHERE head.id = :service_id
""")
async def select_service_version(
    connection: Connection, service_id: str, compared: Sequence[str], number: int
) -> WholeVersion | None:
    """Return the version with this number. Return None for an unknown service."""


class VersionPair(NamedTuple):
    """Two versions of one service. A snapshot is None if the version does not exist."""

    known: bool
    old: str | None
    new: str | None
    change_type: str | None
    changed_at: datetime | None
    changed_by: str | None


@lookup("""
SELECT EXISTS (SELECT FROM search.service_head WHERE id = :service_id::uuid) AS known,
       older.snapshot::text AS old,
       newer.snapshot::text AS new,
       newer.change_type,
       newer.created_at AS changed_at,
       newer.created_by AS changed_by
FROM (SELECT) AS one
LEFT JOIN search.service_versions AS older
    ON older.service_id = :service_id::uuid AND older.version_number = :from_version
LEFT JOIN search.service_versions AS newer
    ON newer.service_id = :service_id::uuid AND newer.version_number = :to_version
""")
async def read_version_pair(source: Source, service_id: str, from_version: int, to_version: int) -> VersionPair: ...


OFFERED = (append_version,)
