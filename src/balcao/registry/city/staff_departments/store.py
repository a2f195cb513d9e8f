"""SQL of the links between staff and departments."""

from uuid import UUID

import asyncpg

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import fetch_count
from balcao.core.errors import Conflict, NotFound
from balcao.core.values.cpf import Cpf
from balcao.registry.city.staff_departments.schemas import StaffMapping

_COLUMNS = "id, cpf, cd_ua, created_at, updated_at, created_by"
_READ = f"SELECT {_COLUMNS} FROM registry.staff_department WHERE cpf = $1 ORDER BY cd_ua"


async def read(connection: Connection, cpf: Cpf) -> list[StaffMapping]:
    """Return a person's links, by the code of the department."""
    return [_parse_mapping(row) for row in await connection.fetch(_READ, cpf.digits)]


_INSERT = f"""
INSERT INTO registry.staff_department (id, cpf, cd_ua, created_by) VALUES ($1, $2, $3, $4)
RETURNING {_COLUMNS}
"""


async def insert(connection: Connection, id_: UUID, cpf: Cpf, cd_ua: str, created_by: Cpf | None) -> StaffMapping:
    """Store a link; return it. Raises NotFound for an unknown department, Conflict for a link that is there already."""
    try:
        row = await connection.fetchrow(_INSERT, id_, cpf.digits, cd_ua, created_by.digits if created_by else None)
    except asyncpg.ForeignKeyViolationError:
        raise NotFound("Não há órgão com o código de `cd_ua`.", code="department-unknown") from None
    except asyncpg.UniqueViolationError:
        raise Conflict("Esta pessoa já está vinculada a este órgão.", code="mapping-exists") from None
    return _parse_mapping(row)


_DELETE = "DELETE FROM registry.staff_department WHERE cpf = $1 AND cd_ua = $2 RETURNING true"


async def delete(connection: Connection, cpf: Cpf, cd_ua: str) -> bool:
    """Delete a link; return whether there was one."""
    return bool(await connection.fetchval(_DELETE, cpf.digits, cd_ua))


_COUNT = "SELECT count(*) FROM registry.staff_department WHERE cpf = $1"


async def count(connection: Connection, cpf: Cpf) -> int:
    return await fetch_count(connection, _COUNT, cpf.digits)


def _parse_mapping(row: Row) -> StaffMapping:
    found = StaffMapping(**dict(row))
    found.created_by = Cpf(found.created_by).masked if found.created_by else None
    return found
