"""SQL of the jobs and of what belongs to them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg
import msgspec

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.results import Json
from balcao.core.database.statements import statement
from balcao.core.errors import Invalid
from balcao.employability.hiring.departments.scope import Scope
from balcao.employability.hiring.listings.content import JobContent, QuestionContent, StepContent
from balcao.employability.hiring.listings.schemas import Job, JobSummary
from balcao.employability.hiring.listings.slugs import slugify
from balcao.employability.hiring.listings.states import JobStatus
from balcao.employability.hiring.listings.views_store import (
    CONTENT,
    DECIDED,
    FROM,
    REACHED,
    SUMMARY,
    WHOLE,
)


def _read_sql(condition: str) -> str:
    """Return the statement that reads the whole jobs for which the condition holds."""
    return f"SELECT to_jsonb(found) FROM (SELECT {WHOLE} {FROM} WHERE job.deleted_at IS NULL AND {condition}) AS found"


# The author of imported drafts. Nobody has this subject: without department only callers who reach all see them.
IMPORTER = "import"


@statement(_read_sql(f"{REACHED} AND job.id = :job_id"))
async def read_job(connection: Connection, scope: Scope, job_id: UUID, now: datetime) -> Json[Job] | None:
    """Return a job within reach."""


@lookup(_read_sql("job.publicado_em IS NOT NULL AND job.id = :job_id"))
async def read_published_job(source: Source, job_id: UUID, now: datetime) -> Json[Job] | None:
    """Return a job that was ever published."""


async def read_job_by_slug(connection: Connection, beginning: str, slug: str, now: datetime) -> Job | None:
    """Return the published job whose id begins with these twelve digits; of several the one with this slug."""
    return await _read_job_between(connection, UUID(f"{beginning:0<32}"), UUID(f"{beginning:f<32}"), slug, now)


@statement(f"""
{_read_sql("job.publicado_em IS NOT NULL AND job.id BETWEEN :lowest AND :highest")}
ORDER BY found.slug = :slug DESC, found.id LIMIT 1
""")
async def _read_job_between(
    connection: Connection, lowest: UUID, highest: UUID, slug: str, now: datetime
) -> Json[Job] | None: ...


async def lock_job(connection: Connection, scope: Scope, job_id: UUID, now: datetime) -> Job | None:
    """Return a job within reach, and keep others from changing it until the transaction ends.

    It is locked before it is read: a statement that waits for the lock would see steps as they were before.
    """
    await _lock_job(connection, scope, job_id)
    return await read_job(connection, scope, job_id, now)


@statement(f"SELECT FROM employability.job WHERE id = :job_id AND deleted_at IS NULL AND {REACHED} FOR UPDATE")
async def _lock_job(connection: Connection, scope: Scope, job_id: UUID) -> None: ...


class StoredContent(JobContent, frozen=True, kw_only=True):
    """A job as an import compares it: what it consists of, and its state as it is shown."""

    id: UUID
    status: str


@statement(f"""
SELECT to_json(found) FROM (
    SELECT {CONTENT} FROM employability.job WHERE job.deleted_at IS NULL AND job.id = ANY(:ids::uuid[])
) AS found
""")
async def list_stored_contents(connection: Connection, ids: Sequence[UUID], now: datetime) -> list[Json[StoredContent]]:
    """Return those of the jobs that are there and not deleted, whatever departments the caller reaches."""


@statement(f"""
SELECT to_jsonb(found) AS document, found.id_orgao_parceiro
FROM (SELECT {SUMMARY} {FROM} WHERE job.id = ANY(:ids::uuid[])) AS found
""")
async def list_job_summaries(
    connection: Connection, ids: Collection[UUID], now: datetime
) -> list[tuple[JobSummary, str | None]]:
    """Return what applications show of these jobs, the deleted ones too, each with the code of its department."""


@statement("SELECT FROM employability.job WHERE id = :job_id FOR SHARE")
async def share_job(connection: Connection, job_id: UUID) -> None:
    """Keep others from changing a job until the transaction ends; any number may do so at once."""


class RemainingSteps(msgspec.Struct, frozen=True):
    """The steps that a job keeps."""

    job: UUID
    steps: Sequence[UUID]


# A function in a statement of its own: it moves the candidates as its job stands when it is called.
@statement("""
SELECT employability.leave_steps(job, steps) FROM jsonb_to_recordset(:remaining::jsonb) AS kept (job uuid, steps uuid[])
""")
async def leave_steps(connection: Connection, remaining: Sequence[RemainingSteps]) -> None:
    """Move the candidates of the other steps of locked jobs to the remaining step before, or to none."""


# In one order, so that two who lock several never wait for each other.
@statement("SELECT FROM employability.job WHERE id = ANY(:ids) ORDER BY id FOR UPDATE")
async def lock_jobs(connection: Connection, ids: Sequence[UUID]) -> None:
    """Keep others from changing the jobs, and from moving their candidates, until the transaction ends."""


@statement("""
SELECT wanted AS id FROM unnest(:ids::uuid[]) AS wanted
WHERE NOT EXISTS (SELECT FROM employability.job WHERE id = wanted)
""")
async def list_missing_job_ids(connection: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Return those of the ids that no job ever had."""


