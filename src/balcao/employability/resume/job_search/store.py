"""SQL for a person's situation and the kind of work that they are looking for."""

from collections.abc import Sequence
from uuid import UUID

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.job_search.schemas import JobSearch, JobSearchBody

_VALUE = """(SELECT json_build_object('id', id, 'descricao', descricao, 'created_at', created_at,
    'updated_at', updated_at)::text FROM employability.reference_value AS value WHERE value.id = entry.{column})"""


@lookup(f"""
SELECT cpf, id_situacao, id_disponibilidade, tempo_procurando_emprego,
       ARRAY(SELECT id_regime FROM employability.preferred_contract AS preferred
             WHERE preferred.cpf = entry.cpf ORDER BY place) AS ids_tipos_vinculo_preferencia,
       {_VALUE.format(column="id_situacao")} AS situacao,
       {_VALUE.format(column="id_disponibilidade")} AS disponibilidade, created_at, updated_at
FROM employability.job_search AS entry
WHERE cpf = :cpf
""")
async def select_job_search(source: Source, cpf: Cpf) -> JobSearch | None: ...


async def replace_job_search(connection: Connection, cpf: Cpf, body: JobSearchBody, contracts: Sequence[UUID]) -> None:
    """Replace a person's record. The caller has locked their resume."""
    await _upsert_job_search(connection, cpf, body)
    await _delete_preferred_contracts(connection, cpf)
    await _insert_preferred_contracts(connection, cpf, contracts)


@statement("""
INSERT INTO employability.job_search (cpf, id_situacao, id_disponibilidade, tempo_procurando_emprego)
VALUES (:cpf, :id_situacao, :id_disponibilidade, :tempo_procurando_emprego)
ON CONFLICT (cpf) DO UPDATE SET
    id_situacao = excluded.id_situacao, id_disponibilidade = excluded.id_disponibilidade,
    tempo_procurando_emprego = excluded.tempo_procurando_emprego, updated_at = clock_timestamp()
""")
async def _upsert_job_search(connection: Connection, cpf: Cpf, body: JobSearchBody) -> None: ...


@statement("DELETE FROM employability.preferred_contract WHERE cpf = :cpf")
async def _delete_preferred_contracts(connection: Connection, cpf: Cpf) -> None: ...


@statement("""
INSERT INTO employability.preferred_contract (cpf, place, id_regime)
SELECT :cpf, place, id FROM unnest(:contracts::uuid[]) WITH ORDINALITY AS sent (id, place)
""")
async def _insert_preferred_contracts(connection: Connection, cpf: Cpf, contracts: Sequence[UUID]) -> None: ...
