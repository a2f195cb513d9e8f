"""SQL of the applications, with what is long in them and what happened to them."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

import msgspec

from balcao.core.database.pool import Connection, Row, json_text
from balcao.core.database.queries import affected, fetch_count, fetch_page, page_sql
from balcao.core.http.paging import Page
from balcao.core.values.cpf import Cpf
from balcao.employability.registry_people import PersonRecord
from balcao.employability.resume.overview.schemas import Resume
from balcao.employability.selection.applications.choices import Change
from balcao.employability.selection.applications.filters import OwnFilters
from balcao.employability.selection.applications.records import RestoredApplication, Standing, StoredApplication
from balcao.employability.selection.applications.schemas import Answer, ApplicationEvent, StatusCounts
from balcao.employability.selection.applications.states import ApplicationStatus, Event

_COLUMNS = """application.id, application.cpf, application.nome, application.email, application.id_vaga,
    application.status, application.id_etapa_atual, application.created_at, application.updated_at,
    content.respostas, content.curriculo_snapshot"""
_READ = f"""
SELECT {_COLUMNS} FROM employability.application
JOIN employability.application_content AS content ON content.id_candidatura = application.id
WHERE application.id = $1
"""


async def read(connection: Connection, id_: UUID) -> StoredApplication | None:
    """Return an application, a withdrawn one too."""
    row = await connection.fetchrow(_READ, id_)
    return to_application(row) if row else None


_READ_MANY = f"""
SELECT {_COLUMNS}, person.record
FROM unnest($1::uuid[]) WITH ORDINALITY AS wanted (id, place)
JOIN employability.application USING (id)
JOIN employability.application_content AS content ON content.id_candidatura = application.id
LEFT JOIN employability.candidate AS person ON person.cpf = application.cpf
WHERE application.status <> 'retirada' AND application.cpf IS NOT NULL
ORDER BY wanted.place
"""


async def read_many(connection: Connection, ids: Sequence[UUID]) -> list[tuple[StoredApplication, PersonRecord | None]]:
    """Return those of these applications that live and name their person, each with the copy of the registry."""
    rows = await connection.fetch(_READ_MANY, ids)
    return [(to_application(row), _to_person(row["record"])) for row in rows]


async def lock(connection: Connection, id_: UUID) -> StoredApplication | None:
    """Return an application, and keep others from changing it until the transaction ends."""
    row = await connection.fetchrow(f"{_READ} FOR UPDATE OF application", id_)
    return to_application(row) if row else None


_RESTORE = """
WITH sent AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS sent (
        id uuid, cpf text, nome text, job uuid, status text, step uuid, resume jsonb, made_at timestamptz)
), made AS (
    INSERT INTO employability.application
        (id, cpf, nome, id_vaga, status, id_etapa_atual, origem, created_at, updated_at)
    SELECT id, cpf, nome, job, status, step, 'cidadao', made_at, made_at FROM sent
    ON CONFLICT DO NOTHING
    RETURNING id, status, id_etapa_atual, created_at
), content AS (
    INSERT INTO employability.application_content (id_candidatura, respostas, curriculo_snapshot)
    SELECT made.id, '[]', sent.resume FROM made JOIN sent USING (id)
)
INSERT INTO employability.application_event (id_candidatura, evento, para, id_etapa_para, em)
SELECT id, $2, status, id_etapa_atual, created_at FROM made
"""


async def restore(connection: Connection, rows: Sequence[RestoredApplication]) -> None:
    """Insert applications as they stand, but for those that are there."""
    await connection.execute(_RESTORE, json_text(rows), Event.SUBMIT)


_FIND_MISSING = """
SELECT wanted AS id FROM unnest($1::uuid[]) AS wanted
WHERE NOT EXISTS (SELECT FROM employability.application WHERE id = wanted)
"""


async def list_missing_ids(connection: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Return those of the ids that no application ever had."""
    return {row["id"] for row in await connection.fetch(_FIND_MISSING, ids)}


