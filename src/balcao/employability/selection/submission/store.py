"""SQL that counts a person's earlier applications and reads their accepted terms."""

from typing import NamedTuple
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf


class PriorApplications(NamedTuple):
    """The number of a person's earlier applications for a job, and the version of the terms that they accepted.

    `live` is the number of applications that are not withdrawn, which is 0 or 1.
    """

    live: int
    withdrawn: int
    terms: str | None


@statement("""
SELECT count(*) FILTER (WHERE status <> 'retirada') AS live, count(*) FILTER (WHERE status = 'retirada') AS withdrawn,
    (SELECT version FROM employability.terms_acceptance WHERE terms_acceptance.cpf = :cpf) AS terms
FROM employability.application WHERE cpf = :cpf AND id_vaga = :job
""")
async def read_earlier_applications(connection: Connection, cpf: Cpf, job: UUID) -> PriorApplications:
    """Return the number of a person's earlier applications for a job, and their accepted terms."""
