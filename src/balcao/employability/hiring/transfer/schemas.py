"""A line of the job import: the members of a POST body, and a few members that only a file can contain."""

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
# Accept instants up to this far in the future, because the former system's clock may be ahead of this machine's.
_LEEWAY = timedelta(minutes=5)


class JobRow(JobBody, kw_only=True, dict=True):
    """A job from the former system.

    `status` applies only to new jobs, because an import never changes a stored job's status.
    """

    id: UUID
    status: JobStatus = JobStatus.EDITING
    publicado_em: str | None = None
    created_at: str | None = None

    def __post_init__(self) -> None:
        """Validate the row like a request body. Raises Invalid if a member is not valid."""
        # The city's zone is not known here, so instants without offset get the placeholder ANY_ZONE. The ids of steps
        # and questions are derived from their positions.
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
        """Return the job's content. The zone of instants without an offset is ANY_ZONE."""
        found: JobContent = vars(self)["content"]
        return found

    @property
    def instants(self) -> "Instants":
        """Return the row's instants. The zone of instants without an offset is ANY_ZONE."""
        found: Instants = vars(self)["instants"]
        return found


class Instants(NamedTuple):
    """The instants in a row of the import: the job's deadline, publication and creation."""

    limit: datetime | None
    publicado_em: datetime | None
    created_at: datetime | None


def _parse_past(field: str, text: str) -> datetime:
    """Parse the instant of a publication or creation. A date without time means midnight.

    Raises Invalid if the string is malformed.
    """
    return parse_instant(field, text, ANY_ZONE, of_day=time.min)


def require_past(instants: Instants) -> None:
    """Raise Invalid if the publication or the creation is in the future."""
    latest = utc_now() + _LEEWAY
    for field, at in (("publicado_em", instants.publicado_em), ("created_at", instants.created_at)):
        if at is not None and at > latest:
            raise Invalid(f"O campo `{field}` está no futuro.")


# The ids of steps and questions are derived from these names. Never change the names, because databases contain these
# ids.
_PARTS = {"etapas": "etapa", "informacoes_complementares": "pergunta"}


def iterate_part_ids(job_id: UUID, field: str) -> Iterator[UUID]:
    """Yield an id for each position of a job's steps or questions. The ids are the same whenever the file is read."""
    space, part = uuid_utils.UUID(job_id.hex), _PARTS[field]  # computed once for all parts
    # `convert` takes half the time of a call of UUID().
    return (msgspec.convert(uuid_utils.uuid5(space, f"{part}:{place}").bytes, UUID) for place in count())
