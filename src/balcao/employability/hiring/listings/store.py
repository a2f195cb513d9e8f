"""SQL of the jobs and of what belongs to them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import asyncpg
import msgspec

from balcao.core.database.pool import Connection, json_text
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
    SUMMARY,
    WHOLE,
    reached,
    scope_values,
)


def _read(condition: str) -> str:
    """Return the statement that reads the whole jobs for which the condition holds."""
    return f"SELECT to_jsonb(found) FROM (SELECT {WHOLE} {FROM} WHERE job.deleted_at IS NULL AND {condition}) AS found"


# To whom a draft of an import without department belongs: to nobody but those who reach all.
IMPORTER = "import"
_READ_REACHED = _read(f"{reached(2)} AND job.id = $4")
_READ_PUBLISHED = _read("job.publicado_em IS NOT NULL AND job.id = $2")


async def read(connection: Connection, scope: Scope, id_: UUID, now: datetime) -> Job | None:
    """Return a job within reach."""
    return _to_job(await connection.fetchval(_READ_REACHED, now, *scope_values(scope), id_))


async def read_published(connection: Connection, id_: UUID, now: datetime) -> Job | None:
    """Return a job that was ever published."""
    return _to_job(await connection.fetchval(_READ_PUBLISHED, now, id_))


_READ_BEGINNING = f"""
{_read("job.publicado_em IS NOT NULL AND job.id BETWEEN $2 AND $3")} ORDER BY found.slug = $4 DESC, found.id LIMIT 1
"""


async def read_by_slug(connection: Connection, beginning: str, slug: str, now: datetime) -> Job | None:
    """Return the published job whose id begins with these twelve digits; of several the one with this slug."""
    lowest, highest = UUID(f"{beginning:0<32}"), UUID(f"{beginning:f<32}")
    return _to_job(await connection.fetchval(_READ_BEGINNING, now, lowest, highest, slug))


_LOCK = f"SELECT FROM employability.job WHERE id = $3 AND deleted_at IS NULL AND {reached(1)} FOR UPDATE"


async def lock(connection: Connection, scope: Scope, id_: UUID, now: datetime) -> Job | None:
    """Return a job within reach, and keep others from changing it until the transaction ends.

    It is locked before it is read: a statement that waits for the lock would see steps as they were before.
    """
    await connection.execute(_LOCK, *scope_values(scope), id_)
    return await read(connection, scope, id_, now)


class StoredContent(JobContent, frozen=True, kw_only=True):
    """A job as an import compares it: what it consists of, and its state as it is shown."""

    id: UUID
    status: str


_STORED = f"""
SELECT to_json(found) FROM (
    SELECT {CONTENT} FROM employability.job WHERE job.deleted_at IS NULL AND job.id = ANY($2::uuid[])
) AS found
"""
_decode_stored = msgspec.json.Decoder(StoredContent).decode


async def list_stored(connection: Connection, ids: Sequence[UUID], now: datetime) -> dict[UUID, StoredContent]:
    """Return those of the jobs that are there, whoever reaches them; no deleted one."""
    jobs = [_decode_stored(document) for (document,) in await connection.fetch(_STORED, now, ids)]
    return {job.id: job for job in jobs}


_SUMMARIES = f"""
SELECT to_jsonb(found) AS document, found.id_orgao_parceiro
FROM (SELECT {SUMMARY} {FROM} WHERE job.id = ANY($2::uuid[])) AS found
"""


async def list_summaries(
    connection: Connection, ids: Sequence[UUID], now: datetime
) -> list[tuple[JobSummary, str | None]]:
    """Return what applications show of these jobs, the deleted ones too, each with the code of its department."""
    rows = await connection.fetch(_SUMMARIES, now, ids)
    return [(msgspec.json.decode(row["document"], type=JobSummary), row["id_orgao_parceiro"]) for row in rows]


async def share(connection: Connection, id_: UUID) -> None:
    """Keep others from changing a job until the transaction ends; any number may do so at once."""
    await connection.execute("SELECT FROM employability.job WHERE id = $1 FOR SHARE", id_)


_LEAVE_STEPS = "SELECT employability.leave_steps($1, $2::uuid[])"


async def leave_steps(connection: Connection, id_: UUID, remaining: Sequence[UUID]) -> None:
    """Move the candidates of the other steps of a locked job to the remaining step before, or to none."""
    await connection.execute(_LEAVE_STEPS, id_, remaining)


_MISSING = """
SELECT wanted AS id FROM unnest($1::uuid[]) AS wanted WHERE NOT EXISTS (SELECT FROM employability.job WHERE id = wanted)
"""


async def list_missing_ids(connection: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Return those of the ids that no job ever had."""
    return {row["id"] for row in await connection.fetch(_MISSING, ids)}


