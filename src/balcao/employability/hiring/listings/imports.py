"""The import of jobs: a line of JSON for each, with the members of a POST and what only a file says."""

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple
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
from balcao.employability.hiring.listings.content import JobContent, list_missing, require_fields
from balcao.employability.hiring.listings.merge import merge, order_steps
from balcao.employability.hiring.listings.states import DRAFTS, JobStatus
from balcao.employability.hiring.listings.store import Entry, NewJob, StoredContent
from balcao.employability.instants import parse_instant

AUTHOR = "Importação"
EVENT = "import"
# What it changes is locked until its commit, so it is kept short.
BATCH = 100
_ANY_ZONE = ZoneInfo("UTC")
# A former system's clock, or ours, may be a little ahead.
_LEEWAY = timedelta(minutes=5)


class JobRow(JobBody, kw_only=True, dict=True):
    """A job of the former system. `status` is taken for a new job; afterwards its state is the staff's."""

    id: UUID
    status: JobStatus = JobStatus.EDITING
    publicado_em: str | None = None
    created_at: str | None = None

    def __post_init__(self) -> None:
        """Check the row as a body is checked. Raises Invalid."""
        if self.status is not JobStatus.EDITING:
            require_fields(list_missing(self.content))
        _read_instants(self, _ANY_ZONE)

    @cached_property
    def content(self) -> JobContent:
        """Return what the job consists of: instants in any zone, steps and questions under ids of no meaning.

        Raises Invalid.
        """
        return merge(self, None, _ANY_ZONE)


class Instants(NamedTuple):
    """The instants that a row names."""

    limit: datetime | None
    published_at: datetime | None
    created_at: datetime | None


def _read_instants(row: JobRow, zone: ZoneInfo) -> Instants:
    """Return the row's instants, those without offset in this zone. Raises Invalid for a past that is still to come."""
    return Instants(
        parse_instant("data_limite", row.data_limite, zone) if row.content.data_limite and row.data_limite else None,
        _parse_past("publicado_em", row.publicado_em, zone) if row.publicado_em else None,
        _parse_past("created_at", row.created_at, zone) if row.created_at else None,
    )


def _parse_past(field: str, text: str, zone: ZoneInfo) -> datetime:
    """Return what has happened, a date alone at its midnight. Raises Invalid for an instant that is still to come."""
    at = parse_instant(field, text, zone, of_day=time.min)
    if at > utc_now() + _LEEWAY:
        raise Invalid(f"O campo `{field}` está no futuro.")
    return at


def _make_job(row: JobRow, zone: ZoneInfo, present: JobContent | None) -> NewJob:
    """Return the job that the row describes. Raises Invalid.

    Steps and questions that the job has already keep their ids, the others get the same ones whenever the row is read.
    """
    instants = _read_instants(row, zone)
    steps, questions = (present.etapas, present.informacoes_complementares) if present else ((), ())
    content = msgspec.structs.replace(
        row.content,
        data_limite=instants.limit,
        etapas=_identify(row.id, "etapa", row.content.etapas, order_steps(row.etapas or ()), steps),
        informacoes_complementares=_identify(
            row.id,
            "pergunta",
            row.content.informacoes_complementares,
            row.informacoes_complementares or (),
            questions,
        ),
    )
    made = instants.created_at or utc_now()
    status = JobStatus.ACTIVE if row.status is JobStatus.EXPIRED else row.status
    return NewJob(content, status, None if status in DRAFTS else instants.published_at or made, made)


def _identify(job_id: UUID, what: str, items: Sequence[Any], sent: Sequence[Any], known: Sequence[Any]) -> list[Any]:
    """Return the items of a row with their ids, those of known ones where `sent` names them.

    A row that names none means by the place: what it lists third is what it listed third before. In one that names
    some, an item without id is the known one of its title that the row does not name, or new.
    """
    free = {str(item.id): item for item in known}
    named = [free.pop(str(body.id).strip().lower(), None) for body in sent]
    by_place = (uuid5(job_id, f"{what}:{place}") for place in count())
    ids = {item.id for item in known} if any(named) else set()
    by_title = {item.titulo: item.id for item in free.values()} if ids else {}
    unused = (id_ for id_ in by_place if id_ not in ids)
    return [
        msgspec.structs.replace(item, id=one.id if one else by_title.pop(item.titulo, None) or next(unused))
        for item, one in zip(items, named, strict=True)
    ]


async def write(connection: Connection, rows: Sequence[JobRow]) -> int:
    """Write the jobs that are new or say something else; return how many. One that was deleted stays so."""
    zone = await store.read_zone(connection)
    last = {row.id: row for row in rows}
    missing = await store.list_missing_ids(connection, list(last))
    there = list(last.keys() - missing)
    known = await store.list_stored(connection, there, utc_now()) if there else {}
    found = {id_: _make_job(row, zone, known.get(id_)) for id_, row in last.items() if id_ in missing or id_ in known}
    codes = {job.content.id_orgao_parceiro for job in found.values()}
    await departments.add(connection, [code for code in codes if code is not None])
    changed = {
        id_: found[id_].content
        for id_, stored in known.items()
        if _to_comparable(stored) != _to_comparable(found[id_].content)
    }
    new = {id_: job for id_, job in found.items() if id_ in missing}
    return await _add(connection, new) + await _change(connection, known, changed)


async def _add(connection: Connection, jobs: Mapping[UUID, NewJob]) -> int:
    added = await store.import_new(connection, jobs) if jobs else ()
    await _record(connection, {id_: (None, job.status) for id_, job in jobs.items() if id_ in added})
    return len(added)


async def _change(
    connection: Connection, known: Mapping[UUID, StoredContent], contents: Mapping[UUID, JobContent]
) -> int:
    if contents:
        await store.update(connection, contents)
    await _record(connection, {id_: (known[id_].status, known[id_].status) for id_ in contents})
    return len(contents)


async def _record(connection: Connection, moves: Mapping[UUID, tuple[str | None, str]]) -> None:
    """Enter in the histories what the import did, each with the state before and after."""
    if moves:
        entries = (Entry(id_, before, EVENT, after, AUTHOR) for id_, (before, after) in moves.items())
        await store.record(connection, *entries)


def _to_comparable(content: JobContent) -> list[Any]:
    """Return the members of the content, with what has no order of its own in one."""
    members = {name: getattr(content, name) for name in JobContent.__struct_fields__}
    members |= {"tipos_pcd": sorted(content.tipos_pcd), "zonas": sorted(content.zonas)}
    members["idiomas_requisito"] = sorted(content.idiomas_requisito, key=lambda language: language.id_idioma)
    return list(members.values())


IMPORTS = [Import("jobs", JobRow, write, batch=BATCH)]
