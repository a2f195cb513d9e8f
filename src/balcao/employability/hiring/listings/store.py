"""SQL for jobs and their nested records.

A job is read as one JSON document that contains its nested records and its shown status at `:now`.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Json, Paged
from balcao.core.database.statements import statement
from balcao.core.values.page import Page
from balcao.employability.companies.schemas import Company
from balcao.employability.hiring.departments.scope import Scope
from balcao.employability.hiring.listings.schemas import HistoryEntry, Job, JobEvent, JobSummary, RemainingSteps
from balcao.employability.hiring.listings.states import JobStatus

JOINS_SQL = """
JOIN employability.company ON company.cnpj = job.id_contratante
LEFT JOIN employability.department ON department.cd_ua = job.id_orgao_parceiro
"""
SHOWN_SQL = "employability.shown_status(job.status, job.data_limite, :now)"
# The condition that a job is within a `Scope`.
REACHED_SQL = """(:departments::text[] IS NULL OR job.id_orgao_parceiro = ANY(:departments)
    OR (job.id_orgao_parceiro IS NULL AND job.criado_por = :author))"""


def _object(row: str, members: str) -> str:
    """Return an SQL expression that creates a JSON object from these columns of a row."""
    pairs = ", ".join(f"'{name}', {row}.{name}" for name in members.split())
    return f"jsonb_build_object({pairs})"


def _reference(row: str, *, ranked: bool = False) -> str:
    members = _object(row, "id descricao created_at updated_at")
    return f"{members} || jsonb_build_object('ordem', {row}.posicao)" if ranked else members


def _value(column: str, *, ranked: bool = False) -> str:
    """Return an SQL expression that reads the reference value to which a column refers."""
    record = _reference("value", ranked=ranked)
    return f"(SELECT {record} FROM employability.reference_value AS value WHERE value.id = {column})"


def _values(kind: str) -> str:
    """Return an SQL expression that lists the job's reference values of one kind, in the order of their table."""
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

# The columns that staff edit.
DECIDED_SQL = (
    "titulo descricao id_contratante id_regime_contratacao id_modelo_trabalho id_orgao_parceiro bairro data_limite "
    "requisitos diferenciais responsabilidades beneficios valor_vaga quantidade_estimada_contratacoes "
    "acessibilidade_pcd idade_minima idade_maxima id_escolaridade_minima bairros_elegibilidade "
    "areas_formacao_elegibilidade"
)
# The columns that a response contains in their stored form.
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
# The part of a job that its applications contain, even after the job is deleted.
_SUMMARY = f"""
    job.id, job.titulo, job.data_limite, job.id_orgao_parceiro,
    CASE WHEN job.deleted_at IS NULL THEN {SHOWN_SQL} ELSE 'vaga_descontinuada' END AS status,
    {_SLUG} AS slug,
    {_COMPANY} AS contratante,
    {_STEPS} AS etapas,
    {_QUESTIONS} AS informacoes_complementares"""


def whole_jobs_sql(condition: str) -> str:
    """Return a statement that reads the complete jobs that match the condition. Deleted jobs never match."""
    return f"""SELECT to_jsonb(found) FROM (
    SELECT {ITEM_SQL}, {_STEPS} AS etapas, {_QUESTIONS} AS informacoes_complementares
    FROM employability.job {JOINS_SQL} WHERE job.deleted_at IS NULL AND {condition}
) AS found"""


@statement(whole_jobs_sql(f"{REACHED_SQL} AND job.id = :job_id"))
async def select_job(connection: Connection, scope: Scope, job_id: UUID, now: datetime) -> Json[Job] | None:
    """Return a job, or None if it is unknown, deleted or out of reach."""


@lookup(whole_jobs_sql("job.publicado_em IS NOT NULL AND job.id = :job_id"))
async def find_published_job(source: Source, job_id: UUID, now: datetime) -> Json[Job] | None:
    """Return a job that was published at least once, or None. Deleted jobs are not found."""


