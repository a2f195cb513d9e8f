"""Jobs are enqueued in the transaction that causes them, run by a worker, and dead-lettered if they keep failing.

The queue is the library pgqueuer. This module sets its schema and its retry policy. For a failure it stores only a
stable code, never the message of the exception, which could contain personal data.
"""

import asyncio
import dataclasses
import functools
import logging
import random
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from datetime import timedelta
from typing import Any, NamedTuple

import asyncpg
import msgspec
from pgqueuer import PgQueuer
from pgqueuer.adapters.persistence.qb import QueryBuilderEnvironment, QueryQueueBuilder, QuerySchedulerBuilder
from pgqueuer.db import AsyncpgDriver, Driver
from pgqueuer.domain.settings import DBSettings
from pgqueuer.errors import FailingListenerError, RetryRequested
from pgqueuer.executors import EntrypointExecutor, EntrypointExecutorParameters
from pgqueuer.models import Context, Job, Schedule, TracebackRecord
from pgqueuer.queries import Queries
from pgqueuer.types import Channel, QueueEntrypoint, QueueExecutionMode

from balcao.core.database import servers
from balcao.core.database.faults import LOST
from balcao.core.database.pool import Connection, Database
from balcao.core.database.statements import statement
from balcao.core.errors import BalcaoError
from balcao.core.jobs.driver import ListeningFirst
from balcao.core.jobs.pulse import Pulse
from balcao.core.logs import log
from balcao.core.tracing import TRACEPARENT, carry_trace, span

QUEUE_SCHEMA = "queue"
HEARTBEAT = timedelta(seconds=30)
# After these exceptions, `Worker.run` connects again.
_RECONNECT_ERRORS = (*LOST, asyncpg.PostgresError, BalcaoError, TimeoutError, FailingListenerError)
# NOTIFY announces a new job that is due, but not a job that was put back for later. So `drain` has to poll often.
_POLL, _DRAIN_POLL = timedelta(seconds=5), timedelta(seconds=0.1)
# The number of jobs that a worker fetches at a time.
BATCH = 10
# The maximum number of concurrent jobs. Jobs share the connection pool of the process, so more jobs would only wait for
# connections. The library requires at least two batches.
MOST_CONCURRENT = 2 * BATCH
# The number of the current job's current attempt, starting at 1.
this_try: ContextVar[int] = ContextVar("this_try", default=1)
_stopping: ContextVar[asyncio.Event | None] = ContextVar("stopping", default=None)


def is_stopping() -> bool:
    """Return whether the worker is stopping.

    A job that takes minutes should then end early and enqueue the rest of its work.
    """
    stopping = _stopping.get()
    return stopping is not None and stopping.is_set()


@functools.cache
def _names() -> DBSettings:
    return DBSettings(db_schema=QUEUE_SCHEMA, channel=Channel("balcao_queue"))


class _WorkerQueries(Queries):
    """The library's statements, with changes for which the library has no setting.

    `pulse` records each fetch of jobs.
    """

    pulse: Pulse

    async def dequeue(self, *args: Any, **kwargs: Any) -> list[Job]:
        """Return jobs to run, and record the fetch."""
        self.pulse.record_iteration()
        jobs = await super().dequeue(*args, **kwargs)
        self.pulse.fetch()
        return jobs

    async def queued_work(self, entrypoints: list[QueueEntrypoint]) -> int:
        """Return the number of due jobs, so that `drain` does not wait for jobs that are due later."""
        return await self.eligible_queued_work(entrypoints)

    async def retry_job(self, job: Job, delay: timedelta, traceback_record: TracebackRecord | None) -> None:
        """Put a job back into the queue. If it raised `Wait`, the attempt is not counted and no failure is logged.

        If the database is down, leave the job as it is. It runs again when its lease expires. If this raised an error,
        the library would dead-letter the job.
        """
        try:
            if traceback_record is not None and traceback_record.exception_type == _Uncounted.__name__:
                await self.driver.execute(_put_back_job.sql, *_put_back_job.bind([job.id, delay], {}))
            else:
                await super().retry_job(job, delay, traceback_record)
        except _RECONNECT_ERRORS as failure:
            log.warning("job.left", kind=job.entrypoint, code=failure_code(failure))


