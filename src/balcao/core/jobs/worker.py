"""Jobs: enqueued in the transaction that causes them, run by a worker, dead-lettered when they cannot be done.

The queue itself is pgqueuer's; this module fixes its schema, its retry policy and what of a failure is stored:
never an exception's text, which could hold a person's data, only its stable code.
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
from pgqueuer.db import AsyncpgDriver, AsyncpgPoolDriver, Driver
from pgqueuer.domain.settings import DBSettings
from pgqueuer.errors import FailingListenerError, RetryRequested
from pgqueuer.executors import EntrypointExecutor, EntrypointExecutorParameters
from pgqueuer.models import Context, Job, Schedule, TracebackRecord
from pgqueuer.ports.driver import NotifyCallback
from pgqueuer.queries import Queries
from pgqueuer.types import Channel, QueueEntrypoint, QueueExecutionMode

from balcao.core.database import servers
from balcao.core.database.faults import LOST
from balcao.core.database.pool import Connection, Database
from balcao.core.database.statements import statement
from balcao.core.errors import BalcaoError
from balcao.core.jobs.pulse import Pulse
from balcao.core.logs import log
from balcao.core.tracing import TRACEPARENT, carry_trace, span

QUEUE_SCHEMA = "queue"
HEARTBEAT = timedelta(seconds=30)
_AWAY = (*LOST, asyncpg.PostgresError, BalcaoError, TimeoutError, FailingListenerError)
# A job that becomes due is announced by NOTIFY, one that is put back for later is not: `drain` has to poll often.
_POLL, _DRAIN_POLL = timedelta(seconds=5), timedelta(seconds=0.1)
BATCH = 10
# Jobs share the process's pool; more at once would only wait for each other's connections.
AT_ONCE = 2 * BATCH
# Which try of the job at hand this is; the first is 1.
this_try: ContextVar[int] = ContextVar("this_try", default=1)
_stopping: ContextVar[asyncio.Event | None] = ContextVar("stopping", default=None)


def is_stopping() -> bool:
    """Return whether the worker of the job at hand is to stop: a job that takes minutes then hands itself on."""
    stopping = _stopping.get()
    return stopping is not None and stopping.is_set()


@functools.cache
def _names() -> DBSettings:
    return DBSettings(db_schema=QUEUE_SCHEMA, channel=Channel("balcao_queue"))


class _WorkerQueries(Queries):
    """The library's statements, but for what it offers no setting for; `pulse` notes each question for jobs."""

    pulse: Pulse

    async def dequeue(self, *args: Any, **kwargs: Any) -> list[Job]:
        """Return jobs to run, as the library does."""
        self.pulse.turn()
        jobs = await super().dequeue(*args, **kwargs)
        self.pulse.fetch()
        return jobs

    async def queued_work(self, entrypoints: list[QueueEntrypoint]) -> int:
        """Return how much work is left for `drain`: what is due only later does not keep it waiting."""
        return await self.eligible_queued_work(entrypoints)

    async def retry_job(self, job: Job, delay: timedelta, traceback_record: TracebackRecord | None) -> None:
        """Put a job back; one that only waits uses no try and logs no failure."""
        if traceback_record is not None and traceback_record.exception_type == _Uncounted.__name__:
            await self.driver.execute(_put_back_job.sql, *_put_back_job.bind([job.id, delay], {}))
        else:
            await super().retry_job(job, delay, traceback_record)


@statement(f"""
UPDATE {QUEUE_SCHEMA}.pgqueuer
SET status = 'queued', execute_after = now() + :delay, updated = now(), queue_manager_id = NULL
WHERE id = :job
""")  # noqa: S608 - a name of ours
async def _put_back_job(connection: Connection, job: int, delay: timedelta) -> None: ...


class _ListeningFirst(AsyncpgPoolDriver):
    """Notifies only once it listens.

    The library probes its listener at once, on another connection: a probe that overtakes the LISTEN is lost.
    """

    def __init__(self, pool: asyncpg.Pool) -> None:
        super().__init__(pool)
        self._listening = asyncio.Event()

    async def add_listener(self, channel: str, callback: NotifyCallback) -> None:
        await super().add_listener(channel, callback)
        self._listening.set()

    async def notify(self, channel: str, payload: str) -> None:
        await self._listening.wait()
        await super().notify(channel, payload)


def queue_queries(driver: Driver, kind: type[Queries] = Queries) -> Queries:
    """Return the library's statements, bound to our schema."""
    names = _names()
    return kind(driver, QueryBuilderEnvironment(names), QueryQueueBuilder(names), QuerySchedulerBuilder(names))


