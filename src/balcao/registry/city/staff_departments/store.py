"""SQL for the links between staff and departments."""

from collections.abc import Sequence
from uuid import UUID

import asyncpg

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.core.errors import Conflict, NotFound
from balcao.core.values.cpf import Cpf
from balcao.registry.city.staff_departments.schemas import StaffMapping

_COLUMNS = "id, cpf, cd_ua, created_at, updated_at, created_by"


@lookup(f"SELECT {_COLUMNS} FROM registry.staff_department WHERE cpf = :cpf ORDER BY cd_ua")
async def list_staff_mappings(source: Source, cpf: Cpf) -> list[StaffMapping]: ...


async def insert_staff_mapping(
    connection: Connection, id_: UUID, cpf: Cpf, cd_ua: str, created_by: Cpf | None
) -> StaffMapping:
    """Store a link and return it. Raises NotFound for an unknown department, and Conflict if the link exists."""
    try:
        return await _insert_staff_mapping(connection, id_, cpf, cd_ua, created_by)
    except asyncpg.ForeignKeyViolationError:
        raise NotFound("Não há órgão com o código de `cd_ua`.", code="department-unknown") from None
    except asyncpg.UniqueViolationError:
        raise Conflict("Esta pessoa já está vinculada a este órgão.", code="mapping-exists") from None


@statement(f"""
INSERT INTO registry.staff_department (id, cpf, cd_ua, created_by) VALUES (:id_, :cpf, :cd_ua, :created_by)
RETURNING {_COLUMNS}
""")
async def _insert_staff_mapping(
    connection: Connection, id_: UUID, cpf: Cpf, cd_ua: str, created_by: Cpf | None
) -> StaffMapping: ...


@statement("DELETE FROM registry.staff_department WHERE cpf = :cpf AND cd_ua = :cd_ua")
async def delete_staff_mapping(connection: Connection, cpf: Cpf, cd_ua: str) -> bool:
    """Delete the link. Return whether it existed."""


@statement("SELECT count(*) FROM registry.staff_department WHERE cpf = :cpf")
async def count_staff_mappings(connection: Connection, cpf: Cpf) -> int: ...


@statement("""
SELECT DISTINCT cpf FROM registry.staff_department AS staff
WHERE NOT EXISTS (
    SELECT FROM registry.staff_hash AS known WHERE known.cpf = staff.cpf AND known.key_number = :key_number)
LIMIT :most
""")
async def list_staff_without_hash(connection: Connection, key_number: int, most: int) -> list[str]: ...


@statement("""
INSERT INTO registry.staff_hash (hash, cpf, key_number)
SELECT hash, cpf, :key_number FROM unnest(:hashes::bytea[], :cpfs::text[]) AS staff (hash, cpf)
ON CONFLICT DO NOTHING
""")
async def insert_staff_hashes(
    connection: Connection, key_number: int, hashes: Sequence[bytes], cpfs: Sequence[str]
) -> None: ...


@statement("""
DELETE FROM registry.staff_hash AS known
WHERE NOT EXISTS (SELECT FROM registry.staff_department AS staff WHERE staff.cpf = known.cpf)
""")
async def delete_former_staff_hashes(connection: Connection) -> int: ...
