"""SQL for the copied departments."""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.employability.hiring.departments.schemas import Department


class DepartmentCopy(NamedTuple):
    """A copied department, and whether the copy is fresh."""

    department: Department
    is_fresh: bool


@statement("""
SELECT orgao_id, cd_ua, name, sigla, coalesce(read_at > now() - :fresh::interval, false) AS is_fresh
FROM employability.department WHERE cd_ua = :cd_ua
""")
async def read_department_copy(connection: Connection, cd_ua: str, fresh: timedelta) -> DepartmentCopy | None:
    """Return the copy of a department, or None. It is fresh if it is younger than `fresh`."""


@statement("""
INSERT INTO employability.department (cd_ua, orgao_id, name, sigla, read_at)
VALUES (:cd_ua, :orgao_id, :name, :sigla, clock_timestamp())
ON CONFLICT (cd_ua) DO UPDATE SET
    orgao_id = excluded.orgao_id, name = excluded.name, sigla = excluded.sigla, read_at = excluded.read_at
""")
async def upsert_department(connection: Connection, department: Department) -> None:
    """Store a department that was just read from the registry."""


@statement("INSERT INTO employability.department (cd_ua) SELECT unnest(:codes::text[]) ON CONFLICT DO NOTHING")
async def insert_missing_departments(connection: Connection, codes: Sequence[str]) -> None:
    """Insert the codes that are not stored yet. Their details are read from the registry later."""


@statement("""
SELECT cd_ua FROM employability.department
WHERE read_at IS NULL OR read_at <= now() - :fresh::interval ORDER BY read_at NULLS FIRST, cd_ua
""")
async def list_stale_departments(connection: Connection, fresh: timedelta) -> list[str]:
    """Return the codes of copies that were never read, followed by copies at least `fresh` old, the oldest first."""
