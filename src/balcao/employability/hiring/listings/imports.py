"""The import of jobs: a line of JSON for each, with the members of a POST and what only a file says."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta
from functools import cached_property, partial
from itertools import count
from operator import attrgetter
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec
from uuid_utils.compat import uuid5

from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.core.imports.declaration import Import
from balcao.core.values.clock import utc_now
from balcao.employability.hiring.departments import service as departments
from balcao.employability.hiring.listings import store
from balcao.employability.hiring.listings.bodies import JobBody
from balcao.employability.hiring.listings.content import JobContent, list_missing, require_fields
from balcao.employability.hiring.listings.merge import merge_job, order_steps
from balcao.employability.hiring.listings.states import DRAFTS, JobStatus
from balcao.employability.hiring.listings.store import JobEvent, NewJob, StoredContent
from balcao.employability.instants import parse_instant

AUTHOR = "Importação"
EVENT = "import"
# What it changes is locked until its commit, so it is kept short: some 70 ms.
BATCH = 250
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
        _require_past(self.instants)

    @cached_property
    def content(self) -> JobContent:
        """Return what the job consists of: instants in any zone, steps and questions under the ids of their places.

        Raises Invalid.
        """
        return merge_job(self, None, _ANY_ZONE, partial(_iterate_ids, self.id))

    @cached_property
    def instants(self) -> "Instants":
        """Return the row's instants, those without offset in any zone. Raises Invalid."""
        return Instants(
            self.content.data_limite,
            _parse_past("publicado_em", self.publicado_em) if self.publicado_em else None,
            _parse_past("created_at", self.created_at) if self.created_at else None,
        )


class Instants(NamedTuple):
    """The instants that a row names."""

    limit: datetime | None
    publicado_em: datetime | None
    created_at: datetime | None


def _parse_past(field: str, text: str) -> datetime:
    """Return what has happened, a date alone at its midnight. Raises Invalid."""
    return parse_instant(field, text, _ANY_ZONE, of_day=time.min)


def _require_past(instants: Instants) -> None:
    """Raise Invalid for a past that is still to come."""
    latest = utc_now() + _LEEWAY
    for field in ("publicado_em", "created_at"):
        at = getattr(instants, field)
        if at is not None and at > latest:
            raise Invalid(f"O campo `{field}` está no futuro.")


def _make_job(row: JobRow, zone: ZoneInfo, present: JobContent | None) -> NewJob:
    """Return the job that the row describes. Raises Invalid.

    Steps and questions that the job has already keep their ids, the others get the same ones whenever the row is read.
    """
    # Those without offset are meant by the clock of the city.
    instants = Instants(*(at.replace(tzinfo=zone) if at and at.tzinfo is _ANY_ZONE else at for at in row.instants))
    _require_past(instants)
    content = row.content
    if present is not None:
        content = msgspec.structs.replace(
            content,
            etapas=_keep_ids(row, "etapas", order_steps(row.etapas or ()), present),
            informacoes_complementares=_keep_ids(
                row, "informacoes_complementares", row.informacoes_complementares or (), present
            ),
        )
    content = msgspec.structs.replace(content, data_limite=instants.limit)
    made = instants.created_at or utc_now()
    status = JobStatus.ACTIVE if row.status is JobStatus.EXPIRED else row.status
    return NewJob(content, status, None if status in DRAFTS else instants.publicado_em or made, made)


# What the ids of steps and questions are made of, as they are in databases: never to be changed.
_PARTS = {"etapas": "etapa", "informacoes_complementares": "pergunta"}


def _iterate_ids(job_id: UUID, field: str) -> Iterator[UUID]:
    """Yield the ids of a job's steps or questions by their place, the same ones whenever the file is read."""
    return (uuid5(job_id, f"{_PARTS[field]}:{place}") for place in count())


