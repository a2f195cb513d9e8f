"""The import of jobs: a line of JSON for each, with the members of a POST and what only a file says."""

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.core.imports.declaration import Import
from balcao.core.values.clock import utc_now
from balcao.employability.hiring.departments import service as departments
from balcao.employability.hiring.listings import store
from balcao.employability.hiring.listings.bodies import JobBody
from balcao.employability.hiring.listings.content import JobContent, content_of, list_missing, require_fields
from balcao.employability.hiring.listings.merge import merge, read_questions, read_steps
from balcao.employability.hiring.listings.schemas import Job
from balcao.employability.hiring.listings.states import DRAFTS, JobStatus
from balcao.employability.hiring.listings.store import Entry, NewJob
from balcao.employability.instants import parse_instant

AUTHOR = "Importação"
EVENT = "import"
# What it changes is locked until its commit, so it is kept short.
BATCH = 100
_ANY_ZONE = ZoneInfo("UTC")
# A former system's clock, or ours, may be a little ahead.
_LEEWAY = timedelta(minutes=5)


class JobRow(JobBody, kw_only=True):
    """A job of the former system. `status` is taken for a new job; afterwards its state is the staff's."""

    id: UUID
    status: JobStatus = JobStatus.EDITING
    publicado_em: str | None = None
    created_at: str | None = None

    def __post_init__(self) -> None:
        """Check the row as a body is checked. Raises Invalid."""
        row = read_row(self, _ANY_ZONE)
        if row.status is not JobStatus.EDITING:
            require_fields(list_missing(row.content))


class ReadRow(msgspec.Struct, frozen=True):
    """What a row says, in the city's time zone."""

    content: JobContent
    status: JobStatus
    published_at: datetime | None
    created_at: datetime


def read_row(row: JobRow, zone: ZoneInfo, present: JobContent | None = None) -> ReadRow:
    """Return what the row says. Raises Invalid.

    Steps and questions that the job has already keep their ids, the others get the same ones whenever the row is read.
    """
    content = merge(row, None, zone)
    known_steps, known_questions = (present.etapas, present.informacoes_complementares) if present else ((), ())
    steps = _rename(row.id, "etapa", read_steps(row.etapas or (), known_steps), known_steps)
    questions = _rename(
        row.id, "pergunta", read_questions(row.informacoes_complementares or (), known_questions), known_questions
    )
    made = _parse_past("created_at", row.created_at, zone) if row.created_at else utc_now()
    published = _parse_past("publicado_em", row.publicado_em, zone) if row.publicado_em else made
    status = JobStatus.ACTIVE if row.status is JobStatus.EXPIRED else row.status
    content = msgspec.structs.replace(content, etapas=steps, informacoes_complementares=questions)
    return ReadRow(content, status, None if status in DRAFTS else published, made)


def _parse_past(field: str, text: str, zone: ZoneInfo) -> datetime:
    """Return what has happened, a date alone at its midnight. Raises Invalid for an instant that is still to come."""
    at = parse_instant(field, text, zone, of_day=time.min)
    if at > utc_now() + _LEEWAY:
        raise Invalid(f"O campo `{field}` está no futuro.")
    return at


def _rename(job_id: UUID, what: str, items: Sequence[Any], known: Sequence[Any]) -> list[Any]:
    kept = {item.id for item in known}
    return [
        item if item.id in kept else msgspec.structs.replace(item, id=uuid5(job_id, f"{what}:{place}"))
        for place, item in enumerate(items)
    ]


async def write(connection: Connection, rows: Sequence[JobRow]) -> int:
    """Write the jobs that are new or say something else; return how many. One that was deleted stays so."""
    zone = await store.read_zone(connection)
    last = {row.id: row for row in rows}
    there = list(last.keys() - await store.list_missing_ids(connection, list(last)))
    known = await store.list_any(connection, there, utc_now()) if there else {}
    present = {id_: content_of(job) for id_, job in known.items()}
    found = {id_: read_row(row, zone, present.get(id_)) for id_, row in last.items()}
    codes = {row.content.id_orgao_parceiro for row in found.values()}
    await departments.add(connection, [code for code in codes if code is not None])
    new = {id_: row for id_, row in found.items() if id_ not in there}
    changed = {
        id_: found[id_].content
        for id_, content in present.items()
        if _comparable(content) != _comparable(found[id_].content)
    }
    return await _add(connection, new) + await _change(connection, known, changed)


async def _add(connection: Connection, rows: Mapping[UUID, ReadRow]) -> int:
    jobs = {id_: NewJob(row.content, row.status, row.published_at, row.created_at) for id_, row in rows.items()}
    added = await store.import_new(connection, jobs) if jobs else ()
    await _record(connection, {id_: (None, row.status) for id_, row in rows.items() if id_ in added})
    return len(added)


async def _change(connection: Connection, known: Mapping[UUID, Job], contents: Mapping[UUID, JobContent]) -> int:
    if contents:
        await store.update(connection, contents)
    await _record(connection, {id_: (known[id_].status, known[id_].status) for id_ in contents})
    return len(contents)


async def _record(connection: Connection, moves: Mapping[UUID, tuple[str | None, str]]) -> None:
    """Enter in the histories what the import did, each with the state before and after."""
    if moves:
        entries = (Entry(id_, before, EVENT, after, AUTHOR) for id_, (before, after) in moves.items())
        await store.record(connection, *entries)


def _comparable(content: JobContent) -> JobContent:
    """Return the content with what has no order of its own in one."""
    languages = sorted(content.idiomas_requisito, key=lambda language: language.id_idioma)
    return msgspec.structs.replace(
        content, tipos_pcd=sorted(content.tipos_pcd), zonas=sorted(content.zonas), idiomas_requisito=languages
    )


IMPORTS = [Import("jobs", JobRow, write, batch=BATCH)]
