"""SQL of the departments' copy."""

from datetime import timedelta

from balcao.core.database.pool import Connection
from balcao.employability.hiring.departments.schemas import Department

_READ = """
SELECT orgao_id, cd_ua, name, sigla, coalesce(read_at > now() - $2::interval, false) AS fresh
FROM employability.department WHERE cd_ua = $1
"""


async def read(connection: Connection, cd_ua: str, fresh: timedelta) -> tuple[Department, bool] | None:
    """Return the copy, and whether it is younger than that; None where there is none."""
    row = await connection.fetchrow(_READ, cd_ua, fresh)
    if row is None:
        return None
    return Department(row["orgao_id"], row["cd_ua"], row["name"], row["sigla"]), row["fresh"]


_WRITE = """
INSERT INTO employability.department (cd_ua, orgao_id, name, sigla, read_at) VALUES ($1, $2, $3, $4, clock_timestamp())
ON CONFLICT (cd_ua) DO UPDATE SET
    orgao_id = excluded.orgao_id, name = excluded.name, sigla = excluded.sigla, read_at = excluded.read_at
"""


async def write(connection: Connection, department: Department) -> None:
    """Keep what the registry said just now."""
    await connection.execute(_WRITE, department.cd_ua, department.orgao_id, department.name, department.sigla)


_ADD = "INSERT INTO employability.department (cd_ua) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING"


async def add(connection: Connection, codes: list[str]) -> None:
    """Add the codes that are not there, to be read from the registry later."""
    await connection.execute(_ADD, codes)


_STALE = """
SELECT cd_ua FROM employability.department
WHERE read_at IS NULL OR read_at <= now() - $1::interval ORDER BY read_at NULLS FIRST, cd_ua
"""


async def list_stale(connection: Connection, fresh: timedelta) -> list[str]:
    """Return the codes whose copy is older than that."""
    return [row["cd_ua"] for row in await connection.fetch(_STALE, fresh)]