@dataclasses.dataclass(frozen=True)
class JobKind:
    """What a worker runs under one name. `run` gets the payload: ids, never a person's values.

    It must be idempotent. Try n waits `first_delay` * 2^(n-1), at most `longest_delay`, times a random 0.5 to 1.5;
    after `attempts` tries the job is dead-lettered. A kind with `delays` waits exactly these, and has a try after each.
    `at_once` bounds how many run, in all workers together; 0 leaves it to the workers. With `cron` (UTC) the worker
    enqueues one at those times.
    """

    name: str
    run: Callable[..., Awaitable[None]]
    attempts: int = 8
    first_delay: timedelta = timedelta(seconds=5)
    longest_delay: timedelta = timedelta(minutes=15)
    delays: Sequence[timedelta] = ()
    at_once: int = 0
    cron: str | None = None

    @property
    def tries(self) -> int:
        """Return how many tries a job has before it is dead-lettered."""
        return len(self.delays) + 1 if self.delays else self.attempts

    def delay(self, attempt: int) -> timedelta:
        """Return how long the next try waits after `attempt` earlier ones, the jitter included."""
        if self.delays:
            return self.delays[attempt]
        doubled = self.first_delay.total_seconds() * 2.0 ** min(attempt, 40)
        return timedelta(seconds=min(self.longest_delay.total_seconds(), doubled) * random.uniform(0.5, 1.5))  # noqa: S311 - jitter, no secret


class JobFailed(Exception):
    """What the queue stores of a failure: its code."""


def _is_news(record: logging.LogRecord) -> bool:
    """Return whether a record of the library's tells what `job.parked` has not told."""
    return not (record.exc_info and isinstance(record.exc_info[1], JobFailed))


logging.getLogger("pgqueuer").addFilter(_is_news)


class Retry(Exception):
    """Raised by a job that cannot be done yet; `delay` replaces the kind's own when longer."""

    def __init__(self, code: str, delay: timedelta = timedelta(0)) -> None:
        super().__init__(code)
        self.code = code
        self.delay = delay


class Park(Exception):
    """Raised by a job that no further try can do: it is dead-lettered at once."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Wait(Exception):
    """Raised by a job that must not begin now: it comes back after `delay`, and no try is used."""

    def __init__(self, code: str, delay: timedelta) -> None:
        super().__init__(code)
        self.code = code
        self.delay = delay


class _Uncounted(RetryRequested):
    """A `Wait`, as the library understands it."""


async def enqueue(
    connection: Connection, kind: str, payload: Mapping[str, Any], *, delay: timedelta | None = None
) -> int:
    """Enqueue a job in the caller's transaction: it exists if and only if that commits. Return its id."""
    queries = queue_queries(AsyncpgDriver(connection))
    ids = await queries.enqueue(kind, encode_payload(payload), 0, delay, headers=carry_trace())
    return int(ids[0])


