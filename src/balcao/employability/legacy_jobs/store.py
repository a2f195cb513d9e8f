"""SQL of the older jobs; a removed one stays as a row that nothing finds."""

from dataclasses import dataclass
from typing import Any

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.queries import fetch_count
from balcao.employability.legacy_jobs.schemas import LegacyJobBody
from balcao.employability.legacy_jobs.states import JobStatus

_COLUMNS = LegacyJobBody.__struct_fields__


@dataclass(frozen=True)
class LockedJob:
    """The state of a job that is there, locked until the transaction ends."""

    status: JobStatus
    row_version: int


_LOCK = "SELECT status, row_version FROM employability.legacy_job WHERE id = $1 AND deleted_at IS NULL FOR UPDATE"


async def lock(connection: Connection, id_: int) -> LockedJob | None:
    """Lock a job until the transaction ends; None for an unknown or removed one."""
    row = await connection.fetchrow(_LOCK, id_)
    return LockedJob(JobStatus(row["status"]), row["row_version"]) if row else None


_PRESENT = "SELECT id FROM employability.legacy_job WHERE deleted_at IS NULL ORDER BY created_at DESC, id DESC"


async def list_ids(connection: Connection) -> list[int]:
    """Return the ids of the jobs that were not removed, newest first."""
    return [row["id"] for row in await connection.fetch(_PRESENT)]


_INSERT = f"""
INSERT INTO employability.legacy_job ({", ".join(_COLUMNS)})
VALUES ({", ".join(f"${number}" for number in range(1, len(_COLUMNS) + 1))})
RETURNING id
"""  # noqa: S608 - constants


async def insert(connection: Connection, body: LegacyJobBody) -> int:
    return await fetch_count(connection, _INSERT, *_to_columns(body))


_REPLACE = f"""
UPDATE employability.legacy_job
SET ({", ".join(_COLUMNS)}) = ROW({", ".join(f"${number}" for number in range(2, len(_COLUMNS) + 2))}),
    row_version = row_version + 1, updated_at = clock_timestamp()
WHERE id = $1
"""  # noqa: S608 - constants


async def replace(connection: Connection, id_: int, body: LegacyJobBody) -> None:
    await connection.execute(_REPLACE, id_, *_to_columns(body))


_DELETE = """
UPDATE employability.legacy_job SET deleted_at = clock_timestamp(), row_version = row_version + 1 WHERE id = $1
"""


async def delete(connection: Connection, id_: int) -> None:
    await connection.execute(_DELETE, id_)


_SCHOOLING = """
SELECT EXISTS (SELECT FROM employability.reference_value WHERE kind = 'escolaridades' AND posicao = $1)
"""


async def is_schooling(connection: Connection, level: int) -> bool:
    found: bool = await connection.fetchval(_SCHOOLING, level)
    return found


def _to_columns(body: LegacyJobBody) -> tuple[Any, ...]:
    return msgspec.structs.astuple(body)
