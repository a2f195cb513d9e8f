"""The recurring jobs, for operators: the kind, the schedule, the most recent start and the next start."""

from collections.abc import Iterable
from datetime import datetime

import msgspec
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Schedule

from balcao.core.database.pool import Connection
from balcao.core.jobs.worker import JobKind, queue_queries


class Recurring(msgspec.Struct, frozen=True):
    """A recurring job. `cron` is in UTC. Both times are None until a worker has started for the first time."""

    kind: str
    cron: str
    last: datetime | None
    next: datetime | None


async def list_recurring(connection: Connection, kinds: Iterable[JobKind]) -> list[Recurring]:
    """Return the recurring jobs among these kinds, sorted by name."""
    rows = await queue_queries(AsyncpgDriver(connection)).peek_schedule()
    known: dict[tuple[str, str], Schedule] = {(row.entrypoint, row.expression): row for row in rows}
    recurring = sorted((kind.name, kind.cron) for kind in kinds if kind.cron is not None)
    found = ((*kind, known.get(kind)) for kind in recurring)
    return [
        Recurring(name, cron, row.last_run if row else None, row.next_run if row else None) for name, cron, row in found
    ]
