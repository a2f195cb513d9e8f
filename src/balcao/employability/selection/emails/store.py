"""SQL of the e-mails to candidates: queued by id, written from what is stored when they are sent."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.jobs.declaration import Subject
from balcao.core.jobs.worker import enqueue_sql
from balcao.core.values.cpf import Cpf
from balcao.employability.selection.emails.kinds import JOB, Email
from balcao.employability.selection.emails.texts import News

# Each entry of a history is told of at most once, as it is queued by the statement's caller that wrote it.
_ENQUEUE = f"""
WITH told AS (
    SELECT employability.email_payload(wanted.application, $2, wanted.event) AS payload
    FROM unnest($3::uuid[], $4::bigint[]) AS wanted (application, event)
    JOIN employability.application ON application.id = wanted.application AND application.email IS NOT NULL
), {enqueue_sql("$1::text", "payload", "interval '0'", "told")}
SELECT count(*) FROM queued
"""


async def enqueue(connection: Connection, kind: Email, told: Sequence[tuple[UUID, int]]) -> None:
    """Queue an e-mail for each application that has an address."""
    await connection.execute(_ENQUEUE, JOB, kind, [id_ for id_, _ in told], [event for _, event in told])


_WAITING = """
SELECT application.id FROM employability.application
JOIN employability.job ON job.id = application.id_vaga AND job.status = 'vaga_descontinuada'
WHERE application.id_vaga = $1 AND application.status = 'candidatura_enviada'
"""


async def list_waiting(connection: Connection, job: UUID) -> list[UUID]:
    """Return the applications for a closed job on which nobody has decided."""
    return [row["id"] for row in await connection.fetch(_WAITING, job)]


# What must still hold when the e-mail is sent. A later change of the same thing has an e-mail of its own, or none.
_STILL_TRUE = {
    Email.RECEIVED: "application.status <> 'retirada'",
    Email.APPROVED: "application.status = event.para AND NOT later.changed_status",
    Email.REJECTED: "application.status = event.para AND NOT later.changed_status",
    Email.NEXT_STEP: """application.status = 'candidatura_enviada'
        AND application.id_etapa_atual = event.id_etapa_para AND NOT later.changed_step""",
    Email.JOB_CLOSED: "application.status = 'candidatura_enviada' AND job.status = 'vaga_descontinuada'",
}


def _read_news(kind: Email) -> str:
    return f"""
    SELECT application.email, application.nome AS name, job.titulo AS job,
        coalesce(company.nome_fantasia, company.razao_social) AS company, step.titulo AS step
    FROM employability.application
    JOIN employability.job ON job.id = application.id_vaga
    JOIN employability.company ON company.cnpj = job.id_contratante
    LEFT JOIN employability.application_event AS event ON event.id = $2 AND event.id_candidatura = application.id
    LEFT JOIN employability.job_step AS step ON step.id = event.id_etapa_para
    CROSS JOIN LATERAL (
        SELECT coalesce(bool_or(further.de IS DISTINCT FROM further.para), false) AS changed_status,
            coalesce(bool_or(further.id_etapa_de IS DISTINCT FROM further.id_etapa_para), false) AS changed_step
        FROM employability.application_event AS further
        WHERE further.id_candidatura = application.id AND further.id > $2
    ) AS later
    WHERE application.id = $1 AND application.email IS NOT NULL AND {_STILL_TRUE[kind]}
    """


_READ_NEWS = {kind: _read_news(kind) for kind in Email}


async def read_news(connection: Connection, kind: Email, application: UUID, event: int) -> News | None:
    """Return what the e-mail is to say; None when it is no longer true, or the address is gone."""
    row = await connection.fetchrow(_READ_NEWS[kind], application, event)
    return None if row is None else News(**row)


_CANDIDATES = (
    "SELECT id::text, cpf FROM employability.application WHERE id = ANY($1::text[]::uuid[]) AND cpf IS NOT NULL"
)


async def find_candidates(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]:
    """Return whom an e-mail is for, by the application's id."""
    rows = await connection.fetch(_CANDIDATES, list(ids))
    return {row["id"]: Subject(Cpf(row["cpf"]), fields=["email"]) for row in rows}


_APPLICATIONS = "SELECT id::text FROM employability.application WHERE cpf = $1"


async def list_application_ids(connection: Connection, cpf: Cpf) -> list[str]:
    """Return the ids of a person's applications, for a search among dead-lettered jobs."""
    return [row["id"] for row in await connection.fetch(_APPLICATIONS, cpf.digits)]