@statement(f"""
UPDATE {QUEUE_SCHEMA}.pgqueuer
SET status = 'queued', execute_after = now() + :delay, updated = now(), queue_manager_id = NULL
WHERE id = :job
""")  # noqa: S608 - a name of ours
async def _put_back_job(connection: Connection, job: int, delay: timedelta) -> None: ...


def queue_queries(driver: Driver, kind: type[Queries] = Queries) -> Queries:
    """Return the library's statements for our schema."""
    names = _names()
    return kind(driver, QueryBuilderEnvironment(names), QueryQueueBuilder(names), QuerySchedulerBuilder(names))


async def _keep_session(_: asyncpg.Connection) -> None:
    """Do nothing when a connection returns to the pool. The driver's RESET ALL would undo the session parameters."""


@dataclasses.dataclass(frozen=True)
class JobKind:
    """A kind of job that a worker runs. `run` gets the payload, which contains ids and never personal values.

    `run` must be idempotent. After the n-th failed attempt, the job waits `first_delay` * 2^(n-1), at most
    `longest_delay`, times a random factor from 0.5 to 1.5. After `attempts` failed attempts it is dead-lettered. A kind
    with `delays` waits for exactly these times, with an attempt after each of them.

    `max_concurrent` limits how many jobs of the kind run in all workers together; with 0, only the workers' own limit
    applies. With `cron` (UTC), the worker enqueues a job at those times.
    """

    name: str
    run: Callable[..., Awaitable[None]]
    attempts: int = 8
    first_delay: timedelta = timedelta(seconds=5)
    longest_delay: timedelta = timedelta(minutes=15)
    delays: Sequence[timedelta] = ()
    max_concurrent: int = 0
    cron: str | None = None

    @property
    def tries(self) -> int:
        """The number of failed attempts after which a job is dead-lettered."""
        return len(self.delays) + 1 if self.delays else self.attempts

    def delay(self, attempt: int) -> timedelta:
        """Return the delay after a failed attempt, including the jitter.

        `attempt` is the number of earlier attempts.
        """
        if self.delays:
            return self.delays[attempt]
        doubled = self.first_delay.total_seconds() * 2.0 ** min(attempt, 40)
        return timedelta(seconds=min(self.longest_delay.total_seconds(), doubled) * random.uniform(0.5, 1.5))  # noqa: S311 - jitter, no secret


class JobFailed(Exception):
    """The only fact about a failure that the queue stores: its code."""


def _is_news(record: logging.LogRecord) -> bool:
    """Return whether a log record of the library says more than our own log line `job.parked` has already said."""
    return not (record.exc_info and isinstance(record.exc_info[1], JobFailed))


logging.getLogger("pgqueuer").addFilter(_is_news)


class Retry(Exception):
    """Raised by a job that cannot be done yet. `delay` is used instead of the kind's delay if it is longer."""

    def __init__(self, code: str, delay: timedelta = timedelta(0)) -> None:
        super().__init__(code)
        self.code = code
        self.delay = delay


class PermanentFailure(Exception):
    """Raised by a job that no further attempt can complete. It is dead-lettered immediately."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Wait(Exception):
    """Raised by a job that must not start now. It is due again after `delay`, without using up an attempt."""

    def __init__(self, code: str, delay: timedelta) -> None:
        super().__init__(code)
        self.code = code
        self.delay = delay


class _Uncounted(RetryRequested):
    """A `Wait` as the library's exception."""