_LOCK_LIVE = """
SELECT id, cpf, status, id_etapa_atual FROM employability.application
WHERE id_vaga = $1 AND cpf = ANY($2::text[]) AND status <> 'retirada'
ORDER BY id FOR UPDATE
"""


async def lock_live(connection: Connection, job: UUID, people: Iterable[Cpf]) -> list[Standing]:
    """Return where these people's applications for a job stand, and keep others from changing them.

    They are locked in the order of their ids, so that two such calls never wait for each other in a circle.
    """
    rows = await connection.fetch(_LOCK_LIVE, job, [cpf.digits for cpf in people])
    return [
        Standing(
            id=row["id"],
            cpf=row["cpf"],
            status=ApplicationStatus(row["status"]),
            id_etapa_atual=row["id_etapa_atual"],
        )
        for row in rows
    ]


_MOVE = """
WITH wanted AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::uuid[])
        AS move (id, event, before, after, step_before, step_after)
), moved AS (
    UPDATE employability.application SET
        status = wanted.after, id_etapa_atual = wanted.step_after, row_version = row_version + 1,
        updated_at = clock_timestamp()
    FROM wanted WHERE application.id = wanted.id
)
INSERT INTO employability.application_event
    (id_candidatura, evento, de, para, id_etapa_de, id_etapa_para, por, motivo)
SELECT id, event, before, after, step_before, step_after, $7, $8 FROM wanted ORDER BY id
RETURNING id_candidatura, id
"""


async def move(
    connection: Connection, moves: Sequence[tuple[Standing, Change]], author: str | None, reason: str | None
) -> dict[UUID, int]:
    """Give locked applications their next status and step, and return the number of each one's event."""
    rows = await connection.fetch(
        _MOVE,
        [before.id for before, _ in moves],
        [change.row.event for _, change in moves],
        [before.status for before, _ in moves],
        [change.row.target or before.status for before, change in moves],
        [before.id_etapa_atual for before, _ in moves],
        [change.step for _, change in moves],
        author,
        reason,
    )
    return {row["id_candidatura"]: row["id"] for row in rows}


_HISTORY = page_sql(
    """
    SELECT de, evento, para, id_etapa_de, id_etapa_para, em, por, motivo FROM employability.application_event
    WHERE id_candidatura = $1 ORDER BY id DESC LIMIT $2 OFFSET $3
    """,
    "SELECT count(*) FROM employability.application_event WHERE id_candidatura = $1",
)


async def list_history(connection: Connection, id_: UUID, page: Page) -> tuple[list[ApplicationEvent], int]:
    """Return the page of what happened to an application, newest first, and how much that is in all."""
    rows, total = await fetch_page(connection, _HISTORY, id_, page.limit, page.offset)
    return [ApplicationEvent(**row) for row in rows], total


_REPLACE = """
WITH content AS (
    UPDATE employability.application_content SET respostas = $4::jsonb WHERE id_candidatura = $1
), event AS (
    INSERT INTO employability.application_event (id_candidatura, evento, de, para, por)
    SELECT id, $5, status, status, $6 FROM employability.application WHERE id = $1
)
UPDATE employability.application SET
    nome = $2, email = $3, row_version = row_version + 1, updated_at = clock_timestamp()
WHERE id = $1
"""


async def replace(
    connection: Connection,
    id_: UUID,
    name: str | None,
    email: str | None,
    answers: Sequence[Answer],
    author: str | None,
) -> None:
    """Replace what a candidate may change of a locked application."""
    await connection.execute(_REPLACE, id_, name, email, json_text(answers), Event.EDIT, author)


