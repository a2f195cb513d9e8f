"""A line of the import: a job with the members of a POST and what only a file says."""

from collections.abc import Iterator
from datetime import datetime, time, timedelta
from functools import partial
from itertools import count
from typing import NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec
import uuid_utils

from balcao.core.errors import Invalid
from balcao.core.values.clock import utc_now
from balcao.employability.hiring.content.merge import merge_job
from balcao.employability.hiring.content.rules import JobContent, list_missing, require_fields
from balcao.employability.hiring.content.schemas import JobBody
from balcao.employability.hiring.listings.states import JobStatus
from balcao.employability.instants import parse_instant

ANY_ZONE = ZoneInfo("UTC")
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
        # What the job consists of, with instants in any zone, and steps and questions under the ids of their places.
        content = merge_job(self, None, ANY_ZONE, partial(iterate_part_ids, self.id))
        if self.status is not JobStatus.EDITING:
            require_fields(list_missing(content))
        instants = Instants(
            content.data_limite,
            _parse_past("publicado_em", self.publicado_em) if self.publicado_em else None,
            _parse_past("created_at", self.created_at) if self.created_at else None,
        )
        require_past(instants)
        vars(self).update(content=content, instants=instants)

    @property
    def content(self) -> JobContent:
        """Return what the job consists of, instants without offset in any zone."""
        found: JobContent = vars(self)["content"]
        return found

    @property
    def instants(self) -> "Instants":
        """Return the row's instants, those without offset in any zone."""
        found: Instants = vars(self)["instants"]
        return found


class Instants(NamedTuple):
    """The instants that a row names."""

    limit: datetime | None
    publicado_em: datetime | None
    created_at: datetime | None


def _parse_past(field: str, text: str) -> datetime:
    """Return what has happened, a date alone at its midnight. Raises Invalid."""
    return parse_instant(field, text, ANY_ZONE, of_day=time.min)


def require_past(instants: Instants) -> None:
    """Raise Invalid for a past that is still to come."""
    latest = utc_now() + _LEEWAY
    for field, at in (("publicado_em", instants.publicado_em), ("created_at", instants.created_at)):
        if at is not None and at > latest:
            raise Invalid(f"O campo `{field}` está no futuro.")


# What the ids of steps and questions are made of, as they are in databases: never to be changed.
_PARTS = {"etapas": "etapa", "informacoes_complementares": "pergunta"}


def iterate_part_ids(job_id: UUID, field: str) -> Iterator[UUID]:
    """Yield the ids of a job's steps or questions by their place, the same ones whenever the file is read."""
    space, part = uuid_utils.UUID(job_id.hex), _PARTS[field]  # made once, and not for every part
    # In half of the time that the class itself takes.
    return (msgspec.convert(uuid_utils.uuid5(space, f"{part}:{place}").bytes, UUID) for place in count())
