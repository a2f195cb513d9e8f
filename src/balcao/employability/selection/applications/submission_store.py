"""SQL of an application that is made: what a person did before, and all that is stored of it, in one statement."""

from uuid import UUID

import msgspec

from balcao.core.context.audit import record_sql, recording
from balcao.core.database.pool import Connection, json_text
from balcao.core.jobs.worker import enqueue_sql
from balcao.core.values.cpf import Cpf
from balcao.employability.selection.applications.records import Earlier, StoredApplication, Submission
from balcao.employability.selection.applications.states import Event

_READ_EARLIER = """
SELECT count(*) FILTER (WHERE status <> 'retirada') AS live, count(*) FILTER (WHERE status = 'retirada') AS withdrawn,
    (SELECT version FROM employability.terms_acceptance WHERE terms_acceptance.cpf = $1) AS terms
FROM employability.application WHERE cpf = $1 AND id_vaga = $2
"""


async def read_earlier(connection: Connection, cpf: Cpf, job: UUID) -> Earlier:
    """Return what a person did before they apply for a job."""
    row = await connection.fetchrow(_READ_EARLIER, cpf.digits, job)
    assert row is not None
    return Earlier(row["live"], row["withdrawn"], row["terms"])


# The job stays as it was read until the commit, so that a freeze comes before this application or after it; from the
# lock of the resume on, this person's applications come one after the other. What was read and is not so any more
# leaves no row, and nothing is stored.
_SUBMIT = f"""
WITH held AS MATERIALIZED (
    SELECT id FROM employability.job
    WHERE id = $5 AND updated_at = $13 AND deleted_at IS NULL AND status = 'publicado_ativo'
        AND data_limite > clock_timestamp()
    FOR SHARE
), kept AS MATERIALIZED (
    SELECT id, employability.keep_resume($2, $14::bigint) AS is_same FROM held
), made AS (
    INSERT INTO employability.application (id, cpf, nome, email, id_vaga, status, origem, criterios_nao_atendidos)
    SELECT $1, $2, $3, $4, kept.id, $6, $7, $8 FROM kept
    WHERE kept.is_same AND employability.count_withdrawals($2, $5) < $15
    ON CONFLICT (cpf, id_vaga) WHERE status <> 'retirada' DO NOTHING
    RETURNING id, email, created_at, updated_at
), content AS (
    INSERT INTO employability.application_content (id_candidatura, respostas, curriculo_snapshot)
    SELECT id, $9::jsonb, $10::jsonb FROM made
), event AS (
    INSERT INTO employability.application_event (id_candidatura, evento, para, por)
    SELECT id, $11, $6, $12 FROM made
    RETURNING id, id_candidatura
), told AS (
    SELECT $16::text AS kind, employability.email_payload(made.id, $17, event.id) AS payload
    FROM made JOIN event ON event.id_candidatura = made.id WHERE made.email IS NOT NULL
    UNION ALL SELECT $18::text, $19::bytea FROM made WHERE $19::bytea IS NOT NULL
), {enqueue_sql("kind", "payload", "interval '0'", "told")}, recorded AS (
    {record_sql("$20::jsonb", "made")}
)
SELECT created_at, updated_at FROM made
"""


async def submit(connection: Connection, made: Submission) -> StoredApplication | None:
    """Store an application, with its event, jobs and audit event, in one statement.

    Return it as stored; None when the job or the resume is not what it was any more, or an application lives already.
    """
    own = made.application
    with recording():
        row = await connection.fetchrow(
            _SUBMIT,
            own.id,
            own.cpf,
            own.nome,
            own.email,
            own.id_vaga,
            own.status,
            made.origin,
            made.failed,
            json_text(own.respostas),
            json_text(own.curriculo_snapshot),
            Event.SUBMIT,
            made.author,
            made.job_updated_at,
            made.resume_version,
            made.most_withdrawals,
            made.email_job,
            made.email_kind,
            made.refresh_job,
            made.refresh,
            made.trail,
        )
    if row is None:
        return None
    return msgspec.structs.replace(own, created_at=row["created_at"], updated_at=row["updated_at"])
