"""SQL of the older jobs; a removed one stays as a row that nothing finds."""

import dataclasses
from typing import Any

import asyncpg
import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.queries import fetch_count, fetch_page, page_sql
from balcao.core.errors import Invalid
from balcao.core.http.paging import Page
from balcao.employability.legacy_jobs.filters import LegacyJobFilters
from balcao.employability.legacy_jobs.schemas import LegacyJob, LegacyJobBody

_COLUMNS = LegacyJobBody.__struct_fields__


# How a job is read: one JSON document, with what it names.
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
_READ = f"""
SELECT to_jsonb(found) FROM (SELECT {_MEMBERS} {_FROM} WHERE job.deleted_at IS NULL AND job.id = $1) AS found
"""
_LOCK = "SELECT FROM employability.legacy_job WHERE id = $1 AND deleted_at IS NULL FOR UPDATE"


async def read(connection: Connection, id_: int) -> LegacyJob | None:
    """Return a job; None for an unknown or removed one."""
    document = await connection.fetchval(_READ, id_)
    return None if document is None else msgspec.json.decode(document, type=LegacyJob)


async def lock(connection: Connection, id_: int) -> LegacyJob | None:
    """Return a job, and keep others from changing it until the transaction ends."""
    await connection.execute(_LOCK, id_)
    return await read(connection, id_)


_MATCHES = """
WHERE job.deleted_at IS NULL AND ($1 OR job.status <> 'CRIADO')
  AND ($2::text IS NULL OR job.orgao_id = $2)
  AND ($3::bigint IS NULL OR job.empresa_id = $3)
  AND ($4::integer IS NULL OR job.escolaridade_id = $4)
  AND ($5::text IS NULL OR job.status = $5)
  AND ($6::text IS NULL OR job.tipo_contratacao = $6)
  AND ($7::text IS NULL OR job.jornada_trabalho = $7)
"""
_PAGE = page_sql(
    f"""
    SELECT to_jsonb(found) AS document FROM (
        SELECT {_MEMBERS} {_FROM} {_MATCHES} ORDER BY job.created_at DESC, job.id DESC LIMIT $8 OFFSET $9
    ) AS found
    """,
    f"SELECT count(*) FROM employability.legacy_job AS job {_MATCHES}",
)


async def list_page(
    connection: Connection, filters: LegacyJobFilters, page: Page, *, sees_all: bool
) -> tuple[list[LegacyJob], int]:
    """Return the page's jobs, newest first, and how many on all pages; those not opened yet only with `sees_all`."""
    values = dataclasses.astuple(filters)
    rows, total = await fetch_page(connection, _PAGE, sees_all, *values, page.limit, page.offset)
    return [msgspec.json.decode(row["document"], type=LegacyJob) for row in rows], total


_PRESENT = "SELECT id FROM employability.legacy_job WHERE deleted_at IS NULL ORDER BY created_at DESC, id DESC"


async def list_ids(connection: Connection) -> list[int]:
    """Return the ids of the jobs that were not removed, newest first."""
    return [row["id"] for row in await connection.fetch(_PRESENT)]


_INSERT = f"""
INSERT INTO employability.legacy_job ({", ".join(_COLUMNS)})
VALUES ({", ".join(f"${number}" for number in range(1, len(_COLUMNS) + 1))})
RETURNING id
"""


async def insert(connection: Connection, body: LegacyJobBody) -> int:
    """Insert a job and return its id. Raises Invalid for a company that is not there."""
    try:
        return await fetch_count(connection, _INSERT, *_to_columns(body))
    except asyncpg.ForeignKeyViolationError:
        raise _no_company() from None


_REPLACE = f"""
UPDATE employability.legacy_job
SET ({", ".join(_COLUMNS)}) = ROW({", ".join(f"${number}" for number in range(2, len(_COLUMNS) + 2))}),
    row_version = row_version + 1, updated_at = clock_timestamp()
WHERE id = $1
"""


async def replace(connection: Connection, id_: int, body: LegacyJobBody) -> None:
    """Replace a locked job. Raises Invalid for a company that is not there."""
    try:
        await connection.execute(_REPLACE, id_, *_to_columns(body))
    except asyncpg.ForeignKeyViolationError:
        raise _no_company() from None


def _no_company() -> Invalid:
    return Invalid("O campo `empresa_id` não é o número de uma empresa.", code="empresa_id-unknown")


_DELETE = """
UPDATE employability.legacy_job SET deleted_at = clock_timestamp(), row_version = row_version + 1 WHERE id = $1
"""


async def delete(connection: Connection, id_: int) -> None:
    await connection.execute(_DELETE, id_)


_SCHOOLING = """
SELECT EXISTS (SELECT FROM employability.reference_value WHERE kind = 'escolaridades' AND posicao = $1)
"""


async def is_schooling(connection: Connection, level: int) -> bool:
    found: bool = await connection.fetchval(_SCHOOLING, level)
    return found


def _to_columns(body: LegacyJobBody) -> tuple[Any, ...]:
    return tuple(getattr(body, name) for name in _COLUMNS)