class NewJob(msgspec.Struct, frozen=True):
    """What a job begins with; without `created_at` it is made now."""

    content: JobContent
    status: JobStatus = JobStatus.EDITING
    publicado_em: datetime | None = None
    created_at: datetime | None = None


async def insert_draft(connection: Connection, job_id: UUID, content: JobContent, author: str) -> None:
    """Insert a draft with all that belongs to it."""
    with _references():
        await _insert_whole_jobs(connection, {job_id: NewJob(content)}, author)


async def insert_imported_jobs(connection: Connection, jobs: Mapping[UUID, NewJob]) -> set[UUID]:
    """Insert jobs of a file; return the ids of those that were not taken. What they refer to is the server's to refuse.

    Raises what the server says of any of them.
    """
    return await _insert_whole_jobs(connection, jobs, IMPORTER)


async def _insert_whole_jobs(connection: Connection, jobs: Mapping[UUID, NewJob], author: str) -> set[UUID]:
    rows = [
        _columns(id_, job.content)
        | {
            "status": job.status, "criado_por": author, "publicado_em": job.publicado_em, "created_at": job.created_at
        }
        for id_, job in jobs.items()
    ]  # fmt: skip
    inserted = await _insert_jobs(connection, rows)
    await _write_parts(connection, {id_: jobs[id_].content for id_ in jobs if id_ in inserted})
    return inserted


_COLUMNS = DECIDED.split()
# Read as rows of the table, so that each member has the type of its column.
_SENT = "FROM jsonb_populate_recordset(NULL::employability.job, :rows::jsonb) AS sent"