async def lock_job(connection: Connection, scope: Scope, job_id: UUID, now: datetime) -> Job | None:
    """Lock a job until the transaction ends, and return it. Return None if it is unknown, deleted or out of reach.

    A separate statement takes the lock first. If one statement locked and read the job, it could wait for the lock and
    then read steps from a snapshot older than the lock.
    """
    await _lock_job(connection, scope, job_id)
    return await select_job(connection, scope, job_id, now)


@statement(f"SELECT FROM employability.job WHERE id = :job_id AND deleted_at IS NULL AND {REACHED_SQL} FOR UPDATE")
async def _lock_job(connection: Connection, scope: Scope, job_id: UUID) -> None: ...


@statement(f"""
SELECT to_jsonb(found) AS document, found.id_orgao_parceiro
FROM (SELECT {_SUMMARY} FROM employability.job {JOINS_SQL} WHERE job.id = ANY(:ids::uuid[])) AS found
""")
async def select_job_summaries(
    connection: Connection, ids: Collection[UUID], now: datetime
) -> list[tuple[JobSummary, str | None]]:
    """Return the summary and department code of these jobs, including deleted jobs."""


@statement("SELECT FROM employability.job WHERE id = :job_id FOR SHARE")
async def lock_job_for_share(connection: Connection, job_id: UUID) -> None:
    """Lock a job until the transaction ends, so that it cannot change after it is read."""


# Call this before the steps are removed, because the SQL function needs their order to find the previous remaining
# step.
@statement("""
SELECT employability.leave_steps(job, steps) FROM jsonb_to_recordset(:remaining::jsonb) AS kept (job uuid, steps uuid[])
""")
async def leave_steps(connection: Connection, remaining: Sequence[RemainingSteps]) -> None:
    """Move candidates at any other step of these locked jobs to the previous remaining step, or to no step."""


# Lock jobs in the order of their ids, so that two callers with several jobs cannot deadlock.
@statement("SELECT FROM employability.job WHERE id = ANY(:ids) ORDER BY id FOR UPDATE")
async def lock_jobs(connection: Connection, ids: Sequence[UUID]) -> None:
    """Lock jobs until the transaction ends, so that neither they nor the steps of their candidates change."""


@statement("""
UPDATE employability.job
SET status = :status, publicado_em = coalesce(publicado_em, :published_at), row_version = row_version + 1,
    updated_at = clock_timestamp()
WHERE id = :job_id
""")
async def update_job_status(
    connection: Connection, job_id: UUID, status: JobStatus, published_at: datetime | None
) -> None:
    """Set a locked job's status. `published_at` is stored only for the first publication."""


@statement("""
UPDATE employability.job SET deleted_at = clock_timestamp(), row_version = row_version + 1 WHERE id = :job_id
""")
async def mark_job_deleted(connection: Connection, job_id: UUID) -> None:
    """Mark a locked job as deleted. The row remains, because applications refer to it."""


@statement("""
INSERT INTO employability.job_event (id_vaga, de, evento, para, por, motivo)
SELECT id_vaga, de, evento, para, por, motivo
FROM jsonb_populate_recordset(NULL::employability.job_event, :events::jsonb)
RETURNING id
""")
async def insert_job_events(connection: Connection, events: Sequence[JobEvent]) -> int:
    """Add events to the histories of jobs, and return the id of the first event."""


@statement(
    page_sql(
        """
        SELECT de, evento, para, em, por, motivo FROM employability.job_event
        WHERE id_vaga = :job_id ORDER BY id DESC LIMIT :limit OFFSET :offset
        """,
        "SELECT count(*) FROM employability.job_event WHERE id_vaga = :job_id",
    )
)
async def select_job_history(connection: Connection, job_id: UUID, page: Page) -> Paged[HistoryEntry]:
    """Return a page of a job's history, newest first, and the total number of events."""


OFFERED = (
    find_published_job,
    lock_job_for_share,
)
