"""SQL that imports and exports jobs."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.database.results import Json
from balcao.core.database.statements import statement
from balcao.employability.hiring.content.rules import StoredContent
from balcao.employability.hiring.listings.store import DECIDED_SQL, SHOWN_SQL


def _value_ids(kind: str) -> str:
    """Return an SQL expression that lists the ids of a job's reference values of one kind."""
    return f"""(
        SELECT coalesce(json_agg(value.id), '[]')
        FROM employability.job_reference_value AS linked
        JOIN employability.reference_value AS value ON value.id = linked.value_id AND value.kind = '{kind}'
        WHERE linked.job_id = job.id)"""


# The content of a job. Referenced records are represented by their ids.
_CONTENT = f"""
    job.id, {SHOWN_SQL} AS status, {", ".join(f"job.{name}" for name in DECIDED_SQL.split())},
    {_value_ids("tipos-pcd")} AS tipos_pcd,
    {_value_ids("zonas")} AS zonas,
    (SELECT coalesce(json_agg(json_build_object('id_idioma', id_idioma, 'id_nivel_minimo', id_nivel_minimo)), '[]')
     FROM employability.job_language WHERE job_id = job.id) AS idiomas_requisito,
    (SELECT coalesce(json_agg(json_build_object('id', id, 'titulo', titulo, 'descricao', descricao)
        ORDER BY ordem), '[]')
     FROM employability.job_step WHERE id_vaga = job.id) AS etapas,
    (SELECT coalesce(json_agg(json_build_object('id', id, 'titulo', titulo, 'obrigatorio', obrigatorio,
        'tipo_campo', tipo_campo, 'valor_minimo', valor_minimo, 'valor_maximo', valor_maximo, 'opcoes', opcoes)
        ORDER BY ordem), '[]')
     FROM employability.job_question WHERE id_vaga = job.id) AS informacoes_complementares"""


@statement(f"""
SELECT to_json(found) FROM (
    SELECT {_CONTENT} FROM employability.job WHERE job.deleted_at IS NULL AND job.id = ANY(:ids::uuid[])
) AS found
""")
async def list_stored_contents(connection: Connection, ids: Sequence[UUID], now: datetime) -> list[Json[StoredContent]]:
    """Return the content of the jobs with these ids, in all departments. Deleted jobs are omitted."""


@statement("SELECT id FROM employability.job WHERE id = ANY(:ids::uuid[])")
async def list_present_job_ids(connection: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Return the ids that belong to a job, even a deleted one."""


def read_timezone(connection: Connection) -> str:
    """Return the time zone of an import's connection, which is the city's.

    This needs no query, because PostgreSQL has reported the zone to the driver.
    """
    zone: str = connection.get_settings().TimeZone
    return zone


# A job as an exported line. It contains the members of a POST body, and all other columns except the folded names.
LINE = """
to_jsonb(stored) - '{titulo_folded,bairro_folded}'::text[] || jsonb_build_object(
    'tipos_pcd', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('id', value.id) ORDER BY value.id), '[]')
        FROM employability.job_reference_value AS named
        JOIN employability.reference_value AS value ON value.id = named.value_id
        WHERE job_id = stored.id AND value.kind = 'tipos-pcd'),
    'zonas', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('id', value.id) ORDER BY value.id), '[]')
        FROM employability.job_reference_value AS named
        JOIN employability.reference_value AS value ON value.id = named.value_id
        WHERE job_id = stored.id AND value.kind = 'zonas'),
    'idiomas_requisito', (
        SELECT coalesce(jsonb_agg(to_jsonb(language) - 'job_id' ORDER BY id_idioma), '[]')
        FROM employability.job_language AS language WHERE job_id = stored.id),
    'etapas', (
        SELECT coalesce(jsonb_agg(to_jsonb(step) - 'id_vaga' ORDER BY ordem), '[]')
        FROM employability.job_step AS step WHERE id_vaga = stored.id),
    'informacoes_complementares', (
        SELECT coalesce(jsonb_agg(to_jsonb(question) - 'id_vaga' ORDER BY ordem), '[]')
        FROM employability.job_question AS question WHERE id_vaga = stored.id))
"""
