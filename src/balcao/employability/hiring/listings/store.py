"""SQL of the jobs and of what belongs to them.

A job is read as one JSON document, with all that its record nests, as it is shown at the instant `:now`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg
import msgspec

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Json, Paged
from balcao.core.database.statements import statement
from balcao.core.errors import Invalid
from balcao.core.values.page import Page
from balcao.employability.companies.schemas import Company
from balcao.employability.hiring.content.rules import JobContent, QuestionContent, StepContent
from balcao.employability.hiring.departments.scope import Scope
from balcao.employability.hiring.listings.schemas import HistoryEntry, Job, JobEvent, JobSummary, NewJob, RemainingSteps
from balcao.employability.hiring.listings.states import JobStatus
from balcao.employability.texts import slugify

JOINS_SQL = """
JOIN employability.company ON company.cnpj = job.id_contratante
LEFT JOIN employability.department ON department.cd_ua = job.id_orgao_parceiro
"""
SHOWN_SQL = "employability.shown_status(job.status, job.data_limite, :now)"
# The condition of a job within the reach of a `Scope`.
REACHED_SQL = """(:departments::text[] IS NULL OR job.id_orgao_parceiro = ANY(:departments)
    OR (job.id_orgao_parceiro IS NULL AND job.criado_por = :author))"""


def _object(row: str, members: str) -> str:
    """Return the JSON object of these columns of a row."""
    pairs = ", ".join(f"'{name}', {row}.{name}" for name in members.split())
    return f"jsonb_build_object({pairs})"


def _reference(row: str, *, ranked: bool = False) -> str:
    members = _object(row, "id descricao created_at updated_at")
    return f"{members} || jsonb_build_object('ordem', {row}.posicao)" if ranked else members


def _value(column: str, *, ranked: bool = False) -> str:
    """Return the record of the reference value that a column names."""
    record = _reference("value", ranked=ranked)
    return f"(SELECT {record} FROM employability.reference_value AS value WHERE value.id = {column})"


def _values(kind: str) -> str:
    """Return the job's reference values of one kind, in the order of their table."""
    return f"""(
        SELECT coalesce(jsonb_agg({_reference("value")} ORDER BY value.posicao, value.id), '[]')
        FROM employability.job_reference_value AS linked
        JOIN employability.reference_value AS value ON value.id = linked.value_id AND value.kind = '{kind}'
        WHERE linked.job_id = job.id)"""


_LANGUAGES = f"""(
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'id_idioma', linked.id_idioma, 'id_nivel_minimo', linked.id_nivel_minimo,
        'idioma', {_reference("value")},
        'nivel_minimo', {_reference("level", ranked=True)}) ORDER BY value.posicao, value.id), '[]')
    FROM employability.job_language AS linked
    JOIN employability.reference_value AS value ON value.id = linked.id_idioma
    JOIN employability.reference_value AS level ON level.id = linked.id_nivel_minimo
    WHERE linked.job_id = job.id)"""
_STEPS = f"""(
    SELECT coalesce(jsonb_agg({_object("step", "id id_vaga titulo descricao ordem created_at updated_at")}
        ORDER BY step.ordem), '[]')
    FROM employability.job_step AS step WHERE step.id_vaga = job.id)"""
_QUESTION = (
    _object("question", "id id_vaga titulo obrigatorio tipo_campo valor_minimo valor_maximo created_at updated_at")
    + " || jsonb_build_object('opcoes', nullif(question.opcoes, '{}'))"
)
_QUESTIONS = f"""(
    SELECT coalesce(jsonb_agg({_QUESTION} ORDER BY question.ordem), '[]')
    FROM employability.job_question AS question WHERE question.id_vaga = job.id)"""

# The columns of what staff decide about a job.
DECIDED_SQL = (
    "titulo descricao id_contratante id_regime_contratacao id_modelo_trabalho id_orgao_parceiro bairro data_limite "
    "requisitos diferenciais responsabilidades beneficios valor_vaga quantidade_estimada_contratacoes "
    "acessibilidade_pcd idade_minima idade_maxima id_escolaridade_minima bairros_elegibilidade "
    "areas_formacao_elegibilidade"
)
# The columns of a job that are answered as they are stored.
_PLAIN = f"id {DECIDED_SQL} publicado_em created_at updated_at"
_SLUG = "job.titulo_slug || '-' || left(replace(job.id::text, '-', ''), 12)"
_COMPANY = _object("company", " ".join(Company.__struct_fields__))
ITEM_SQL = f"""
    {", ".join(f"job.{name}" for name in _PLAIN.split())},
    {SHOWN_SQL} AS status,
    {_SLUG} AS slug,
    {_COMPANY} AS contratante,
    {_value("job.id_regime_contratacao")} AS regime_contratacao,
    {_value("job.id_modelo_trabalho")} AS modelo_trabalho,
    {_value("job.id_escolaridade_minima", ranked=True)} AS escolaridade_minima,
    CASE WHEN department.cd_ua IS NOT NULL THEN {_object("department", "orgao_id cd_ua name sigla")} END
        AS orgao_parceiro,
    {_values("tipos-pcd")} AS tipos_pcd,
    {_values("zonas")} AS zonas,
    {_LANGUAGES} AS idiomas_requisito"""
