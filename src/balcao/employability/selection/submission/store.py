"""SQL of what a person did before they apply."""

from typing import NamedTuple
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf


class PriorApplications(NamedTuple):
    """How many of a person's applications for a job live, none or one, how many were withdrawn, and what terms hold."""

    live: int
    withdrawn: int
    terms: str | None


@statement("""
SELECT count(*) FILTER (WHERE status <> 'retirada') AS live, count(*) FILTER (WHERE status = 'retirada') AS withdrawn,
    (SELECT version FROM employability.terms_acceptance WHERE terms_acceptance.cpf = :cpf) AS terms
FROM employability.application WHERE cpf = :cpf AND id_vaga = :job
""")
async def read_earlier_applications(connection: Connection, cpf: Cpf, job: UUID) -> PriorApplications:
    """Return what a person did before they apply for a job."""
