"""The queue for operators: list waiting and failed jobs with their reasons, and retry or drop the jobs.

A job that has failed permanently is dead-lettered. No function returns personal data: the queue stores only the code of
a failure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries
from pgqueuer.types import JobId

from balcao.core.database.pool import Connection, Row
from balcao.core.database.statements import statement
from balcao.core.errors import Conflict, NotFound
from balcao.core.jobs.worker import QUEUE_SCHEMA, encode_payload, queue_queries

State = Literal["queued", "running", "dead"]
LAST_TRIES = 10
_STATUSES: Mapping[State, str] = {"queued": "queued", "running": "picked", "dead": "failed"}
_STATES: Mapping[str, State] = {status: state for state, status in _STATUSES.items()}


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job in the queue. `attempts` is the number of attempts since it was last enqueued. `payload` contains ids."""

    id: int
    kind: str
    state: State
    attempts: int
    due: datetime
    first_failed_at: datetime | None
    last_failed_at: datetime | None
    error_code: str | None
    payload: Mapping[str, Any]

    @classmethod
    def from_row(cls, row: Row) -> "QueuedJob":
        """Create a job from a row of the query `_JOB`."""
        state = _STATES.get(row["status"], "queued")
        payload = msgspec.json.decode(row["payload"] or b"{}")
        return cls(
            id=row["id"],
            kind=row["entrypoint"],
            state=state,
            attempts=row["attempts"] + (1 if state == "dead" else 0),
            due=row["execute_after"],
            first_failed_at=row["first_at"],
            last_failed_at=row["last_at"],
            error_code=row["code"],
            payload=payload if isinstance(payload, dict) else {},
        )


class Try(msgspec.Struct, frozen=True):
    """A failed attempt. `status` is the HTTP status of another system's response. `duration` is in seconds."""

    time: Annotated[datetime, Meta(description="Quando falhou (RFC 3339).", examples=["2026-03-02T12:30:00Z"])]
    status: Annotated[
        int | None, Meta(description="Status que o outro sistema respondeu, se respondeu.", examples=[400])
    ]
    code: Annotated[str | None, Meta(description="Código da falha.", examples=["STRING_TOO_LONG"])]
    duration: Annotated[float | None, Meta(description="Duração, em segundos.", examples=[0.214])]


@dataclass(frozen=True, slots=True)
class JobFilters:
    """Filters for jobs. Empty `states`, empty `kinds` and members that are None match every job.

    `payloads` are pairs of a job kind and the first members of a payload. Empty `payloads` match no job.
    """

    states: Sequence[State] = ()
    kinds: Sequence[str] = ()
    error_code: str | None = None
    payloads: Sequence[tuple[str, Mapping[str, Any]]] | None = field(default=None)

    @property
    def statuses(self) -> list[str] | None:
        """The states to match, by the queue's own names, or None to match every state."""
        return [_STATUSES[state] for state in self.states] or None

    @property
    def entrypoints(self) -> list[str] | None:
        """The kinds to match, or None to match every kind."""
        return list(self.kinds) or None

    @property
    def prefixes(self) -> list[str] | None:
        """The prefixes to match, each consisting of a kind and an encoded payload, or None to match every job.

        The closing brace of each payload is left out, so that further members may follow.
        """
        if self.payloads is None:
            return None
        return [f"{kind}:{encode_payload(members)[:-1].hex()}" for kind, members in self.payloads]


# The failures since the job was last enqueued by our code. When the queue itself retries a job, it also logs `queued`,
# but with a traceback.
_FAILURES = f"""
    SELECT min(created) AS first_at, max(created) AS last_at,
           (array_agg(traceback ->> 'exception_message' ORDER BY id DESC))[1] AS code
    FROM {QUEUE_SCHEMA}.pgqueuer_log
    WHERE job_id = job.id AND traceback IS NOT NULL AND id > coalesce((
        SELECT max(id) FROM {QUEUE_SCHEMA}.pgqueuer_log
        WHERE job_id = job.id AND status = 'queued' AND traceback IS NULL), 0)
"""  # noqa: S608
_FILTERS = f"""
    (:statuses::text[] IS NULL OR job.status = ANY (:statuses::text[]::{QUEUE_SCHEMA}.pgqueuer_status[]))
    AND (:entrypoints::text[] IS NULL OR job.entrypoint = ANY (:entrypoints))
    AND (:error_code::text IS NULL OR (SELECT code FROM ({_FAILURES}) AS failures) = :error_code)
    AND (:prefixes::text[] IS NULL OR EXISTS (
        SELECT FROM unnest(:prefixes) AS prefix
        WHERE starts_with(job.entrypoint || ':' || encode(job.payload, 'hex'), prefix)))
"""  # noqa: S608
_JOB = f"""
SELECT job.id, job.entrypoint, job.status::text, job.attempts, job.execute_after, job.payload, failures.*
FROM {QUEUE_SCHEMA}.pgqueuer AS job CROSS JOIN LATERAL ({_FAILURES}) AS failures
"""  # noqa: S608


