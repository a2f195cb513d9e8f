"""SQL for e-mails to candidates.

A background job contains only ids, because the text is composed when the e-mail is sent.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement, statements
from balcao.core.jobs.declaration import Subject
from balcao.core.jobs.worker import enqueue_sql
from balcao.core.values.cpf import Cpf
from balcao.employability.selection.emails.kinds import JOB, Email
from balcao.employability.selection.emails.texts import News


class Occasion(NamedTuple):
    """The reason for an e-mail: an application, and an event in the history of the application or its job."""

    application: UUID
    event: int


# This runs in the transaction that writes the history, so an event and its e-mail are committed together.
@statement(f"""
WITH wanted_emails AS (
    SELECT employability.email_payload(wanted.application, :kind, wanted.event) AS payload
    FROM unnest(:occasions.application::uuid[], :occasions.event::bigint[]) AS wanted (application, event)
    JOIN employability.application ON application.id = wanted.application AND application.email IS NOT NULL
), {enqueue_sql(f"'{JOB}'", "payload", "interval '0'", "wanted_emails")}
SELECT count(*) FROM queued
""")
async def enqueue_emails(connection: Connection, kind: Email, occasions: Sequence[Occasion]) -> None:
    """Enqueue an e-mail for each application that has an address."""


@statement("""
SELECT application.id FROM employability.application
JOIN employability.job ON job.id = application.id_vaga AND job.status = 'vaga_descontinuada'
WHERE application.id_vaga = :job AND application.status = 'candidatura_enviada'
""")
async def list_undecided_applications(connection: Connection, job: UUID) -> list[UUID]:
    """Return the applications without a decision for a job, if the job is still discontinued."""


# The conditions for sending an e-mail. A later change of the status or step makes an e-mail obsolete, and may cause
# another e-mail.
_SEND_CONDITIONS = {
    Email.RECEIVED: "application.status <> 'retirada'",
    Email.APPROVED: "application.status = event.para AND NOT later.changed_status",
    Email.REJECTED: "application.status = event.para AND NOT later.changed_status",
    Email.NEXT_STEP: """application.status = 'candidatura_enviada'
        AND application.id_etapa_atual = event.id_etapa_para AND NOT later.changed_step""",
    Email.JOB_CLOSED: "application.status = 'candidatura_enviada' AND job.status = 'vaga_descontinuada'",
}


@statements(
    {
        kind: f"""
    SELECT application.email, application.nome AS name, job.titulo AS job,
        coalesce(company.nome_fantasia, company.razao_social) AS company, step.titulo AS step,
        application.cpf
    FROM employability.application
    JOIN employability.job ON job.id = application.id_vaga
    JOIN employability.company ON company.cnpj = job.id_contratante
    LEFT JOIN employability.application_event AS event ON event.id = :event AND event.id_candidatura = application.id
    LEFT JOIN employability.job_step AS step ON step.id = event.id_etapa_para
    CROSS JOIN LATERAL (
        SELECT coalesce(bool_or(further.de IS DISTINCT FROM further.para), false) AS changed_status,
            coalesce(bool_or(further.id_etapa_de IS DISTINCT FROM further.id_etapa_para), false) AS changed_step
        FROM employability.application_event AS further
        WHERE further.id_candidatura = application.id AND further.id > :event
    ) AS later
    WHERE application.id = :application AND application.email IS NOT NULL AND {condition}
    """
        for kind, condition in _SEND_CONDITIONS.items()
    }
)
async def read_news(connection: Connection, kind: Email, application: UUID, event: int) -> News | None:
    """Return the content of an e-mail, or None if what it says is no longer true or the application has no address."""


async def find_subjects(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]:
    """Return the recipient of each application's e-mails, by the application's id."""
    people = await _find_people(connection, ids)
    return {id_: Subject(cpf, fields=["email"]) for id_, cpf in people.items()}


@statement("""
SELECT id::text, cpf FROM employability.application WHERE id = ANY(:ids::text[]::uuid[]) AND cpf IS NOT NULL
""")
async def _find_people(connection: Connection, ids: Sequence[str]) -> Mapping[str, Cpf]: ...


@statement("SELECT id::text FROM employability.application WHERE cpf = :cpf")
async def list_application_ids(connection: Connection, cpf: Cpf) -> list[str]:
    """Return the ids of a person's applications, which are used to find dead-lettered jobs about them."""
