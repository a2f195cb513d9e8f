"""SQL that writes jobs with their nested records."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from operator import attrgetter
from typing import Any, NamedTuple, get_args, get_type_hints
from uuid import UUID

import asyncpg
import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.errors import Invalid
from balcao.employability.hiring.content.rules import JobContent, QuestionContent, StepContent
from balcao.employability.hiring.listings.schemas import NewJob
from balcao.employability.hiring.listings.states import Event
from balcao.employability.hiring.listings.store import DECIDED_SQL
from balcao.employability.texts import slugify


async def insert_draft(connection: Connection, job_id: UUID, content: JobContent, author: str, by: str) -> None:
    """Insert a draft with its nested records. `by` is the author's name in its history.

    Raises Invalid if a referenced record was deleted after its check.
    """
    with _references():
        await insert_whole_jobs(connection, {job_id: NewJob(content)}, author, Event.CREATE, by)


async def insert_whole_jobs(
    connection: Connection, jobs: Mapping[UUID, NewJob], author: str, event: str, by: str
) -> int:
    """Insert jobs with their nested records, each with an event in its history. Return the number of new jobs.

    Existing jobs do not change. Raises asyncpg's ForeignKeyViolationError if a job refers to a record that does not
    exist.
    """
    rows = [
        (*_list_columns(id_, job.content), job.status, job.publicado_em, job.created_at) for id_, job in jobs.items()
    ]
    parts = _list_parts({id_: job.content for id_, job in jobs.items()})
    return await _insert_whole_jobs(connection, rows, *parts, author, event, by)


_COLUMNS = DECIDED_SQL.split()
_list_decided = attrgetter(*_COLUMNS)


def _list_columns(id_: UUID, content: JobContent) -> tuple[Any, ...]:
    return (id_, slugify(content.titulo), *_list_decided(content))


class _ValueOfJob(NamedTuple):
    job: UUID
    value: UUID


class _LanguageOfJob(NamedTuple):
    job: UUID
    id_idioma: UUID
    id_nivel_minimo: UUID


class _StepOfJob(StepContent, frozen=True, array_like=True):
    id_vaga: UUID
    ordem: int


class _QuestionOfJob(QuestionContent, frozen=True, array_like=True):
    id_vaga: UUID
    ordem: int


class _Parts(NamedTuple):
    """The nested records of jobs, as rows of their tables."""

    values: Sequence[_ValueOfJob]
    languages: Sequence[_LanguageOfJob]
    steps: Sequence[_StepOfJob]
    questions: Sequence[_QuestionOfJob]


def _list_parts(contents: Mapping[UUID, JobContent]) -> _Parts:
    jobs = contents.items()
    return _Parts(
        [_ValueOfJob(id_, value) for id_, content in jobs for value in (*content.tipos_pcd, *content.zonas)],
        [
            _LanguageOfJob(id_, each.id_idioma, each.id_nivel_minimo)
            for id_, content in jobs
            for each in content.idiomas_requisito
        ],
        [
            _StepOfJob(step.id, step.titulo, step.descricao, id_, place)
            for id_, content in jobs
            for place, step in enumerate(content.etapas, 1)
        ],
        [
            _QuestionOfJob(**msgspec.structs.asdict(question), id_vaga=id_, ordem=place)
            for id_, content in jobs
            for place, question in enumerate(content.informacoes_complementares, 1)
        ],
    )


_SQL_TYPES = {UUID: "uuid", str: "text", int: "bigint", bool: "boolean", datetime: "timestamptz", Decimal: "numeric"}


def _read_rows(parameter: str, columns: Mapping[str, Any]) -> str:
    """Return a FROM clause that reads rows from a JSON array. Each row is a list of values in the order of the columns.

    Format: lists take two thirds of the time that objects take, because names need not be sent and looked up for each
    row.

    OFFSET 0 stops PostgreSQL from merging the subquery. Otherwise it would parse a value again wherever it is used.
    """
    read = ", ".join(f"{_read_value(place, type_)} AS {name}" for place, (name, type_) in enumerate(columns.items()))
    return f"FROM (SELECT {read} FROM jsonb_array_elements(:{parameter}::jsonb) AS row (sent) OFFSET 0) AS sent"


def _read_value(place: int, type_: Any) -> str:
    if type_ == Sequence[str]:
        texts = f"ARRAY(SELECT jsonb_array_elements_text(sent -> {place}))"
        return f"CASE sent -> {place} WHEN '[]' THEN '{{}}' ELSE {texts} END"
    (type_,) = {type_, *get_args(type_)} & _SQL_TYPES.keys()
    return f"(sent ->> {place})::{_SQL_TYPES[type_]}"


_DECIDED_TYPES = get_type_hints(JobContent)
_SENT = _read_rows(
    "rows",
    {
        "id": UUID, "titulo_slug": str, **{name: _DECIDED_TYPES[name] for name in _COLUMNS},
        "status": str, "publicado_em": datetime, "created_at": datetime,
    },
)  # fmt: skip
_SENT_VALUES = "FROM unnest(:values.job::uuid[], :values.value::uuid[]) AS sent (job_id, value_id)"
_SENT_LANGUAGES = """
    FROM unnest(:languages.job::uuid[], :languages.id_idioma::uuid[], :languages.id_nivel_minimo::uuid[])
        AS sent (job_id, id_idioma, id_nivel_minimo)"""
_STEP_COLUMNS, _QUESTION_COLUMNS = ", ".join(_StepOfJob.__struct_fields__), ", ".join(_QuestionOfJob.__struct_fields__)
_SENT_STEPS = _read_rows("steps", get_type_hints(_StepOfJob))
_SENT_QUESTIONS = _read_rows("questions", get_type_hints(_QuestionOfJob))


# Use a single statement. PostgreSQL checks foreign keys at its end, so the order of the CTEs does not matter.
@statement(f"""
WITH inserted AS (
    INSERT INTO employability.job (id, titulo_slug, status, criado_por, publicado_em, created_at, {", ".join(_COLUMNS)})
    SELECT id, titulo_slug, status, :author::text, publicado_em, coalesce(created_at, clock_timestamp()),
           {", ".join(_COLUMNS)}
    {_SENT}
    ON CONFLICT (id) DO NOTHING RETURNING id, status
), values_ AS (
    INSERT INTO employability.job_reference_value (job_id, value_id)
    SELECT job_id, value_id {_SENT_VALUES} WHERE job_id IN (SELECT id FROM inserted) ON CONFLICT DO NOTHING
), languages AS (
    INSERT INTO employability.job_language (job_id, id_idioma, id_nivel_minimo)
    SELECT job_id, id_idioma, id_nivel_minimo {_SENT_LANGUAGES} WHERE job_id IN (SELECT id FROM inserted)
), steps AS (
    INSERT INTO employability.job_step ({_STEP_COLUMNS})
    SELECT {_STEP_COLUMNS} {_SENT_STEPS} WHERE id_vaga IN (SELECT id FROM inserted)
), questions AS (
    INSERT INTO employability.job_question ({_QUESTION_COLUMNS})
    SELECT {_QUESTION_COLUMNS} {_SENT_QUESTIONS} WHERE id_vaga IN (SELECT id FROM inserted)
), recorded AS (
    INSERT INTO employability.job_event (id_vaga, evento, para, por)
    SELECT id, :event::text, status, :by::text FROM inserted
)
SELECT count(*) FROM inserted
""")
async def _insert_whole_jobs(
    connection: Connection,
    rows: Sequence[tuple[Any, ...]],
    values: Sequence[_ValueOfJob],
    languages: Sequence[_LanguageOfJob],
    steps: Sequence[_StepOfJob],
    questions: Sequence[_QuestionOfJob],
    author: str,
    event: str,
    by: str,
) -> int: ...


async def update_jobs(connection: Connection, contents: Mapping[UUID, JobContent]) -> None:
    """Replace the content of jobs. Raises Invalid if a referenced record was deleted after its check."""
    with _references():
        rows = [_list_columns(id_, content) for id_, content in contents.items()]
        await _update_jobs(connection, rows, list(contents))
        await _write_rows_of_parts(connection, list(contents), *_list_parts(contents))


@statement(f"""
UPDATE employability.job
SET {", ".join(f"{name} = sent.{name}" for name in _COLUMNS)},
    titulo_slug = sent.titulo_slug, row_version = job.row_version + 1, updated_at = clock_timestamp()
{_SENT} WHERE job.id = ANY(:ids::uuid[]) AND job.id = sent.id
""")
async def _update_jobs(connection: Connection, rows: Sequence[tuple[Any, ...]], ids: Sequence[UUID]) -> None: ...


@contextmanager
def _references() -> Iterator[None]:
    """Raise Invalid if a referenced record was deleted after its check."""
    try:
        yield
    except asyncpg.ForeignKeyViolationError:
        text = "Algo a que a vaga se refere foi excluído agora: leia as listas de novo."
        raise Invalid(text, code="reference-gone") from None


# Do not write unchanged steps and questions, so that they keep their `updated_at`.
@statement(f"""
WITH gone_values AS (
    DELETE FROM employability.job_reference_value WHERE job_id = ANY(:jobs::uuid[])
        AND (job_id, value_id) NOT IN (SELECT job_id, value_id {_SENT_VALUES})
), values_ AS (
    INSERT INTO employability.job_reference_value (job_id, value_id)
    SELECT job_id, value_id {_SENT_VALUES}
    ON CONFLICT DO NOTHING
), gone_languages AS (
    DELETE FROM employability.job_language WHERE job_id = ANY(:jobs::uuid[])
        AND (job_id, id_idioma) NOT IN (SELECT job_id, id_idioma {_SENT_LANGUAGES})
), languages AS (
    INSERT INTO employability.job_language (job_id, id_idioma, id_nivel_minimo)
    SELECT job_id, id_idioma, id_nivel_minimo {_SENT_LANGUAGES}
    ON CONFLICT (job_id, id_idioma) DO UPDATE SET id_nivel_minimo = excluded.id_nivel_minimo
), steps AS (
    INSERT INTO employability.job_step AS step ({_STEP_COLUMNS})
    SELECT {_STEP_COLUMNS} {_SENT_STEPS}
    ON CONFLICT (id) DO UPDATE SET
        titulo = excluded.titulo, descricao = excluded.descricao, ordem = excluded.ordem, updated_at = clock_timestamp()
    WHERE (step.titulo, step.descricao, step.ordem)
        IS DISTINCT FROM (excluded.titulo, excluded.descricao, excluded.ordem)
), gone_questions AS (
    DELETE FROM employability.job_question WHERE id_vaga = ANY(:jobs::uuid[]) AND id <> ALL(:questions.id::uuid[])
), questions AS (
    INSERT INTO employability.job_question AS question ({_QUESTION_COLUMNS})
    SELECT {_QUESTION_COLUMNS} {_SENT_QUESTIONS}
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