# What an application shows of its job, which stays readable after the job was deleted.
_SUMMARY = f"""
    job.id, job.titulo, job.data_limite, job.id_orgao_parceiro,
    CASE WHEN job.deleted_at IS NULL THEN {SHOWN_SQL} ELSE 'vaga_descontinuada' END AS status,
    {_SLUG} AS slug,
    {_COMPANY} AS contratante,
    {_STEPS} AS etapas,
    {_QUESTIONS} AS informacoes_complementares"""


def whole_jobs_sql(condition: str) -> str:
    """Return the statement that reads the whole jobs for which the condition holds."""
    return f"""SELECT to_jsonb(found) FROM (
    SELECT {ITEM_SQL}, {_STEPS} AS etapas, {_QUESTIONS} AS informacoes_complementares
    FROM employability.job {JOINS_SQL} WHERE job.deleted_at IS NULL AND {condition}
) AS found"""


@statement(whole_jobs_sql(f"{REACHED_SQL} AND job.id = :job_id"))
async def read_job(connection: Connection, scope: Scope, job_id: UUID, now: datetime) -> Json[Job] | None:
    """Return a job within reach."""


@lookup(whole_jobs_sql("job.publicado_em IS NOT NULL AND job.id = :job_id"))
async def find_published_job(source: Source, job_id: UUID, now: datetime) -> Json[Job] | None:
    """Return a job that was ever published; None for any other, and for a deleted one."""


async def lock_job(connection: Connection, scope: Scope, job_id: UUID, now: datetime) -> Job | None:
    """Return a job within reach, and keep others from changing it until the transaction ends.

    It is locked before it is read: a statement that waits for the lock would see steps as they were before.
    """
    await _lock_job(connection, scope, job_id)
    return await read_job(connection, scope, job_id, now)


@statement(f"SELECT FROM employability.job WHERE id = :job_id AND deleted_at IS NULL AND {REACHED_SQL} FOR UPDATE")
async def _lock_job(connection: Connection, scope: Scope, job_id: UUID) -> None: ...


@statement(f"""
SELECT to_jsonb(found) AS document, found.id_orgao_parceiro
FROM (SELECT {_SUMMARY} FROM employability.job {JOINS_SQL} WHERE job.id = ANY(:ids::uuid[])) AS found
""")
async def list_job_summaries(
    connection: Connection, ids: Collection[UUID], now: datetime
) -> list[tuple[JobSummary, str | None]]:
    """Return what applications show of these jobs, the deleted ones too, each with the code of its department."""


@statement("SELECT FROM employability.job WHERE id = :job_id FOR SHARE")
async def share_job(connection: Connection, job_id: UUID) -> None:
    """Keep a job from changing until the transaction ends, so that decisions are made on what was read."""


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


async def insert_draft(connection: Connection, job_id: UUID, content: JobContent, author: str) -> None:
    """Insert a draft with all that belongs to it."""
    with _references():
        await insert_whole_jobs(connection, {job_id: NewJob(content)}, author)


async def insert_whole_jobs(connection: Connection, jobs: Mapping[UUID, NewJob], author: str) -> set[UUID]:
    """Insert jobs with all that belongs to them, and return the ids of those that were not there.

    Raises what the server says of what they refer to.
    """
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


_COLUMNS = DECIDED_SQL.split()
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


@statement("""
INSERT INTO employability.job_event (id_vaga, de, evento, para, por, motivo)
SELECT id_vaga, de, evento, para, por, motivo
FROM jsonb_populate_recordset(NULL::employability.job_event, :events::jsonb)
RETURNING id
""")
async def insert_job_events(connection: Connection, events: Sequence[JobEvent]) -> int:
    """Add to the histories of jobs, and return the number of the first event."""


@statement(
    page_sql(
        """
        SELECT de, evento, para, em, por, motivo FROM employability.job_event
        WHERE id_vaga = :job_id ORDER BY id DESC LIMIT :limit OFFSET :offset
        """,
        "SELECT count(*) FROM employability.job_event WHERE id_vaga = :job_id",
    )
)
async def list_job_history(connection: Connection, job_id: UUID, page: Page) -> Paged[HistoryEntry]:
    """Return the page of what happened to a job, newest first, and how much that is in all."""


OFFERED = (
    find_published_job,
    share_job,
)
