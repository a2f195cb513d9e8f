"""SQL for the introduction to the job listings."""

from datetime import datetime

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf


@lookup("SELECT completed_at FROM employability.onboarding WHERE cpf = :cpf")
async def read_completion(source: Source, cpf: Cpf) -> datetime | None: ...


@statement("INSERT INTO employability.onboarding (cpf) VALUES (:cpf) ON CONFLICT (cpf) DO NOTHING")
async def insert_completion(connection: Connection, cpf: Cpf) -> bool:
    """Record that the person completed the introduction. Return False if this was already recorded."""
