"""SQL of the reference values."""

from uuid import UUID

import asyncpg

from balcao.core.database.pool import Connection, Row
from balcao.core.errors import Conflict
from balcao.employability.reference_values.kinds import Kind
from balcao.employability.reference_values.schemas import ReferenceValue

_READ = """
SELECT id, descricao, created_at, updated_at
FROM employability.reference_value
WHERE kind = $1 AND id = $2
"""


async def read(connection: Connection, kind: Kind, id_: UUID) -> ReferenceValue | None:
    row = await connection.fetchrow(_READ, kind, id_)
    return _to_value(row) if row else None


_LOCK = _READ + "FOR UPDATE"


async def lock(connection: Connection, kind: Kind, id_: UUID) -> ReferenceValue | None:
    """Read a value and keep others from changing it until the transaction ends."""
    row = await connection.fetchrow(_LOCK, kind, id_)
    return _to_value(row) if row else None


_DESCRIBE = """
UPDATE employability.reference_value
SET descricao = $2, updated_at = clock_timestamp()
WHERE id = $1
RETURNING id, descricao, created_at, updated_at
"""


async def update_descricao(connection: Connection, id_: UUID, descricao: str) -> ReferenceValue:
    """Update the text of a locked row. Raises Conflict when another value of the kind has the same text, folded."""
    try:
        return _to_value(await connection.fetchrow(_DESCRIBE, id_, descricao))
    except asyncpg.UniqueViolationError:
        raise Conflict("Já existe outro registro com esta `descricao`.", code="descricao-taken") from None


def _to_value(row: Row) -> ReferenceValue:
    return ReferenceValue(**dict(row))
