"""SQL of the acceptance of the terms of use."""

from uuid import UUID

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import affected
from balcao.core.values.cpf import Cpf

_READ = "SELECT version, aceito_em, created_at, updated_at FROM employability.terms_acceptance WHERE cpf = $1"


async def read(connection: Connection, cpf: Cpf) -> Row | None:
    """Return `version`, `aceito_em`, `created_at`, `updated_at`; None where the person accepted nothing."""
    return await connection.fetchrow(_READ, cpf.digits)


# The first instant of a version stays, however often it is accepted.
_ACCEPT = """
INSERT INTO employability.terms_acceptance AS held (cpf, version, aceito_em) VALUES ($1, $2, clock_timestamp())
ON CONFLICT (cpf) DO UPDATE SET version = $2, aceito_em = clock_timestamp(), updated_at = clock_timestamp()
WHERE held.version <> $2
RETURNING id
"""


async def accept(connection: Connection, cpf: Cpf, version: str) -> UUID | None:
    """Store the acceptance and return its id; None when this version was accepted before."""
    found: UUID | None = await connection.fetchval(_ACCEPT, cpf.digits, version)
    return found


async def delete(connection: Connection, cpf: Cpf) -> int:
    """Delete the acceptance and return how many there were."""
    return affected(await connection.execute("DELETE FROM employability.terms_acceptance WHERE cpf = $1", cpf.digits))