def enqueue_sql(kind: str, payload: str, delay: str, source: str) -> str:
    """Return the text of two CTEs that enqueue a job for each row of `source`; `queued (id)` has the jobs' ids.

    For a store that writes and enqueues in one statement. `kind`, `payload` (what `encode_payload` made) and `delay`
    (an interval) are SQL expressions. The library's own statement takes arrays and no relation; a test compares what
    the two write. However many rows it is, the queue's trigger wakes the workers once for the statement.
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
    """Return the text of a DELETE that takes the jobs out of the queue whose ids are `job` in the rows of `source`."""
    return f"DELETE FROM {QUEUE_SCHEMA}.pgqueuer USING {source} WHERE pgqueuer.id = {job}"  # noqa: S608 - as above


@statement(f"DELETE FROM {QUEUE_SCHEMA}.pgqueuer WHERE id = :job AND (status <> 'picked' OR :also_running)")  # noqa: S608
async def withdraw_job(connection: Connection, job: int, *, also_running: bool = False) -> bool:
    """Take a job out of the queue; return False when a worker is running it.

    `also_running` is for a job that has done its work and whose end is only not written down yet.
    """


async def enqueue_alone(connection: Connection, kind: str) -> None:
    """Enqueue a job without payload, unless one of its kind waits or runs already."""
    queries = queue_queries(AsyncpgDriver(connection))
    await queries.enqueue(kind, None, dedupe_key=kind, on_conflict="skip")


class NewJob(NamedTuple):
    """A job that `enqueue_sql` enqueues: `payload` is what `encode_payload` made."""

    kind: str
    payload: bytes


def encode_payload(payload: Mapping[str, Any]) -> bytes:
    """Return the payload as the queue stores it: a job is found again by these bytes."""
    return msgspec.json.encode(payload)


class _Executor(EntrypointExecutor):
    """Runs one job of a kind; turns failures into a later try or a dead-lettered job, stripped of their text."""

    def __init__(self, parameters: EntrypointExecutorParameters, kind: JobKind) -> None:
        super().__init__(parameters)
        self.kind = kind

    async def execute(self, job: Job, context: Context) -> None:
        try:
            await super().execute(job, context)
        except Exception as failure:
            raise self._classify(failure, job.attempts) from None

    def _classify(self, failure: Exception, attempts: int) -> Exception:
        """Return what the library is to do: put the job back uncounted, try it again later, or hold it as dead."""
        code = failure_code(failure)
        if isinstance(failure, Wait):
            return _Uncounted(failure.delay, reason=code)
        if isinstance(failure, Park) or attempts + 1 >= self.kind.tries:
            log.error("job.parked", kind=self.kind.name, code=code, tries=attempts + 1)
            return JobFailed(code)
        log.warning("job.retry", kind=self.kind.name, code=code, tries=attempts + 1)
        requested = failure.delay if isinstance(failure, Retry) else timedelta(0)
        return RetryRequested(max(self.kind.delay(attempts), requested), reason=code)


def failure_code(failure: Exception) -> str:
    """Return the stable code of a failure, never its text."""
    if isinstance(failure, (BalcaoError, Retry, Park, Wait)):
        return failure.code
    return type(failure).__name__


class Worker:
    """Runs jobs of the given kinds until it is stopped."""

    def __init__(self, database: Database, kinds: Iterable[JobKind], resources: Any) -> None:
        self._database = database
        self._kinds = list(kinds)
        self._resources = resources
        self._queue: PgQueuer | None = None
        self._stopping = asyncio.Event()
        self.pulse = Pulse()

    async def run(self) -> None:
        """Run jobs until `stop`; a lost database is waited for, not died of."""
        with self.pulse.shown():
            while not self._stopping.is_set():
                self.pulse.turn()
                try:
                    await self._run_once()
                except _AWAY as failure:
                    log.warning("worker.reconnect", code=failure_code(failure))
                    await asyncio.sleep(1)

    def stop(self) -> None:
        """End `run` once the jobs at hand are done."""
        self._stopping.set()
        if self._queue is not None:
            self._queue.shutdown.set()

    async def drain(self) -> None:
        """Run what is due, and what that enqueues, until nothing more is due."""
        await self._run_once(QueueExecutionMode.drain)

    async def _run_once(self, mode: QueueExecutionMode = QueueExecutionMode.continuous) -> None:
        database = self._database
        async with asyncpg.create_pool(
            database.url,
            connect=servers.connect_to_server,
            min_size=2,
            max_size=4,
            command_timeout=30,
            **database.options,
        ) as pool:
            self._queue = self._assemble(pool)
            if mode is QueueExecutionMode.continuous:
                # Enqueued by the clock, so that they are tried, dead-lettered and shown like any other job.
                for kind in self._kinds:
                    if kind.cron is not None:
                        self._queue.schedule(kind.name, kind.cron)(self._make_starter(kind))
            if not self._stopping.is_set():
                await self._queue.run(
                    dequeue_timeout=_DRAIN_POLL if mode is QueueExecutionMode.drain else _POLL,
                    batch_size=BATCH,
                    mode=mode,
                    max_concurrent_tasks=AT_ONCE,
                    heartbeat_timeout=HEARTBEAT,
                    shutdown_on_listener_failure=mode is QueueExecutionMode.continuous,
                )

    def _assemble(self, pool: asyncpg.Pool) -> PgQueuer:
        driver = _ListeningFirst(pool)
        queries = queue_queries(driver, _WorkerQueries)
        assert isinstance(queries, _WorkerQueries)
        queries.pulse = self.pulse
        queue = PgQueuer(driver, _names().channel, queries=queries)
        for kind in self._kinds:
            queue.entrypoint(
                kind.name,
                accepts_context=False,
                concurrency_limit=kind.at_once,
                on_failure="hold",
                executor_factory=functools.partial(_Executor, kind=kind),
            )(self._make_runner(kind))
        return queue

    def _make_starter(self, kind: JobKind) -> Callable[[Schedule], Awaitable[None]]:
        async def start(_: Schedule) -> None:
            async with self._database.connection() as connection:
                await enqueue_alone(connection, kind.name)

        return start

    def _make_runner(self, kind: JobKind) -> Callable[[Job], Awaitable[None]]:
        async def run(job: Job) -> None:
            this_try.set(job.attempts + 1)
            _stopping.set(self._stopping)
            parent = str((job.headers or {}).get(TRACEPARENT) or "")
            with span(kind.name, "CONSUMER", {"balcao.job": job.id, "balcao.try": job.attempts + 1}, parent):
                await kind.run(self._resources, msgspec.json.decode(job.payload or b"{}"))

        return run