_COLUMNS = DECIDED.split()
# Read as rows of the table, so that each member has the type of its column.
_SENT = "FROM jsonb_populate_recordset(NULL::employability.job, $1::jsonb) AS sent"
_INSERT = f"""
INSERT INTO employability.job (id, titulo_slug, status, criado_por, publicado_em, created_at, {", ".join(_COLUMNS)})
SELECT id, titulo_slug, status, criado_por, publicado_em, coalesce(created_at, clock_timestamp()), {", ".join(_COLUMNS)}
{_SENT}
ON CONFLICT (id) DO NOTHING RETURNING id
"""
_UPDATE = f"""
UPDATE employability.job
SET {", ".join(f"{name} = sent.{name}" for name in _COLUMNS)},
    titulo_slug = sent.titulo_slug, row_version = job.row_version + 1, updated_at = clock_timestamp()
{_SENT} WHERE job.id = ANY($2::uuid[]) AND job.id = sent.id
"""


class NewJob(msgspec.Struct, frozen=True):
    """What a job begins with; without `created_at` it is made now."""

    content: JobContent
    status: JobStatus = JobStatus.EDITING
    publicado_em: datetime | None = None
    created_at: datetime | None = None


async def insert(connection: Connection, id_: UUID, content: JobContent, author: str) -> None:
    """Insert a draft with all that belongs to it."""
    with _references():
        await _insert(connection, {id_: NewJob(content)}, author)


async def import_new(connection: Connection, jobs: Mapping[UUID, NewJob]) -> set[UUID]:
    """Insert jobs of a file; return the ids of those that were not taken. What they refer to is the server's to refuse.

    Raises what the server says of any of them.
    """
    return await _insert(connection, jobs, IMPORTER)


async def _insert(connection: Connection, jobs: Mapping[UUID, NewJob], author: str) -> set[UUID]:
    rows = [
        _columns(id_, job.content)
        | {
            "status": job.status, "criado_por": author, "publicado_em": job.publicado_em, "created_at": job.created_at
        }
        for id_, job in jobs.items()
    ]  # fmt: skip
    inserted = {row["id"] for row in await connection.fetch(_INSERT, json_text(rows))}
    await _write_parts(connection, {id_: jobs[id_].content for id_ in jobs if id_ in inserted})
    return inserted


async def update(connection: Connection, contents: Mapping[UUID, JobContent]) -> None:
    """Replace what jobs consist of."""
    with _references():
        rows = [_columns(id_, content) for id_, content in contents.items()]
        await connection.execute(_UPDATE, json_text(rows), list(contents))
        await _write_parts(connection, contents)


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


# What stays is not written again, so that its id and instants stay, too.
_PARTS = """
WITH gone_values AS (
    DELETE FROM employability.job_reference_value WHERE job_id = ANY($1::uuid[])
        AND (job_id, value_id) NOT IN (SELECT * FROM unnest($2::uuid[], $3::uuid[]))
), values_ AS (
    INSERT INTO employability.job_reference_value (job_id, value_id) SELECT * FROM unnest($2::uuid[], $3::uuid[])
    ON CONFLICT DO NOTHING
), gone_languages AS (
    DELETE FROM employability.job_language WHERE job_id = ANY($1::uuid[])
        AND (job_id, id_idioma) NOT IN (SELECT * FROM unnest($4::uuid[], $5::uuid[]))
), languages AS (
    INSERT INTO employability.job_language (job_id, id_idioma, id_nivel_minimo)
    SELECT * FROM unnest($4::uuid[], $5::uuid[], $6::uuid[])
    ON CONFLICT (job_id, id_idioma) DO UPDATE SET id_nivel_minimo = excluded.id_nivel_minimo
), steps AS (
    INSERT INTO employability.job_step AS step (id, id_vaga, titulo, descricao, ordem)
    SELECT id, id_vaga, titulo, descricao, ordem
    FROM jsonb_populate_recordset(NULL::employability.job_step, $7::jsonb)
    ON CONFLICT (id) DO UPDATE SET
        titulo = excluded.titulo, descricao = excluded.descricao, ordem = excluded.ordem, updated_at = clock_timestamp()
    WHERE (step.titulo, step.descricao, step.ordem)
        IS DISTINCT FROM (excluded.titulo, excluded.descricao, excluded.ordem)
), gone_questions AS (
    DELETE FROM employability.job_question WHERE id_vaga = ANY($1::uuid[]) AND id <> ALL($9::uuid[])
), questions AS (
    INSERT INTO employability.job_question AS question
        (id, id_vaga, titulo, obrigatorio, tipo_campo, valor_minimo, valor_maximo, opcoes, ordem)
    SELECT id, id_vaga, titulo, obrigatorio, tipo_campo, valor_minimo, valor_maximo, opcoes, ordem
    FROM jsonb_populate_recordset(NULL::employability.job_question, $10::jsonb)
    ON CONFLICT (id) DO UPDATE SET
        titulo = excluded.titulo, obrigatorio = excluded.obrigatorio, tipo_campo = excluded.tipo_campo,
        valor_minimo = excluded.valor_minimo, valor_maximo = excluded.valor_maximo, opcoes = excluded.opcoes,
        ordem = excluded.ordem, updated_at = clock_timestamp()
    WHERE (question.titulo, question.obrigatorio, question.tipo_campo, question.valor_minimo, question.valor_maximo,
           question.opcoes, question.ordem)
        IS DISTINCT FROM (excluded.titulo, excluded.obrigatorio, excluded.tipo_campo, excluded.valor_minimo,
           excluded.valor_maximo, excluded.opcoes, excluded.ordem)
)
DELETE FROM employability.job_step WHERE id_vaga = ANY($1::uuid[]) AND id <> ALL($8::uuid[])
"""


