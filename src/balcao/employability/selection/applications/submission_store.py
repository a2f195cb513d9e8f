"""SQL of an application that is made: what a person did before, and all that is stored of it, in one statement."""

from datetime import datetime
from uuid import UUID

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.jobs.worker import enqueue_sql
from balcao.core.values.cpf import Cpf
from balcao.employability.selection.applications.records import Earlier, Submission
from balcao.employability.selection.applications.states import Event


@statement("""
SELECT count(*) FILTER (WHERE status <> 'retirada') AS live, count(*) FILTER (WHERE status = 'retirada') AS withdrawn,
    (SELECT version FROM employability.terms_acceptance WHERE terms_acceptance.cpf = :cpf) AS terms
FROM employability.application WHERE cpf = :cpf AND id_vaga = :job
""")
async def read_earlier_applications(connection: Connection, cpf: Cpf, job: UUID) -> Earlier:
    """Return what a person did before they apply for a job."""


# The job stays as it was read until the commit, so that a freeze comes before this application or after it; from the
# lock of the resume on, this person's applications come one after the other. What was read and is not so any more
# leaves no row, and nothing is stored.
@statement(f"""
WITH held AS MATERIALIZED (
    SELECT id FROM employability.job
    WHERE id = :application.id_vaga AND updated_at = :job_updated_at AND deleted_at IS NULL
        AND status = 'publicado_ativo' AND data_limite > clock_timestamp()
    FOR SHARE
), kept AS MATERIALIZED (
    SELECT id, employability.keep_resume(:application.cpf, :resume_version::bigint) AS is_same FROM held
), made AS (
    INSERT INTO employability.application (id, cpf, nome, email, id_vaga, status, origem, criterios_nao_atendidos)
    SELECT :application.id, :application.cpf, :application.nome, :application.email, kept.id, :application.status,
        :origin, :failed
    FROM kept
    WHERE kept.is_same AND employability.count_withdrawals(:application.cpf, :application.id_vaga) < :most_withdrawals
    ON CONFLICT (cpf, id_vaga) WHERE status <> 'retirada' DO NOTHING
    RETURNING id, email, created_at, updated_at
), content AS (
    INSERT INTO employability.application_content (id_candidatura, respostas, curriculo_snapshot)
    SELECT id, :application.respostas::jsonb, :application.curriculo_snapshot::jsonb FROM made
), event AS (
    INSERT INTO employability.application_event (id_candidatura, evento, para, por)
    SELECT id, '{Event.SUBMIT}', :application.status, :author FROM made
    RETURNING id, id_candidatura
), wanted_jobs AS (
    SELECT :email_job::text AS kind, employability.email_payload(made.id, :email_kind, event.id) AS payload
    FROM made JOIN event ON event.id_candidatura = made.id WHERE made.email IS NOT NULL
    UNION ALL SELECT :refresh_job::text, :refresh::bytea FROM made WHERE :refresh::bytea IS NOT NULL
), {enqueue_sql("kind", "payload", "interval '0'", "wanted_jobs")}, recorded AS (
    {record_sql(":trail::jsonb", "made")}
)
SELECT created_at, updated_at FROM made
""")
async def insert_application(connection: Connection, made: Submission) -> tuple[datetime, datetime] | None:
    """Store an application, with its event, jobs and audit event, and return when it was made and last changed.

    None when the job or the resume is not what it was any more, or an application lives already.
    """