class Tally(msgspec.Struct, frozen=True):
    """The number of jobs of a kind in each state."""

    queued: int
    running: int
    dead: int


@statement(f"""
SELECT (SELECT count(*) FROM {QUEUE_SCHEMA}.pgqueuer WHERE entrypoint = :kind AND status = 'queued') AS queued,
       (SELECT count(*) FROM {QUEUE_SCHEMA}.pgqueuer WHERE entrypoint = :kind AND status = 'picked') AS running,
       (SELECT count(*) FROM {QUEUE_SCHEMA}.pgqueuer WHERE entrypoint = :kind AND status = 'failed') AS dead
""")  # noqa: S608
async def tally_jobs(connection: Connection, kind: str) -> Tally: ...


@statement(f"SELECT count(*) FROM {QUEUE_SCHEMA}.pgqueuer AS job WHERE {_FILTERS}")  # noqa: S608
async def count_matching_jobs(connection: Connection, filters: JobFilters) -> int: ...


@statement(f"{_JOB} WHERE {_FILTERS} ORDER BY job.updated, job.id LIMIT :limit OFFSET :offset")
async def list_queued_jobs(
    connection: Connection, filters: JobFilters, *, limit: int = 100, offset: int = 0
) -> list[QueuedJob]:
    """Return the matching jobs that are not done. The job that has not changed for the longest time comes first."""


async def read_queued_job(connection: Connection, number: int) -> QueuedJob:
    """Return a job. Raises NotFound if it is done or never existed."""
    job = await _find_job(connection, number)
    if job is None:
        raise NotFound(f"Não há tarefa {number} na fila.", code="job-unknown")
    return job


@statement(f"{_JOB} WHERE job.id = :number")
async def _find_job(connection: Connection, number: int) -> QueuedJob | None: ...


async def list_tries(connection: Connection, number: int) -> list[Try]:
    """Return the most recent failed attempts, newest first."""
    return await _list_tries(connection, number, LAST_TRIES)


@statement(f"""
SELECT created AS time, NULL::int AS status, traceback ->> 'exception_message' AS code,
       extract(epoch FROM created - picked)::float AS duration
FROM (
    SELECT created, traceback, id,
           CASE WHEN lag(status) OVER steps = 'picked' THEN lag(created) OVER steps END AS picked
    FROM {QUEUE_SCHEMA}.pgqueuer_log WHERE job_id = :number WINDOW steps AS (ORDER BY id)
) AS history
WHERE traceback IS NOT NULL ORDER BY id DESC LIMIT :most
""")  # noqa: S608
async def _list_tries(connection: Connection, number: int, most: int) -> list[Try]: ...


async def lock_dead_job(connection: Connection, number: int) -> QueuedJob:
    """Return a dead job, locked until the transaction ends.

    Raises NotFound if the job is unknown, or Conflict if it is not dead.
    """
    await _lock_job(connection, number)
    job = await read_queued_job(connection, number)
    if job.state != "dead":
        raise Conflict(f"A tarefa {number} não falhou: ela espera ou está em execução.", code="job-not-dead")
    return job


@statement(f"""
SELECT id FROM {QUEUE_SCHEMA}.pgqueuer
WHERE entrypoint = :kind AND payload = :payload AND status = 'failed' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
""")  # noqa: S608
async def lock_dead_job_of(connection: Connection, kind: str, payload: bytes) -> int | None:
    """Return the number of a dead job with exactly this payload, locked until the transaction ends."""