async def enqueue(
    connection: Connection, kind: str, payload: Mapping[str, Any], *, delay: timedelta | None = None
) -> int:
    """Enqueue a job in the caller's transaction, so that the job exists only if that commits. Return its id."""
    queries = queue_queries(AsyncpgDriver(connection))
    ids = await queries.enqueue(kind, encode_payload(payload), 0, delay, headers=carry_trace())
    return int(ids[0])


def enqueue_sql(kind: str, payload: str, delay: str, source: str) -> str:
    """Return two CTEs that enqueue a job for each row of `source`. `queued (id)` contains the jobs' ids.

    Use them in the statement that makes the change. `kind`, `payload` (encoded by `encode_payload`) and `delay` (an
    interval) are SQL expressions. The library's own statement accepts arrays but not a relation. A test compares the
    rows that both statements write. The queue's trigger notifies the workers once for each statement, however many rows
    the statement inserts.
    """
    return f"""
queued AS (
    INSERT INTO {QUEUE_SCHEMA}.pgqueuer (priority, entrypoint, payload, execute_after, status, headers)
    SELECT 0, {kind}, {payload}, now() + {delay}, 'queued', nullif(current_setting('balcao.trace', true), '')::jsonb
    FROM {source}
    RETURNING id, entrypoint, priority
), queue_logged AS (
    INSERT INTO {QUEUE_SCHEMA}.pgqueuer_log (job_id, status, entrypoint, priority)
    SELECT id, 'queued', entrypoint, priority FROM queued
)"""  # noqa: S608 - texts of our own stores


def withdraw_sql(job: str, source: str) -> str:
    """Return a DELETE that removes jobs from the queue. `job` is the SQL expression for their ids in `source`."""
    return f"DELETE FROM {QUEUE_SCHEMA}.pgqueuer USING {source} WHERE pgqueuer.id = {job}"  # noqa: S608 - as above


@statement(f"DELETE FROM {QUEUE_SCHEMA}.pgqueuer WHERE id = :job AND (status <> 'picked' OR :also_running)")  # noqa: S608
async def withdraw_job(connection: Connection, job: int, *, also_running: bool = False) -> bool:
    """Remove a job from the queue. Return False if a worker is running it, or if it no longer exists.

    `also_running` also removes a running job. It is for a job that has done its work but is not yet recorded as done.
    """


async def enqueue_if_absent(connection: Connection, kind: str) -> None:
    """Enqueue a job without payload, unless a job of its kind already waits or runs."""
    queries = queue_queries(AsyncpgDriver(connection))
    await queries.enqueue(kind, None, dedupe_key=kind, on_conflict="skip")


class NewJob(NamedTuple):
    """A job for `enqueue_sql`. `payload` is encoded by `encode_payload`."""

    kind: str
    payload: bytes


def encode_payload(payload: Mapping[str, Any]) -> bytes:
    """Encode the payload as the queue stores it. Jobs can be looked up by these bytes."""
    return msgspec.json.encode(payload)


class _Executor(EntrypointExecutor):
    """Runs the jobs of a kind. It retries or dead-letters a failed job, and discards the message of the failure."""

    def __init__(self, parameters: EntrypointExecutorParameters, kind: JobKind) -> None:
        super().__init__(parameters)
        self.kind = kind

    async def execute(self, job: Job, context: Context) -> None:
        try:
            await super().execute(job, context)
        except Exception as failure:
            raise self._classify(failure, job.attempts) from None

    def _classify(self, failure: Exception, attempts: int) -> Exception:
        """Return the exception that makes the library put the job back uncounted, retry it later, or dead-letter it."""
        code = failure_code(failure)
        if isinstance(failure, Wait):
            return _Uncounted(failure.delay, reason=code)
        if isinstance(failure, PermanentFailure) or attempts + 1 >= self.kind.tries:
            log.error("job.parked", kind=self.kind.name, code=code, tries=attempts + 1)
            return JobFailed(code)
        log.warning("job.retry", kind=self.kind.name, code=code, tries=attempts + 1)
        requested = failure.delay if isinstance(failure, Retry) else timedelta(0)
        return RetryRequested(max(self.kind.delay(attempts), requested), reason=code)


