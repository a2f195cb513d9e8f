"""SQL for the local copies of registry records."""

from collections.abc import Collection, Mapping
from datetime import timedelta
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.database.results import Json
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf
from balcao.employability.registry_people import PersonRecord

# An age limit that includes every copy.
ANY_AGE = timedelta(days=36_500)


@statement("""
SELECT cpf, record FROM employability.candidate WHERE cpf = ANY (:people::text[]) AND read_at > now() - :fresh::interval
""")
async def read_copies(
    connection: Connection, people: Collection[Cpf], fresh: timedelta
) -> Mapping[Cpf, Json[PersonRecord]]:
    """Return the copies that are younger than `fresh`."""


@statement("""
INSERT INTO employability.candidate (cpf, record, read_at) VALUES (:cpf, :record::jsonb, clock_timestamp())
ON CONFLICT (cpf) DO UPDATE SET record = excluded.record, read_at = excluded.read_at
""")
async def upsert_copy(connection: Connection, cpf: Cpf, record: PersonRecord) -> None:
    """Store a record that was just read from the registry."""


# The people who have an application that is neither withdrawn nor erased, for a frozen or a published (even expired)
# job.
@statement("""
SELECT DISTINCT application.cpf
FROM employability.job
JOIN employability.application ON application.id_vaga = job.id
LEFT JOIN employability.candidate ON candidate.cpf = application.cpf
WHERE job.deleted_at IS NULL AND job.status IN ('publicado_ativo', 'vaga_congelada')
    AND application.status <> 'retirada' AND application.cleared_at IS NULL AND application.cpf > :after
    AND (candidate.read_at IS NULL OR candidate.read_at <= now() - :fresh::interval)
ORDER BY application.cpf LIMIT :most
""")
async def list_stale_people(connection: Connection, after: str, fresh: timedelta, most: int) -> list[Cpf]:
    """Return the next people whose copy is missing or at least `fresh` old, sorted by CPF."""


@statement("""
SELECT cpf FROM employability.application WHERE id = :application AND status <> 'retirada' AND cleared_at IS NULL
""")
async def find_candidate(connection: Connection, application: UUID) -> Cpf | None:
    """Return the candidate's CPF, or None if the application was withdrawn or erased."""


@statement("SELECT count(*) FROM employability.candidate")
async def count_copies(connection: Connection) -> int: ...


@statement("""
DELETE FROM employability.candidate
WHERE NOT EXISTS (SELECT FROM employability.application WHERE application.cpf = candidate.cpf)
""")
async def delete_unneeded_copies(connection: Connection) -> int:
    """Delete the copies of people without applications. Return the number of deleted copies.

    Only the owner of the tables may run this.
    """