@statement(f"""
INSERT INTO employability.job (id, titulo_slug, status, criado_por, publicado_em, created_at, {", ".join(_COLUMNS)})
SELECT id, titulo_slug, status, criado_por, publicado_em, coalesce(created_at, clock_timestamp()), {", ".join(_COLUMNS)}
{_SENT}
ON CONFLICT (id) DO NOTHING RETURNING id
""")
async def _insert_jobs(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> set[UUID]: ...


async def update_jobs(connection: Connection, contents: Mapping[UUID, JobContent]) -> None:
    """Replace what jobs consist of."""
    with _references():
        rows = [_columns(id_, content) for id_, content in contents.items()]
        await _update_jobs(connection, rows, list(contents))
        await _write_parts(connection, contents)


@statement(f"""
UPDATE employability.job
SET {", ".join(f"{name} = sent.{name}" for name in _COLUMNS)},
    titulo_slug = sent.titulo_slug, row_version = job.row_version + 1, updated_at = clock_timestamp()
{_SENT} WHERE job.id = ANY(:ids::uuid[]) AND job.id = sent.id
""")
async def _update_jobs(connection: Connection, rows: Sequence[Mapping[str, Any]], ids: Sequence[UUID]) -> None: ...


def _columns(id_: UUID, content: JobContent) -> dict[str, Any]:
    return {"id": id_, "titulo_slug": slugify(content.titulo)} | {name: getattr(content, name) for name in _COLUMNS}


@contextmanager
def _references() -> Iterator[None]:
    """Raise Invalid for what was deleted between its check and this statement."""
    try:
        yield
    except asyncpg.ForeignKeyViolationError:
        text = "Algo a que a vaga se refere foi excluído agora: leia as listas de novo."
        raise Invalid(text, code="reference-gone") from None


class _ValueOfJob(NamedTuple):
    job: UUID
    value: UUID


class _LanguageOfJob(NamedTuple):
    job: UUID
    id_idioma: UUID
    id_nivel_minimo: UUID


class _StepOfJob(StepContent, frozen=True):
    id_vaga: UUID
    ordem: int


class _QuestionOfJob(QuestionContent, frozen=True):
    id_vaga: UUID
    ordem: int


async def _write_parts(connection: Connection, contents: Mapping[UUID, JobContent]) -> None:
    jobs = contents.items()
    await _write_rows_of_parts(
        connection,
        list(contents),
        [_ValueOfJob(id_, value) for id_, content in jobs for value in (*content.tipos_pcd, *content.zonas)],
        [
            _LanguageOfJob(id_, each.id_idioma, each.id_nivel_minimo)
            for id_, content in jobs
            for each in content.idiomas_requisito
        ],
        [
            _StepOfJob(**msgspec.structs.asdict(step), id_vaga=id_, ordem=place)
            for id_, content in jobs
            for place, step in enumerate(content.etapas, 1)
        ],
        [
            _QuestionOfJob(**msgspec.structs.asdict(question), id_vaga=id_, ordem=place)
            for id_, content in jobs
            for place, question in enumerate(content.informacoes_complementares, 1)
        ],
    )


# What stays is not written again, so that its id and instants stay, too.
@statement("""
WITH gone_values AS (
    DELETE FROM employability.job_reference_value WHERE job_id = ANY(:jobs::uuid[])
        AND (job_id, value_id) NOT IN (SELECT * FROM unnest(:values.job::uuid[], :values.value::uuid[]))
), values_ AS (
    INSERT INTO employability.job_reference_value (job_id, value_id)
    SELECT * FROM unnest(:values.job::uuid[], :values.value::uuid[])
    ON CONFLICT DO NOTHING
), gone_languages AS (
    DELETE FROM employability.job_language WHERE job_id = ANY(:jobs::uuid[])
        AND (job_id, id_idioma) NOT IN (SELECT * FROM unnest(:languages.job::uuid[], :languages.id_idioma::uuid[]))
), languages AS (
    INSERT INTO employability.job_language (job_id, id_idioma, id_nivel_minimo)
    SELECT * FROM unnest(:languages.job::uuid[], :languages.id_idioma::uuid[], :languages.id_nivel_minimo::uuid[])
    ON CONFLICT (job_id, id_idioma) DO UPDATE SET id_nivel_minimo = excluded.id_nivel_minimo
), steps AS (
    INSERT INTO employability.job_step AS step (id, id_vaga, titulo, descricao, ordem)
    SELECT id, id_vaga, titulo, descricao, ordem
    FROM jsonb_populate_recordset(NULL::employability.job_step, :steps::jsonb)
    ON CONFLICT (id) DO UPDATE SET
        titulo = excluded.titulo, descricao = excluded.descricao, ordem = excluded.ordem, updated_at = clock_timestamp()
    WHERE (step.titulo, step.descricao, step.ordem)
        IS DISTINCT FROM (excluded.titulo, excluded.descricao, excluded.ordem)
), gone_questions AS (
    DELETE FROM employability.job_question WHERE id_vaga = ANY(:jobs::uuid[]) AND id <> ALL(:questions.id::uuid[])
), questions AS (
    INSERT INTO employability.job_question AS question
        (id, id_vaga, titulo, obrigatorio, tipo_campo, valor_minimo, valor_maximo, opcoes, ordem)
    SELECT id, id_vaga, titulo, obrigatorio, tipo_campo, valor_minimo, valor_maximo, opcoes, ordem
    FROM jsonb_populate_recordset(NULL::employability.job_question, :questions::jsonb)
    ON CONFLICT (id) DO UPDATE SET
        titulo = excluded.titulo, obrigatorio = excluded.obrigatorio, tipo_campo = excluded.tipo_campo,
        valor_minimo = excluded.valor_minimo, valor_maximo = excluded.valor_maximo, opcoes = excluded.opcoes,
        ordem = excluded.ordem, updated_at = clock_timestamp()
    WHERE (question.titulo, question.obrigatorio, question.tipo_campo, question.valor_minimo, question.valor_maximo,
           question.opcoes, question.ordem)
        IS DISTINCT FROM (excluded.titulo, excluded.obrigatorio, excluded.tipo_campo, excluded.valor_minimo,
           excluded.valor_maximo, excluded.opcoes, excluded.ordem)
)
DELETE FROM employability.job_step WHERE id_vaga = ANY(:jobs::uuid[]) AND id <> ALL(:steps.id::uuid[])
""")
async def _write_rows_of_parts(
    connection: Connection,
    jobs: Sequence[UUID],
    values: Sequence[_ValueOfJob],
    languages: Sequence[_LanguageOfJob],
    steps: Sequence[_StepOfJob],
    questions: Sequence[_QuestionOfJob],
) -> None: ...


@statement("""
UPDATE employability.job
SET status = :status, publicado_em = coalesce(publicado_em, :published_at), row_version = row_version + 1,
    updated_at = clock_timestamp()
WHERE id = :job_id
""")
async def update_job_status(
    connection: Connection, job_id: UUID, status: JobStatus, published_at: datetime | None
) -> None:
    """Give a locked job another state; the first publication's instant stays."""


@statement("""
UPDATE employability.job SET deleted_at = clock_timestamp(), row_version = row_version + 1 WHERE id = :job_id
""")
async def mark_job_deleted(connection: Connection, job_id: UUID) -> None:
    """Take a locked job out of every list; its row stays, as applications name it."""


class JobEvent(msgspec.Struct, frozen=True):
    """What happened to a job, by whom; `de` and `para` as shown at that moment."""

    id_vaga: UUID
    de: str | None
    evento: str
    para: str
    por: str
    motivo: str | None = None


@statement("""
INSERT INTO employability.job_event (id_vaga, de, evento, para, por, motivo)
SELECT id_vaga, de, evento, para, por, motivo
FROM jsonb_populate_recordset(NULL::employability.job_event, :events::jsonb)
RETURNING id
""")
async def insert_job_events(connection: Connection, events: Sequence[JobEvent]) -> int:
    """Add to the histories of jobs, and return the number of the first event."""


@statement("SHOW timezone")
async def read_timezone(connection: Connection) -> str:
    """Return the name of the time zone of an import's connection, which is the city's."""