def _keep_ids(row: JobRow, field: str, sent: Sequence[Any], present: JobContent) -> Sequence[Any]:
    """Return the row's steps or questions with their ids, those of known ones where `sent` names them.

    A row that names none means by the place: what it lists third is what it listed third before. In one that names
    some, an item without id is the known one of its title that the row does not name, or new.
    """
    items: Sequence[Any] = getattr(row.content, field)
    known: Sequence[Any] = getattr(present, field)
    free = {str(item.id): item for item in known}
    named = [free.pop(str(body.id).strip().lower(), None) for body in sent] if free else []
    if not any(named):
        return items
    ids = {item.id for item in known}
    by_title = {item.titulo: item.id for item in free.values()}
    unused = (id_ for id_ in _iterate_ids(row.id, field) if id_ not in ids)
    return [
        msgspec.structs.replace(item, id=one.id if one else by_title.pop(item.titulo, None) or next(unused))
        for item, one in zip(items, named, strict=True)
    ]


async def write(connection: Connection, rows: Sequence[JobRow]) -> int:
    """Write the jobs that are new or say something else; return how many. One that was deleted stays so."""
    zone = ZoneInfo(await store.read_timezone(connection))
    last = {row.id: row for row in rows}
    missing = await store.list_missing_job_ids(connection, list(last))
    there = list(last.keys() - missing)
    stored = await store.list_stored_contents(connection, there, utc_now()) if there else []
    known = {job.id: job for job in stored}
    found = {id_: _make_job(row, zone, known.get(id_)) for id_, row in last.items() if id_ in missing or id_ in known}
    codes = {job.content.id_orgao_parceiro for job in found.values()}
    await departments.add_departments(connection, [code for code in codes if code is not None])
    changed = {id_: found[id_].content for id_, present in known.items() if not _says_same(present, found[id_].content)}
    new = {id_: job for id_, job in found.items() if id_ in missing}
    return await _add(connection, new) + await _change(connection, known, changed)


async def _add(connection: Connection, jobs: Mapping[UUID, NewJob]) -> int:
    added = await store.insert_imported_jobs(connection, jobs) if jobs else ()
    await _record(connection, {id_: (None, job.status) for id_, job in jobs.items() if id_ in added})
    return len(added)


async def _change(
    connection: Connection, known: Mapping[UUID, StoredContent], contents: Mapping[UUID, JobContent]
) -> int:
    if leaving := _list_leaving(known, contents):
        await store.lock_jobs(connection, [job.job for job in leaving])
        await store.leave_steps(connection, leaving)
    if contents:
        await store.update_jobs(connection, contents)
    await _record(connection, {id_: (known[id_].status, known[id_].status) for id_ in contents})
    return len(contents)


def _list_leaving(
    known: Mapping[UUID, StoredContent], contents: Mapping[UUID, JobContent]
) -> list[store.RemainingSteps]:
    """Return the jobs that lose steps, each with those that stay: who stands in the others leaves them before."""
    remaining = {id_: [step.id for step in content.etapas] for id_, content in contents.items()}
    return [
        store.RemainingSteps(id_, steps)
        for id_, steps in remaining.items()
        if any(step.id not in steps for step in known[id_].etapas)
    ]


async def _record(connection: Connection, moves: Mapping[UUID, tuple[str | None, str]]) -> None:
    """Enter in the histories what the import did, each with the state before and after."""
    if moves:
        events = [JobEvent(id_, before, EVENT, after, AUTHOR) for id_, (before, after) in moves.items()]
        await store.insert_job_events(connection, events)


_list_members = attrgetter(*JobContent.__struct_fields__)


def _says_same(stored: JobContent, content: JobContent) -> bool:
    """Tell whether both say the same, whatever the order of what has none."""
    return bool(_list_members(stored) == _list_members(content)) or _to_comparable(stored) == _to_comparable(content)


def _to_comparable(content: JobContent) -> list[Any]:
    """Return the members of the content, with what has no order of its own in one."""
    members = msgspec.structs.asdict(content)
    members |= {"tipos_pcd": sorted(content.tipos_pcd), "zonas": sorted(content.zonas)}
    members["idiomas_requisito"] = sorted(content.idiomas_requisito, key=lambda language: language.id_idioma)
    return [members[name] for name in JobContent.__struct_fields__]


IMPORTS = [Import("jobs", JobRow, write, batch=BATCH)]
