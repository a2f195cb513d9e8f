"""SQL of the copies of what the registry said of people."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from uuid import UUID

import msgspec

from balcao.core.database.pool import Connection, json_text
from balcao.core.database.queries import affected, fetch_count
from balcao.core.values.cpf import Cpf
from balcao.employability.registry_people import PersonRecord

_READ = (
    "SELECT cpf, record FROM employability.candidate WHERE cpf = ANY ($1::text[]) AND read_at > now() - $2::interval"
)
# Older than any copy.
ANY_AGE = timedelta(days=36_500)


async def read(connection: Connection, people: Iterable[Cpf], fresh: timedelta) -> dict[str, PersonRecord]:
    """Return the copies that are younger than that, by the digits of the CPF."""
    rows = await connection.fetch(_READ, [cpf.digits for cpf in people], fresh)
    return {row["cpf"]: msgspec.json.decode(row["record"], type=PersonRecord) for row in rows}


_WRITE = """
INSERT INTO employability.candidate (cpf, record, read_at) VALUES ($1, $2::jsonb, clock_timestamp())
ON CONFLICT (cpf) DO UPDATE SET record = excluded.record, read_at = excluded.read_at
"""


async def write(connection: Connection, cpf: Cpf, record: PersonRecord) -> None:
    """Keep what the registry said just now."""
    await connection.execute(_WRITE, cpf.digits, json_text(record))


# Whose applications are still looked at: the job has not ended, and nobody withdrew.
_STALE = """
SELECT DISTINCT application.cpf
FROM employability.job
JOIN employability.application ON application.id_vaga = job.id
LEFT JOIN employability.candidate ON candidate.cpf = application.cpf
WHERE job.deleted_at IS NULL AND job.status IN ('publicado_ativo', 'vaga_congelada')
    AND application.status <> 'retirada' AND application.cleared_at IS NULL AND application.cpf > $1
    AND (candidate.read_at IS NULL OR candidate.read_at <= now() - $2::interval)
ORDER BY application.cpf LIMIT $3
"""


async def list_stale(connection: Connection, after: str, fresh: timedelta, most: int) -> Sequence[Cpf]:
    """Return the next people, by CPF, with applications that are looked at and a copy that is older than that."""
    return [Cpf(row["cpf"]) for row in await connection.fetch(_STALE, after, fresh, most)]


_FIND_CANDIDATE = """
SELECT cpf FROM employability.application WHERE id = $1 AND status <> 'retirada' AND cleared_at IS NULL
"""


async def find_candidate(connection: Connection, application: UUID) -> Cpf | None:
    """Return whose application it is; None for one that is withdrawn, or was cleared of its person's data."""
    digits = await connection.fetchval(_FIND_CANDIDATE, application)
    return None if digits is None else Cpf(digits)


async def delete(connection: Connection, cpf: Cpf) -> int:
    """Delete a person's copy and return how many there were."""
    return affected(await connection.execute("DELETE FROM employability.candidate WHERE cpf = $1", cpf.digits))


async def count(connection: Connection) -> int:
    """Return how many copies there are."""
    return await fetch_count(connection, "SELECT count(*) FROM employability.candidate")


_DELETE_UNNEEDED = """
DELETE FROM employability.candidate
WHERE NOT EXISTS (SELECT FROM employability.application WHERE application.cpf = candidate.cpf)
"""


async def delete_unneeded(connection: Connection) -> int:
    """Delete the copies of people whom no application names, and return how many. By the owner of the tables only."""
    return affected(await connection.execute(_DELETE_UNNEEDED))
