"""SQL for the acceptance of the terms of use."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf


class Acceptance(NamedTuple):
    """The version of the terms that a person accepted, and when."""

    version: str
    aceito_em: datetime
    created_at: datetime
    updated_at: datetime


@lookup("SELECT version, aceito_em, created_at, updated_at FROM employability.terms_acceptance WHERE cpf = :cpf")
async def select_acceptance(source: Source, cpf: Cpf) -> Acceptance | None: ...


# Accepting the same version again keeps the time of the first acceptance.
@statement("""
INSERT INTO employability.terms_acceptance AS held (cpf, version, aceito_em) VALUES (:cpf, :version, clock_timestamp())
ON CONFLICT (cpf) DO UPDATE SET version = :version, aceito_em = clock_timestamp(), updated_at = clock_timestamp()
WHERE held.version <> :version
RETURNING id
""")
async def upsert_acceptance(connection: Connection, cpf: Cpf, version: str) -> UUID | None:
    """Store the acceptance and return its id, or None if this version was already accepted."""


@statement("DELETE FROM employability.terms_acceptance WHERE cpf = :cpf")
async def delete_acceptance(connection: Connection, cpf: Cpf) -> int: ...
