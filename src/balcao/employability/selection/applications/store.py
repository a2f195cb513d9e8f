"""SQL for applications, their long content and their histories."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from balcao.core.context.audit import record_sql
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Json, Paged, PagedWithCounts
from balcao.core.database.statements import statement
from balcao.core.jobs.worker import enqueue_sql
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.employability.hiring.departments.scope import Scope
from balcao.employability.resume.profiles.store import claim_resume_sql
from balcao.employability.selection.applications.schemas import (
    ApplicationEvent,
    ListedApplication,
    OwnFilters,
    RestoredApplication,
    StatusCounts,
    StoredApplication,
    Submission,
)
from balcao.employability.selection.applications.states import ApplicationPosition, ApplicationStatus, Event, Move

_COLUMNS = """application.id, application.cpf, application.nome, application.email, application.id_vaga,
    application.status, application.id_etapa_atual, application.created_at, application.updated_at,
    content.respostas, content.curriculo_snapshot"""


@lookup(f"""
SELECT {_COLUMNS} FROM employability.application
JOIN employability.application_content AS content ON content.id_candidatura = application.id
WHERE application.id = :id_
""")
async def select_application(source: Source, id_: UUID) -> StoredApplication | None:
    """Return an application, even if it was withdrawn."""


@statement(f"""
SELECT {_COLUMNS}, person.record
FROM unnest(:ids::uuid[]) WITH ORDINALITY AS wanted (id, place)
JOIN employability.application USING (id)
JOIN employability.application_content AS content ON content.id_candidatura = application.id
LEFT JOIN employability.candidate AS person ON person.cpf = application.cpf
WHERE application.status <> 'retirada' AND application.cpf IS NOT NULL
ORDER BY wanted.place
""")
async def list_live_applications(connection: Connection, ids: Sequence[UUID]) -> list[ListedApplication]:
    """Return these applications in the order of `ids`. Withdrawn and erased applications are omitted.

    Each application has the copy of the candidate's registry record. The caller of this function must check access.
    """


# Lock order: the job before the application, as in edits of a job that move candidates.
#
# Access: the condition is part of the locking query, so callers never lock an application outside their reach.
#
# Snapshot: a later statement reads the rows. This statement would see the answers, steps and questions as they were
# before it waited for the lock.
@statement("""
WITH held AS MATERIALIZED (
    SELECT job.id FROM employability.application AS wanted JOIN employability.job ON job.id = wanted.id_vaga
    WHERE wanted.id = :id_ AND (wanted.cpf = :own OR :departments::text[] IS NULL
        OR job.id_orgao_parceiro = ANY(:departments))
    FOR SHARE OF job
)
SELECT true FROM employability.application JOIN held ON held.id = application.id_vaga
WHERE application.id = :id_
FOR UPDATE OF application
""")
async def lock_application(connection: Connection, id_: UUID, own: Cpf | None, scope: Scope) -> bool:
    """Lock an application and its job until the transaction ends.

    Return False, without locking, unless the application is the caller's own or its job is within the scope.
    """


# Job: the statement locks it until the commit, so a freeze comes either before or after this application.
#
# Resume: every application increments the version of the resume's root. A person's applications therefore run one after
# the other, and the number of withdrawals cannot have changed since it was read.
#
# Nothing is stored if the job or the resume has changed since it was read, if the job is not active or its deadline has
# passed, or if the person already has an application for the job.
@statement(f"""
WITH held AS MATERIALIZED (
    SELECT id FROM employability.job
    WHERE id = :application.id_vaga AND updated_at = :job_updated_at AND deleted_at IS NULL
        AND status = 'publicado_ativo' AND data_limite > clock_timestamp()
    FOR SHARE
), {claim_resume_sql(":application.cpf", ":resume_version::bigint", "held")}, made AS (
    INSERT INTO employability.application (id, cpf, nome, email, id_vaga, status, origem, criterios_nao_atendidos)
    SELECT :application.id, :application.cpf, :application.nome, :application.email, held.id, :application.status,
        :origin, :failed
    FROM held CROSS JOIN claimed
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
    """Store an application with its history, background jobs and audit event.

    Return the times of its creation and its last change.

    Return None if the job or the resume has changed since it was read, if the job is not active or its deadline has
    passed, or if the person already has an application for the job that is not withdrawn.
    """


@statement(f"""
WITH sent AS (
    SELECT * FROM jsonb_to_recordset(:rows::jsonb) AS sent (
        id uuid, cpf text, nome text, email text, job uuid, status text, step uuid, resume jsonb, answers jsonb,
        made_at timestamptz, changed_at timestamptz, reason text)
), made AS (
    INSERT INTO employability.application
        (id, cpf, nome, email, id_vaga, status, id_etapa_atual, origem, created_at, updated_at)
    SELECT id, cpf, nome, email, job, status, step, 'cidadao', made_at,
        CASE WHEN status <> '{ApplicationStatus.SENT}' OR step IS NOT NULL THEN COALESCE(changed_at, made_at)
            ELSE made_at END
    FROM sent
    ON CONFLICT DO NOTHING
    RETURNING id, status, id_etapa_atual, created_at, updated_at
), content AS (
    INSERT INTO employability.application_content (id_candidatura, respostas, curriculo_snapshot)
    SELECT made.id, sent.answers, sent.resume FROM made JOIN sent USING (id)
)
INSERT INTO employability.application_event (id_candidatura, evento, de, para, id_etapa_para, em, motivo)
SELECT id, '{Event.SUBMIT}', NULL, '{ApplicationStatus.SENT}', NULL::uuid, created_at, NULL FROM made
UNION ALL
SELECT made.id,
    CASE made.status
        WHEN '{ApplicationStatus.APPROVED}' THEN '{Event.APPROVE}'
        WHEN '{ApplicationStatus.REJECTED}' THEN '{Event.REJECT}'
        WHEN '{ApplicationStatus.FROZEN}' THEN '{Event.FREEZE}'
        WHEN '{ApplicationStatus.DISCONTINUED}' THEN '{Event.DISCONTINUE}'
        ELSE '{Event.SET_STEP}'
    END,
    '{ApplicationStatus.SENT}', made.status, id_etapa_atual, updated_at, sent.reason
FROM made JOIN sent USING (id)
WHERE made.status <> '{ApplicationStatus.SENT}' OR id_etapa_atual IS NOT NULL
""")
async def restore_applications(connection: Connection, rows: Sequence[RestoredApplication]) -> None:
    """Insert applications with their given states, and the events that lead to them.

    Existing applications do not change.
    """


@statement("""
SELECT wanted AS id FROM unnest(:ids::uuid[]) AS wanted
WHERE NOT EXISTS (SELECT FROM employability.application WHERE id = wanted)
""")
async def select_missing_application_ids(connection: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Return the ids that belong to no application, not even a withdrawn one."""


@statement("""
SELECT id, cpf, status, id_etapa_atual FROM employability.application
WHERE id_vaga = :job AND cpf = ANY(:people::text[]) AND status <> 'retirada'
ORDER BY id FOR UPDATE
""")
async def lock_live_applications(
    connection: Connection, job: UUID, people: Collection[Cpf]
) -> list[ApplicationPosition]:
    """Lock these people's applications for a job, and return their states. Withdrawn applications are omitted.

    Rows are locked in the order of their ids, so that two such calls cannot deadlock.
    """


@statement("""
WITH wanted AS (
    SELECT * FROM unnest(
        :moves.before.id::uuid[], :moves.change.row.event::text[], :moves.before.status::text[], :moves.status::text[],
        :moves.before.id_etapa_atual::uuid[], :moves.change.step::uuid[]
    ) AS move (id, event, before, after, step_before, step_after)
), moved AS (
    UPDATE employability.application SET
        status = wanted.after, id_etapa_atual = wanted.step_after, row_version = row_version + 1,
        updated_at = clock_timestamp()
    FROM wanted WHERE application.id = wanted.id
)
INSERT INTO employability.application_event
    (id_candidatura, evento, de, para, id_etapa_de, id_etapa_para, por, motivo)
SELECT id, event, before, after, step_before, step_after, :author, :reason FROM wanted ORDER BY id
RETURNING id_candidatura, id
""")
async def move_applications(
    connection: Connection, moves: Sequence[Move], author: str | None, reason: str | None
) -> Mapping[UUID, int]:
    """Set the status and step of locked applications. Return the id of each application's new event."""


@lookup(
    page_sql(
        """
        SELECT de, evento, para, id_etapa_de, id_etapa_para, em, por, motivo FROM employability.application_event
        WHERE id_candidatura = :id_ ORDER BY id DESC LIMIT :limit OFFSET :offset
        """,
        "SELECT count(*) FROM employability.application_event WHERE id_candidatura = :id_",
    )
)
async def select_application_history(source: Source, id_: UUID, page: Page) -> Paged[ApplicationEvent]:
    """Return a page of an application's history, newest first, and the total number of events."""


@statement(f"""
WITH content AS (
    UPDATE employability.application_content SET respostas = :respostas::jsonb WHERE id_candidatura = :id
), event AS (
    INSERT INTO employability.application_event (id_candidatura, evento, de, para, por)
    SELECT id, '{Event.EDIT}', status, status, :author FROM employability.application WHERE id = :id
)
UPDATE employability.application SET
    nome = :nome, email = :email, row_version = row_version + 1, updated_at = clock_timestamp()
WHERE id = :id
RETURNING updated_at
""")
async def update_application(connection: Connection, changed: StoredApplication, author: str | None) -> datetime:
    """Replace the name, e-mail and answers of a locked application. Return the time of the change."""


# All conditions except the status filter, which the counts ignore.
_OWN = """
FROM employability.application
JOIN employability.job ON job.id = application.id_vaga
WHERE application.cpf = :cpf AND application.status <> 'retirada'
    AND (:departments::text[] IS NULL OR job.id_orgao_parceiro = ANY(:departments))
    AND (:filters.job::uuid IS NULL OR application.id_vaga = :filters.job)
    AND (:filters.step::uuid IS NULL OR application.id_etapa_atual = :filters.step)
"""
_SHOWN = "employability.shown_application_status(application.status, job.status, job.deleted_at)"


@statement(
    page_sql(
        f"""
    SELECT {_COLUMNS} FROM (
        SELECT application.* {_OWN} AND (:filters.status::text IS NULL OR {_SHOWN} = :filters.status)
        ORDER BY application.created_at DESC, application.id LIMIT :limit OFFSET :offset
    ) AS application
    JOIN employability.application_content AS content ON content.id_candidatura = application.id
    ORDER BY application.created_at DESC, application.id
    """,
        f"""
    SELECT coalesce(jsonb_object_agg(counted.shown, counted.number), '{{}}')
    FROM (SELECT {_SHOWN} AS shown, count(*) AS number {_OWN} GROUP BY 1) AS counted
    """,
    )
)
async def select_applications_of_person(
    connection: Connection, cpf: Cpf, departments: Sequence[str] | None, filters: OwnFilters, page: Page
) -> PagedWithCounts[StoredApplication, StatusCounts]:
    """Return one page of applications, newest first, and the number of applications with each status that callers see.

    `departments` limits the jobs. None means all departments.
    """


@statement("""
SELECT coalesce(jsonb_agg(to_jsonb(found) ORDER BY found.created_at DESC, found.id), '[]') FROM (
    SELECT application.id, application.id_vaga, job.titulo AS vaga, application.nome, application.email,
        application.status, application.origem, application.criterios_nao_atendidos, content.respostas,
        content.curriculo_snapshot, application.created_at, application.updated_at, (
            SELECT coalesce(jsonb_agg(
                jsonb_build_object('evento', event.evento, 'de', event.de, 'para', event.para, 'em', event.em,
                    'motivo', event.motivo) ORDER BY event.id), '[]')
            FROM employability.application_event AS event WHERE event.id_candidatura = application.id
        ) AS historico
    FROM employability.application
    JOIN employability.job ON job.id = application.id_vaga
    JOIN employability.application_content AS content ON content.id_candidatura = application.id
    WHERE application.cpf = :cpf
) AS found
""")
async def list_exported_applications(connection: Connection, cpf: Cpf) -> Json[list[dict[str, Any]]]:
    """Return everything that is stored about a person's applications, including withdrawn applications."""


@statement("""
WITH erased AS (
    SELECT application.id, application.status FROM employability.application
    WHERE application.cpf = :cpf AND application.cleared_at IS NULL
), event AS (
    INSERT INTO employability.application_event (id_candidatura, evento, de, para)
    SELECT id, 'withdraw', status, 'retirada' FROM erased WHERE status = 'candidatura_enviada'
), content AS (
    UPDATE employability.application_content SET respostas = '[]', curriculo_snapshot = NULL
    FROM erased WHERE id_candidatura = erased.id
), reasons AS (
    UPDATE employability.application_event SET motivo = NULL
    FROM employability.application AS own
    WHERE own.cpf = :cpf AND id_candidatura = own.id AND motivo IS NOT NULL
)
UPDATE employability.application SET
    status = CASE WHEN application.status = 'candidatura_enviada' THEN 'retirada' ELSE application.status END,
    nome = NULL, email = NULL, cleared_at = clock_timestamp(),
    row_version = row_version + 1, updated_at = clock_timestamp()
FROM erased WHERE application.id = erased.id
""")
async def erase_applications(connection: Connection, cpf: Cpf) -> int:
    """Withdraw a person's open applications, and erase the content of all their applications.

    Return the number of erased applications.
    """


@statement("SELECT count(*) FROM employability.application WHERE cpf = :cpf")
async def count_applications(connection: Connection, cpf: Cpf) -> int:
    """Return the number of applications with the person's CPF, including withdrawn applications."""


@statement("SELECT count(*) FROM employability.application WHERE cpf IS NOT NULL")
async def count_named_applications(connection: Connection) -> int:
    """Return the number of applications that still have a CPF."""


# Condition: applications that a person had erased still have their CPF, so they are included here.
#
# End of a job: the earliest of its deadline, its deletion and, if it is discontinued now, its last discontinuation.
@statement("""
WITH ended AS (
    SELECT job.id FROM employability.job
    WHERE least(job.deleted_at, job.data_limite, (
        SELECT max(event.em) FROM employability.job_event AS event
        WHERE event.id_vaga = job.id AND job.status = 'vaga_descontinuada' AND event.para = job.status
    )) < now() - make_interval(months => :months)
), cleared AS (
    UPDATE employability.application SET cpf = NULL, nome = NULL, email = NULL, cleared_at = now()
    FROM ended WHERE application.id_vaga = ended.id AND application.cpf IS NOT NULL
    RETURNING application.id
), content AS (
    UPDATE employability.application_content SET respostas = '[]', curriculo_snapshot = NULL
    FROM cleared WHERE id_candidatura = cleared.id
), event AS (
    UPDATE employability.application_event SET motivo = NULL
    FROM cleared WHERE id_candidatura = cleared.id AND motivo IS NOT NULL
)
SELECT count(*) FROM cleared
""")
async def erase_ended_applications(connection: Connection, months: int) -> int:
    """Erase the personal data of applications for jobs that ended more than `months` months ago. Return their number.

    The rows remain for statistics. Only the owner of the tables may run this.
    """


OFFERED = (
    insert_application,
    list_live_applications,
    lock_live_applications,
)
