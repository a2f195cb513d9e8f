"""SQL of the situation and what kind of work a person looks for."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.employability.reference_values.schemas import ReferenceValue
from balcao.employability.resume.job_search.schemas import JobSearch, JobSearchBody

_VALUE = """(SELECT json_build_object('id', id, 'descricao', descricao, 'created_at', created_at,
    'updated_at', updated_at)::text FROM employability.reference_value AS value WHERE value.id = entry.{column})"""
_READ = f"""
SELECT cpf, id_situacao, id_disponibilidade, tempo_procurando_emprego,
       ARRAY(SELECT id_regime FROM employability.preferred_contract AS preferred
             WHERE preferred.cpf = entry.cpf ORDER BY place) AS ids_tipos_vinculo_preferencia,
       {_VALUE.format(column="id_situacao")} AS situacao,
       {_VALUE.format(column="id_disponibilidade")} AS disponibilidade, created_at, updated_at
FROM employability.job_search AS entry
WHERE cpf = $1
"""


async def read(connection: Connection, cpf: Cpf) -> JobSearch | None:
    row = await connection.fetchrow(_READ, cpf.digits)
    if row is None:
        return None
    nested = {
        member: msgspec.json.decode(row[member], type=ReferenceValue)
        for member in ("situacao", "disponibilidade")
        if row[member] is not None
    }
    return JobSearch(**{**dict(row), **nested})


_WRITE = """
INSERT INTO employability.job_search (cpf, id_situacao, id_disponibilidade, tempo_procurando_emprego)
VALUES ($1, $2, $3, $4)
ON CONFLICT (cpf) DO UPDATE SET
    id_situacao = excluded.id_situacao, id_disponibilidade = excluded.id_disponibilidade,
    tempo_procurando_emprego = excluded.tempo_procurando_emprego, updated_at = clock_timestamp()
"""
_CLEAR_CONTRACTS = "DELETE FROM employability.preferred_contract WHERE cpf = $1"
_INSERT_CONTRACTS = """
INSERT INTO employability.preferred_contract (cpf, place, id_regime)
SELECT $1, place, id FROM unnest($2::uuid[]) WITH ORDINALITY AS sent (id, place)
"""


async def write(connection: Connection, cpf: Cpf, body: JobSearchBody, contracts: Sequence[UUID]) -> None:
    """Replace the record of a locked resume."""
    await connection.execute(
        _WRITE, cpf.digits, body.id_situacao, body.id_disponibilidade, body.tempo_procurando_emprego
    )
    await connection.execute(_CLEAR_CONTRACTS, cpf.digits)
    await connection.execute(_INSERT_CONTRACTS, cpf.digits, contracts)
