"""The queue as an operator sees it: what waits, what failed and why, another try, or the end of a job.

Nothing here shows a person: of a payload only the ids, of a failure only its code.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job, Log
from pgqueuer.queries import Queries
from pgqueuer.types import JobId

from balcao.core.call import Call
from balcao.core.database import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.jobs import queue_queries

State = Literal["waiting", "running", "failed"]
STATES: Mapping[str, State] = {"queued": "waiting", "picked": "running", "failed": "failed"}
_STATUS = {state: status for status, state in STATES.items()}
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HIDDEN = "…"


class QueuedJob(msgspec.Struct, frozen=True):
    """`tries` counts those made; `due` is when the next one may start."""

    id: int
    kind: str
    state: State
    tries: int
    created: datetime
    due: datetime
    ids: dict[str, Any]


class Event(msgspec.Struct, frozen=True):
    """A step in a job's life; `code` is a failure's."""

    at: datetime
    state: str
    code: str | None


async def listed(
    connection: Connection,
    states: Sequence[State] = (),
    kinds: Sequence[str] = (),
    *,
    limit: int = 100,
    offset: int = 0,
) -> list[QueuedJob]:
    """Jobs that are not done, in the order in which they would run."""
    wanted: Any = [_STATUS[state] for state in states]
    found = await _queries(connection).browse_queue(limit, offset, wanted or None, list(kinds) or None)
    return [_shown(job) for job in found]


async def read(connection: Connection, number: int) -> tuple[QueuedJob, list[Event]]:
    """With its history, oldest first. Raises NotFound for one that is done or never was."""
    queries = _queries(connection)
    job = await _job(queries, number)
    return _shown(job), [_event(entry) for entry in await queries.job_log_history(job.id)]


async def retry(connection: Connection, number: int) -> None:
    """A failed job starts over, at once and with all its tries. Raises NotFound, Conflict when it has not failed."""
    queries = _queries(connection)
    job = await _job(queries, number)
    if job.status != "failed":
        raise Conflict(f"A tarefa {number} não falhou: ela já espera ou está em execução.", code="job-not-failed")
    await queries.requeue_jobs([job.id])


async def drop(connection: Connection, call: Call, number: int) -> None:
    """A job that nobody is to do any more leaves the queue; who and why (`call.reason`) stays in the audit trail.

    Raises NotFound, Conflict for one that is running.
    """
    queries = _queries(connection)
    job = await _job(queries, number)
    if job.status == "picked":
        raise Conflict(f"A tarefa {number} está em execução: espere que termine.", code="job-running")
    await call.platform.audit.record(connection, call, "delete", fields=[f"job:{job.entrypoint}"])
    await queries.log_jobs([(job, "deleted", None)])


def _queries(connection: Connection) -> Queries:
    return queue_queries(AsyncpgDriver(connection))


async def _job(queries: Queries, number: int) -> Job:
    job = await queries.queue_job_by_id(JobId(number))
    if job is None:
        raise NotFound(f"Não há tarefa {number} na fila.")
    return job


def _shown(job: Job) -> QueuedJob:
    state = STATES.get(job.status, "waiting")
    tries = job.attempts + (1 if state == "failed" else 0)
    return QueuedJob(job.id, job.entrypoint, state, tries, job.created, job.execute_after, _ids(job.payload))


def _ids(payload: bytes | None) -> dict[str, Any]:
    content: Any = msgspec.json.decode(payload or b"{}")
    return {str(name): _id(value) for name, value in content.items()} if isinstance(content, dict) else {}


def _id(value: Any) -> Any:
    """Row numbers and UUIDs are shown; anything else could be a person's."""
    small = isinstance(value, int) and abs(value) < 1_000_000_000
    return value if small or (isinstance(value, str) and _ID.fullmatch(value)) else _HIDDEN


def _event(entry: Log) -> Event:
    return Event(entry.created, entry.status, entry.traceback.exception_message if entry.traceback else None)