@statement(f"SELECT FROM {QUEUE_SCHEMA}.pgqueuer WHERE id = :number FOR UPDATE")
async def _lock_job(connection: Connection, number: int) -> None: ...


@statement(f"""
SELECT job.id FROM {QUEUE_SCHEMA}.pgqueuer AS job
WHERE {_FILTERS} ORDER BY job.updated, job.id LIMIT :limit FOR UPDATE OF job SKIP LOCKED
""")  # noqa: S608
async def lock_matching_jobs(connection: Connection, filters: JobFilters, limit: int) -> list[int]:
    """Return the numbers of the matching jobs, oldest first, locked until the transaction ends.

    Jobs that another transaction has locked are skipped.
    """


async def retry_jobs(connection: Connection, numbers: Sequence[int]) -> None:
    """Retry dead jobs immediately. Their counts of attempts restart at zero."""
    await _queries(connection).requeue_jobs([JobId(number) for number in numbers])


@statement(f"""
SELECT id FROM {QUEUE_SCHEMA}.pgqueuer WHERE status = 'failed' AND updated <= now() - :age::interval ORDER BY id
""")  # noqa: S608
async def list_jobs_dead_for(connection: Connection, age: timedelta) -> list[int]:
    """Return the numbers of the jobs that have been dead-lettered for at least this long."""


async def drop_queued_job(connection: Connection, number: int) -> None:
    """Delete a job from the queue and log its deletion."""
    queries = _queries(connection)
    if job := await queries.queue_job_by_id(JobId(number)):
        # This statement of the library logs the deletion and deletes the job.
        await queries.log_jobs([(job, "deleted", None)])


async def count_jobs(connection: Connection) -> list[tuple[str, State, int]]:
    """Return kinds, states and numbers of jobs. The same kind and state may occur in several rows."""
    counted = await _queries(connection).queue_size()
    return [(each.entrypoint, _STATES[each.status], each.count) for each in counted if each.status in _STATES]


def dead_sql(kind: str) -> str:
    """Return a SELECT that lists the dead jobs of a kind: `id`, and `payload` as jsonb.

    With it, stores distinguish work that still waits from work that was given up.
    """
    return _jobs_sql(kind, "'failed'")


def pending_sql(kind: str) -> str:
    """Return a SELECT that lists the waiting and running jobs of a kind, with the same columns as `dead_sql`."""
    return _jobs_sql(kind, "'queued', 'picked'")


def oldest_sql(kind: str) -> str:
    """Return a SELECT of how many seconds ago the oldest waiting or running job of a kind was enqueued, or NULL."""
    return f"""
SELECT extract(epoch FROM clock_timestamp() - min(created))::float8 FROM {QUEUE_SCHEMA}.pgqueuer
WHERE status IN ('queued', 'picked') AND entrypoint = '{kind}'
"""  # noqa: S608 - texts of our own stores


def _jobs_sql(kind: str, statuses: str) -> str:
    return f"""
SELECT id, convert_from(payload, 'UTF8')::jsonb AS payload FROM {QUEUE_SCHEMA}.pgqueuer
WHERE status IN ({statuses}) AND entrypoint = '{kind}'
"""  # noqa: S608 - texts of our own stores


@statement(f"""
SELECT entrypoint, extract(epoch FROM now() - min(execute_after))::float8
FROM {QUEUE_SCHEMA}.pgqueuer WHERE status = 'queued' AND execute_after <= now() GROUP BY entrypoint
""")  # noqa: S608 - a constant
async def find_oldest_due(connection: Connection) -> Mapping[str, float]:
    """Return how many seconds the oldest due job of each kind has waited."""


def _queries(connection: Connection) -> Queries:
    return queue_queries(AsyncpgDriver(connection))


@statement("SELECT count(*) FROM queue.pgqueuer_log WHERE :kind::text IS NULL OR entrypoint = :kind")
async def count_log_entries(connection: Connection, kind: str | None = None) -> int:
    """Return the number of log entries, for one kind of job or for all."""


@statement("""
DELETE FROM queue.pgqueuer_log
WHERE created <= now() - :age::interval AND (:kind::text IS NULL OR entrypoint = :kind)
""")
async def delete_log_entries(connection: Connection, age: timedelta, kind: str | None = None) -> int:
    """Delete log entries of this age, for one kind of job or for all. Return the number of deleted entries."""