async def _write_parts(connection: Connection, contents: Mapping[UUID, JobContent]) -> None:
    jobs = contents.items()
    values = [(id_, value) for id_, content in jobs for value in (*content.tipos_pcd, *content.zonas)]
    languages = [(id_, language) for id_, content in jobs for language in content.idiomas_requisito]
    steps = [part for id_, content in jobs for part in _place(id_, content.etapas)]
    questions = [part for id_, content in jobs for part in _place(id_, content.informacoes_complementares)]
    await connection.execute(
        _PARTS,
        list(contents),
        [id_ for id_, _ in values],
        [value for _, value in values],
        [id_ for id_, _ in languages],
        [language.id_idioma for _, language in languages],
        [language.id_nivel_minimo for _, language in languages],
        json_text(steps),
        [step["id"] for step in steps],
        [question["id"] for question in questions],
        json_text(questions),
    )


def _place(id_: UUID, parts: Sequence[StepContent] | Sequence[QuestionContent]) -> list[dict[str, Any]]:
    """Return the parts of a job as rows, in their order."""
    return [{"id_vaga": id_, "ordem": place} | msgspec.structs.asdict(part) for place, part in enumerate(parts, 1)]


_MOVE = """
UPDATE employability.job
SET status = $2, publicado_em = coalesce(publicado_em, $3), row_version = row_version + 1,
    updated_at = clock_timestamp()
WHERE id = $1
"""


async def move(connection: Connection, id_: UUID, status: JobStatus, published_at: datetime | None) -> None:
    """Give a locked job another state; the first publication's instant stays."""
    await connection.execute(_MOVE, id_, status, published_at)


_DELETE = """
UPDATE employability.job SET deleted_at = clock_timestamp(), row_version = row_version + 1 WHERE id = $1
"""


async def delete(connection: Connection, id_: UUID) -> None:
    """Take a locked job out of every list; its row stays, as applications name it."""
    await connection.execute(_DELETE, id_)


class Entry(msgspec.Struct, frozen=True):
    """What happened to a job, by whom; `de` and `para` as shown at that moment."""

    id_vaga: UUID
    de: str | None
    evento: str
    para: str
    por: str
    motivo: str | None = None


_RECORD = """
INSERT INTO employability.job_event (id_vaga, de, evento, para, por, motivo)
SELECT id_vaga, de, evento, para, por, motivo FROM jsonb_populate_recordset(NULL::employability.job_event, $1::jsonb)
RETURNING id
"""


async def record(connection: Connection, *entries: Entry) -> int:
    """Add to the histories of jobs, and return the number of the first entry."""
    number: int = await connection.fetchval(_RECORD, json_text(entries))
    return number


async def read_zone(connection: Connection) -> ZoneInfo:
    """Return the time zone of an import's connection, which is the city's."""
    return ZoneInfo(await connection.fetchval("SHOW timezone"))


def _to_job(document: str | None) -> Job | None:
    return None if document is None else msgspec.json.decode(document, type=Job)
