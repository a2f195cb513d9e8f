"""Imports jobs. Only new and changed jobs are written."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.clock import utc_now
from balcao.employability.hiring.content.merge import order_steps
from balcao.employability.hiring.content.rules import JobContent
from balcao.employability.hiring.departments import service as departments
from balcao.employability.hiring.listings import service as listings
from balcao.employability.hiring.listings.schemas import NewJob
from balcao.employability.hiring.listings.states import DRAFTS, JobStatus
from balcao.employability.hiring.transfer import store
from balcao.employability.hiring.transfer.schemas import ANY_ZONE, Instants, JobRow, iterate_part_ids, require_past


async def write_jobs(connection: Connection, rows: Sequence[JobRow]) -> int:
    """Write new and changed jobs, and return how many were written. A deleted job stays deleted."""
    zone = ZoneInfo(store.read_timezone(connection))
    last = {row.id: row for row in rows}
    present = await store.list_present_job_ids(connection, list(last))
    stored = await store.list_stored_contents(connection, list(present), utc_now()) if present else []
    known = {job.id: job for job in stored}
    new = {id_: _make_job(row, zone, None) for id_, row in last.items() if id_ not in present}
    again = {id_: _make_job(last[id_], zone, content).content for id_, content in known.items()}
    contents = [*again.values(), *[job.content for job in new.values()]]
    codes = {content.id_orgao_parceiro for content in contents}
    await departments.add_departments(connection, [code for code in codes if code is not None])
    added = await listings.insert_imported_jobs(connection, new) if new else 0
    changed = {id_: content for id_, content in again.items() if not _is_same_content(known[id_], content)}
    if changed:
        await listings.replace_imported_jobs(connection, known, changed)
    return added + len(changed)


async def list_missing_job_ids(call: Call, ids: Sequence[UUID]) -> set[UUID]:
    """Return the ids that belong to no job, not even a deleted one."""
    async with call.platform.database.connection() as connection:
        return set(ids) - await store.list_present_job_ids(connection, ids)


def _make_job(row: JobRow, zone: ZoneInfo, present: JobContent | None) -> NewJob:
    """Return the job that the row describes. Raises Invalid, for example if the row has an instant in the future.

    Known steps and questions keep their ids. New steps and questions get ids that are the same each time the row is
    read.
    """
    # Instants without offset are in the city's zone.
    instants = Instants(*[at.replace(tzinfo=zone) if at and at.tzinfo is ANY_ZONE else at for at in row.instants])
    require_past(instants)
    content = row.content
    if present is not None:
        content = msgspec.structs.replace(
            content,
            etapas=_assign_ids(row, "etapas", order_steps(row.etapas or ()), present),
            informacoes_complementares=_assign_ids(
                row, "informacoes_complementares", row.informacoes_complementares or (), present
            ),
        )
    content = msgspec.structs.replace(content, data_limite=instants.limit)
    made = instants.created_at or utc_now()
    status = JobStatus.ACTIVE if row.status is JobStatus.EXPIRED else row.status
    return NewJob(content, status, None if status in DRAFTS else instants.publicado_em or made, made)


def _assign_ids(row: JobRow, field: str, sent: Sequence[Any], present: JobContent) -> Sequence[Any]:
    """Return the row's steps or questions with their final ids. `sent` contains their bodies in the same order.

    - If no item has a known id, each item keeps the id that is derived from its position, as in earlier imports.
    - Otherwise, an item without a known id gets the id of an unused stored item with the same title, or a new id.
    """
    items: Sequence[Any] = getattr(row.content, field)
    known: Sequence[Any] = getattr(present, field)
    free = {str(item.id): item for item in known}
    named = [free.pop(str(body.id).strip().lower(), None) for body in sent] if free else []
    if not any(named):
        return items
    ids = {item.id for item in known}
    by_title = {item.titulo: item.id for item in free.values()}
    unused = (id_ for id_ in iterate_part_ids(row.id, field) if id_ not in ids)
    return [
        msgspec.structs.replace(item, id=one.id if one else by_title.pop(item.titulo, None) or next(unused))
        for item, one in zip(items, named, strict=True)
    ]


_list_members = attrgetter(*JobContent.__struct_fields__)


def _is_same_content(stored: JobContent, content: JobContent) -> bool:
    """Return whether both contents are equal. The order of disability types, zones and languages does not matter."""
    return bool(_list_members(stored) == _list_members(content)) or _to_comparable(stored) == _to_comparable(content)


def _to_comparable(content: JobContent) -> list[Any]:
    """Return the content's members. Lists whose order does not matter are sorted."""
    members = msgspec.structs.asdict(content)
    members |= {"tipos_pcd": sorted(content.tipos_pcd), "zonas": sorted(content.zonas)}
    members["idiomas_requisito"] = sorted(content.idiomas_requisito, key=lambda language: language.id_idioma)
    return [members[name] for name in JobContent.__struct_fields__]
