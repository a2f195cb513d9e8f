"""The import of jobs: a line of JSON for each, with the members of a POST and what only a file says."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.imports.declaration import Import
from balcao.core.values.clock import utc_now
from balcao.employability.hiring.departments import service as departments
from balcao.employability.hiring.listings import store
from balcao.employability.hiring.listings.bodies import JobBody
from balcao.employability.hiring.listings.content import JobContent, content_of, list_missing, require_fields
from balcao.employability.hiring.listings.merge import merge
from balcao.employability.hiring.listings.states import DRAFTS, JobStatus
from balcao.employability.instants import parse_instant

AUTHOR = "Importação"
EVENT = "import"
# Three statements for each.
BATCH = 200
_ANY_ZONE = ZoneInfo("UTC")


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


def read_row(row: JobRow, zone: ZoneInfo) -> ReadRow:
    """Return what the row says; steps and questions get the same ids whenever it is read. Raises Invalid."""
    content = merge(row, None, zone)
    steps = [_renamed(row.id, "etapa", place, step) for place, step in enumerate(content.etapas)]
    questions = [
        _renamed(row.id, "pergunta", place, each) for place, each in enumerate(content.informacoes_complementares)
    ]
    made = parse_instant("created_at", row.created_at, zone) if row.created_at else utc_now()
    published = parse_instant("publicado_em", row.publicado_em, zone) if row.publicado_em else made
    status = JobStatus.ACTIVE if row.status is JobStatus.EXPIRED else row.status
    content = msgspec.structs.replace(content, etapas=steps, informacoes_complementares=questions)
    return ReadRow(content, status, None if status in DRAFTS else published, made)


def _renamed(job_id: UUID, what: str, place: int, item: Any) -> Any:
    return msgspec.structs.replace(item, id=uuid5(job_id, f"{what}:{place}"))


async def write(connection: Connection, rows: Sequence[JobRow]) -> int:
    """Write the jobs that are new or say something else; return how many. One that was deleted stays so."""
    zone = await store.read_zone(connection)
    found = {row.id: read_row(row, zone) for row in rows}
    codes = {row.content.id_orgao_parceiro for row in found.values()}
    await departments.add(connection, [code for code in codes if code is not None])
    return sum([await _write_row(connection, id_, row) for id_, row in found.items()])


async def _write_row(connection: Connection, id_: UUID, row: ReadRow) -> bool:
    if await store.import_new(connection, id_, row.content, row.status, row.published_at, row.created_at):
        await store.record(connection, id_, None, EVENT, row.status, AUTHOR, None)
        return True
    job = await store.read_any(connection, id_, utc_now())
    if job is None or _comparable(content_of(job)) == _comparable(row.content):
        return False
    await store.update(connection, id_, row.content)
    await store.record(connection, id_, job.status, EVENT, job.status, AUTHOR, None)
    return True


def _comparable(content: JobContent) -> JobContent:
    """Return the content with what has no order of its own in one."""
    languages = sorted(content.idiomas_requisito, key=lambda language: language.id_idioma)
    return msgspec.structs.replace(
        content, tipos_pcd=sorted(content.tipos_pcd), zonas=sorted(content.zonas), idiomas_requisito=languages
    )


IMPORTS = [Import("jobs", JobRow, write, batch=BATCH)]