def failure_code(failure: Exception) -> str:
    """Return the stable code of a failure, never its text."""
    if isinstance(failure, (BalcaoError, Retry, PermanentFailure, Wait)):
        return failure.code
    return type(failure).__name__


class Worker:
    """A worker that runs jobs of the given kinds until it is stopped."""

    def __init__(self, database: Database, kinds: Iterable[JobKind], resources: Any) -> None:
        self._database = database
        self._kinds = list(kinds)
        self._resources = resources
        self._queue: PgQueuer | None = None
        self._stopping = asyncio.Event()
        self.pulse = Pulse()

    async def run(self) -> None:
        """Run jobs until `stop`. If the database is down, wait for it."""
        with self.pulse.publish():
            while not self._stopping.is_set():
                self.pulse.record_iteration()
                try:
                    await self._run_once()
                except _RECONNECT_ERRORS as failure:
                    log.warning("worker.reconnect", code=failure_code(failure))
                    await asyncio.sleep(1)

    def stop(self) -> None:
        """End `run` after the current jobs are done."""
        self._stopping.set()
        if self._queue is not None:
            self._queue.shutdown.set()

    async def drain(self) -> None:
        """Run all due jobs, including those that they enqueue, until no more are due."""
        await self._run_once(QueueExecutionMode.drain)

    async def _run_once(self, mode: QueueExecutionMode = QueueExecutionMode.continuous) -> None:
        database = self._database
        async with asyncpg.create_pool(
            database.url,
            connect=servers.connect_to_server,
            reset=_keep_session,
            min_size=2,
            max_size=4,
            command_timeout=30,
            **database.options,
        ) as pool:
            self._queue = self._assemble(pool)
            if mode is QueueExecutionMode.continuous:
                # The schedule only enqueues a recurring job, so that it is retried, dead-lettered and displayed like
                # any other job.
                for kind in self._kinds:
                    if kind.cron is not None:
                        self._queue.schedule(kind.name, kind.cron)(self._make_starter(kind))
            if not self._stopping.is_set():
                await self._queue.run(
                    dequeue_timeout=_DRAIN_POLL if mode is QueueExecutionMode.drain else _POLL,
                    batch_size=BATCH,
                    mode=mode,
                    max_concurrent_tasks=MOST_CONCURRENT,
                    heartbeat_timeout=HEARTBEAT,
                    shutdown_on_listener_failure=mode is QueueExecutionMode.continuous,
                )

    def _assemble(self, pool: asyncpg.Pool) -> PgQueuer:
        driver = ListeningFirst(pool)
        queries = queue_queries(driver, _WorkerQueries)
        assert isinstance(queries, _WorkerQueries)
        queries.pulse = self.pulse
        queue = PgQueuer(driver, _names().channel, queries=queries)
        for kind in self._kinds:
            queue.entrypoint(
                kind.name,
                accepts_context=False,
                concurrency_limit=kind.max_concurrent,
                on_failure="hold",
                executor_factory=functools.partial(_Executor, kind=kind),
            )(self._make_runner(kind))
        return queue

    def _make_starter(self, kind: JobKind) -> Callable[[Schedule], Awaitable[None]]:
        async def start(_: Schedule) -> None:
            async with self._database.connection() as connection:
                await enqueue_if_absent(connection, kind.name)

        return start

    def _make_runner(self, kind: JobKind) -> Callable[[Job], Awaitable[None]]:
        async def run(job: Job) -> None:
            this_try.set(job.attempts + 1)
            _stopping.set(self._stopping)
            parent = str((job.headers or {}).get(TRACEPARENT) or "")
            with span(kind.name, "CONSUMER", {"balcao.job": job.id, "balcao.try": job.attempts + 1}, parent):
                await kind.run(self._resources, msgspec.json.decode(job.payload or b"{}"))

        return run
