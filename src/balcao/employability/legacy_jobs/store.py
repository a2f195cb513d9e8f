"""SQL for older jobs.

Removed jobs remain in the table, so their ids are never used again, but no query returns them.
"""

import asyncpg

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Json, Paged
from balcao.core.database.statements import statement
from balcao.core.errors import Invalid
from balcao.core.values.page import Page
from balcao.employability.legacy_jobs.filters import LegacyJobFilters
from balcao.employability.legacy_jobs.schemas import LegacyJob, LegacyJobBody

_COLUMNS = LegacyJobBody.__struct_fields__
_VALUES = ", ".join(f":{name}" for name in _COLUMNS)


# Each job is read as one JSON document with its company and schooling.
_FROM = """
FROM employability.legacy_job AS job
LEFT JOIN employability.company ON company.numero = job.empresa_id
LEFT JOIN employability.reference_value AS level ON level.kind = 'escolaridades' AND level.posicao = job.escolaridade_id
"""
_MEMBERS = f"""
    job.id, {", ".join(f"job.{name}" for name in _COLUMNS)}, job.created_at, job.updated_at,
    CASE WHEN company.numero IS NOT NULL THEN jsonb_build_object(
        'id', company.numero, 'nome', coalesce(company.nome_fantasia, company.razao_social)) END AS empresa,
    CASE WHEN level.id IS NOT NULL THEN jsonb_build_object(
        'id', level.posicao, 'nivel', level.descricao) END AS escolaridade
"""


@lookup(f"""
SELECT to_jsonb(found) FROM (SELECT {_MEMBERS} {_FROM} WHERE job.deleted_at IS NULL AND job.id = :job_id) AS found
""")
async def select_legacy_job(source: Source, job_id: int) -> Json[LegacyJob] | None:
    """Return a job, or None if it is unknown or removed."""


async def lock_legacy_job(connection: Connection, job_id: int) -> LegacyJob | None:
    """Lock a job until the transaction ends, and return it. Return None if it is unknown or removed."""
    await _lock_legacy_job(connection, job_id)
    return await select_legacy_job(connection, job_id)


@statement("SELECT FROM employability.legacy_job WHERE id = :job_id AND deleted_at IS NULL FOR UPDATE")
async def _lock_legacy_job(connection: Connection, job_id: int) -> None: ...


_MATCHES = """
WHERE job.deleted_at IS NULL AND (:sees_all OR job.status <> 'CRIADO')
  AND (:orgao_id::text IS NULL OR job.orgao_id = :orgao_id)
  AND (:empresa_id::bigint IS NULL OR job.empresa_id = :empresa_id)
  AND (:escolaridade_id::integer IS NULL OR job.escolaridade_id = :escolaridade_id)
  AND (:status::text IS NULL OR job.status = :status)
  AND (:tipo_contratacao::text IS NULL OR job.tipo_contratacao = :tipo_contratacao)
  AND (:jornada_trabalho::text IS NULL OR job.jornada_trabalho = :jornada_trabalho)
"""


@statement(
    page_sql(
        f"""
        SELECT to_jsonb(found) AS document FROM (
            SELECT {_MEMBERS} {_FROM} {_MATCHES} ORDER BY job.created_at DESC, job.id DESC LIMIT :limit OFFSET :offset
        ) AS found
        """,
        f"SELECT count(*) FROM employability.legacy_job AS job {_MATCHES}",
    )
)
async def select_legacy_jobs(
    connection: Connection, filters: LegacyJobFilters, page: Page, *, sees_all: bool
) -> Paged[Json[LegacyJob]]:
    """Return one page of jobs, newest first, and the total number of matches.

    Jobs in CRIADO are included only if `sees_all` is set.
    """


@statement("SELECT id FROM employability.legacy_job WHERE deleted_at IS NULL ORDER BY created_at DESC, id DESC")
async def list_legacy_job_ids(connection: Connection) -> list[int]:
    """Return the ids of the jobs that were not removed, newest first."""


async def insert_legacy_job(connection: Connection, body: LegacyJobBody) -> int:
    """Insert a job and return its id. Raises Invalid if the company does not exist."""
    try:
        return await _insert_legacy_job(connection, body)
    except asyncpg.ForeignKeyViolationError:
        raise _no_company() from None


@statement(f"INSERT INTO employability.legacy_job ({', '.join(_COLUMNS)}) VALUES ({_VALUES}) RETURNING id")
async def _insert_legacy_job(connection: Connection, body: LegacyJobBody) -> int: ...


async def update_legacy_job(connection: Connection, job_id: int, body: LegacyJobBody) -> None:
    """Replace a locked job. Raises Invalid if the company does not exist."""
    try:
        await _update_legacy_job(connection, job_id, body)
    except asyncpg.ForeignKeyViolationError:
        raise _no_company() from None


@statement(f"""
UPDATE employability.legacy_job
SET ({", ".join(_COLUMNS)}) = ROW({_VALUES}), row_version = row_version + 1, updated_at = clock_timestamp()
WHERE id = :job_id
""")
async def _update_legacy_job(connection: Connection, job_id: int, body: LegacyJobBody) -> None: ...


def _no_company() -> Invalid:
    return Invalid("O campo `empresa_id` não é o número de uma empresa.", code="empresa_id-unknown")


@statement("""
UPDATE employability.legacy_job SET deleted_at = clock_timestamp(), row_version = row_version + 1 WHERE id = :job_id
""")
async def mark_legacy_job_deleted(connection: Connection, job_id: int) -> None: ...


@statement("""
SELECT EXISTS (SELECT FROM employability.reference_value WHERE kind = 'escolaridades' AND posicao = :level)
""")
async def is_schooling(connection: Connection, level: int) -> bool: ...