# Every filter but the one by status, which the counts leave out.
_OWN = """
FROM employability.application
JOIN employability.job ON job.id = application.id_vaga
WHERE application.cpf = $1 AND application.status <> 'retirada'
    AND ($2::text[] IS NULL OR job.id_orgao_parceiro = ANY($2))
    AND ($3::uuid IS NULL OR application.id_vaga = $3)
    AND ($4::uuid IS NULL OR application.id_etapa_atual = $4)
"""
_SHOWN = "employability.shown_application_status(application.status, job.status, job.deleted_at)"
_LIST_OWN = page_sql(
    f"""
    SELECT {_COLUMNS} FROM (
        SELECT application.* {_OWN} AND ($5::text IS NULL OR {_SHOWN} = $5)
        ORDER BY application.created_at DESC, application.id LIMIT $6 OFFSET $7
    ) AS application
    JOIN employability.application_content AS content ON content.id_candidatura = application.id
    ORDER BY application.created_at DESC, application.id
    """,
    f"""
    SELECT coalesce(jsonb_object_agg(counted.shown, counted.number), '{{}}')
    FROM (SELECT {_SHOWN} AS shown, count(*) AS number {_OWN} GROUP BY 1) AS counted
    """,
)


async def list_of_person(
    connection: Connection, cpf: Cpf, departments: Sequence[str] | None, filters: OwnFilters, page: Page
) -> tuple[list[StoredApplication], StatusCounts]:
    """Return the page's applications, newest first, and how many there are of each shown status.

    `departments` confines them to jobs of these; None is all.
    """
    values = (cpf.digits, departments, filters.job, filters.step, filters.status, page.limit, page.offset)
    found = await connection.fetch(_LIST_OWN, *values)
    counts = msgspec.json.decode(found[0]["total"], type=StatusCounts)
    return [to_application(row) for row in found if row["place"] is not None], counts


def _to_person(record: str | None) -> PersonRecord | None:
    return None if record is None else msgspec.json.decode(record, type=PersonRecord)


def to_application(row: Row) -> StoredApplication:
    """Return the row as a record."""
    snapshot = row["curriculo_snapshot"]
    return StoredApplication(
        id=row["id"],
        cpf=row["cpf"],
        nome=row["nome"],
        email=row["email"],
        id_vaga=row["id_vaga"],
        status=ApplicationStatus(row["status"]),
        id_etapa_atual=row["id_etapa_atual"],
        respostas=msgspec.json.decode(row["respostas"], type=list[Answer]),
        curriculo_snapshot=None if snapshot is None else msgspec.json.decode(snapshot, type=Resume),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


_EXPORT = """
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
    WHERE application.cpf = $1
) AS found
"""


async def export(connection: Connection, cpf: Cpf) -> list[dict[str, Any]]:
    """Return all that is stored of a person's applications, the withdrawn ones too."""
    return msgspec.json.decode(await connection.fetchval(_EXPORT, cpf.digits), type=list[dict[str, Any]])


_ERASE = """
WITH erased AS (
    SELECT application.id, application.status FROM employability.application
    WHERE application.cpf = $1 AND application.cleared_at IS NULL
), event AS (
    INSERT INTO employability.application_event (id_candidatura, evento, de, para)
    SELECT id, 'withdraw', status, 'retirada' FROM erased WHERE status = 'candidatura_enviada'
), content AS (
    UPDATE employability.application_content SET respostas = '[]', curriculo_snapshot = NULL
    FROM erased WHERE id_candidatura = erased.id
), reasons AS (
    UPDATE employability.application_event SET motivo = NULL
    FROM employability.application AS own
    WHERE own.cpf = $1 AND id_candidatura = own.id AND motivo IS NOT NULL
)
UPDATE employability.application SET
    status = CASE WHEN application.status = 'candidatura_enviada' THEN 'retirada' ELSE application.status END,
    nome = NULL, email = NULL, cleared_at = clock_timestamp(),
    row_version = row_version + 1, updated_at = clock_timestamp()
FROM erased WHERE application.id = erased.id
"""


async def erase(connection: Connection, cpf: Cpf) -> int:
    """Withdraw a person's open applications, clear what all of them hold of the person, and return how many."""
    return affected(await connection.execute(_ERASE, cpf.digits))


async def count_of_person(connection: Connection, cpf: Cpf) -> int:
    """Return how many applications a person ever made."""
    statement = "SELECT count(*) FROM employability.application WHERE cpf = $1"
    return await fetch_count(connection, statement, cpf.digits)
