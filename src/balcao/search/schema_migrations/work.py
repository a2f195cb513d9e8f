"""The worker's part of a migration, from an empty target table to the switch (rules: search 4.4).

Each step commits separately, and only if this worker still holds the run. If the worker dies or loses its lease, the
next worker continues the run.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta

from balcao.core.context.platform import Platform
from balcao.core.database.faults import Locked, StatementImpossible
from balcao.core.database.pool import Connection, Database
from balcao.core.errors import BalcaoError, Unavailable
from balcao.core.jobs.worker import enqueue, is_stopping
from balcao.core.logs import log
from balcao.core.values.ids import new_id
from balcao.search.collection import service as collection
from balcao.search.collection.store import (
    analyze_collection_table,
    compare_chunk,
    count_collection_rows,
    count_refused_rows,
    describe_collection_table,
    list_refused_rows,
    read_alias,
)
from balcao.search.control_queries import service as control_queries
from balcao.search.schema_migrations import work_store as store
from balcao.search.schema_migrations.schemas import Verification
from balcao.search.schema_migrations.states import Phase
from balcao.search.schema_migrations.work_store import RunUnderWay

WORK_JOB = "search.continue_migration"

# The run fails if more than this number of workers are lost in a row without progress.
MOST_RESUMES = 5
# The target table of a failed run is retained for a day, so that staff can look for the cause.
KEPT_AFTER_FAILURE = timedelta(hours=24)

# The number of rows in a chunk. A writer may have to wait for a whole chunk, so a slow chunk halves the size and a fast
# one doubles it.
FIRST_CHUNK, SMALLEST_CHUNK, LARGEST_CHUNK = 50, 10, 1000
SLOW_CHUNK, FAST_CHUNK = timedelta(milliseconds=80), timedelta(milliseconds=30)
COMPARED_AT_ONCE = 2000

# If writers hold a lock, the step fails after a short wait. The worker pauses and tries again, for up to ten minutes.
LOCK_ATTEMPTS_SECONDS = 600.0
PAUSE_SECONDS = 1.0


_PLACES: Mapping[Phase, str] = {
    "preparing": "na preparação",
    "back_fill": "na cópia",
    "indexing": "na indexação",
    "verifying": "na verificação",
    "switching": "na troca",
}


class RunFailed(Exception):
    """The run cannot continue. Staff see the text."""


class RunLost(Exception):
    """The run has ended or another worker has taken it."""


async def carry_on(platform: Platform, run_id: str) -> timedelta | None:
    """Claim a run and continue it until it ends or this process stops.

    If another worker has the run, return the rest of its lease, otherwise None. The run uses its own pool with two
    connections, so that it takes no connection from requests.
    """
    lease = timedelta(seconds=platform.settings.search_migration_lease)
    database = platform.database.separate_pool(2)
    await database.open()
    try:
        async with database.connection() as connection:
            run = await _claim(connection, run_id, lease)
            if run is None:
                return await store.read_lease(connection, run_id)
            window = timedelta(hours=platform.settings.search_rollback_hours)
            worker = MigrationWorker(connection, run, lease, window)
            async with _renewing(database, worker):
                while not is_stopping() and await worker.step():
                    continue
            if is_stopping():
                async with connection.transaction():
                    await store.release_run(connection, run)
                    await enqueue(connection, WORK_JOB, {"run": run.id})
        return None
    finally:
        await database.close()


async def _claim(connection: Connection, run_id: str, lease: timedelta) -> RunUnderWay | None:
    """Claim the run. Enqueue a job that continues it after the lease, in case this worker is lost."""
    async with connection.transaction():
        run = await store.claim_run(connection, run_id, new_id(), lease)
        if run is not None:
            await enqueue(connection, WORK_JOB, {"run": run_id}, delay=lease)
        return run


@asynccontextmanager
async def _renewing(database: Database, worker: "MigrationWorker") -> AsyncIterator[None]:
    """Renew the lease during the block, because a step may take longer than the lease."""
    renewing = asyncio.create_task(_renew(database, worker))
    try:
        yield
    finally:
        renewing.cancel()
        await asyncio.gather(renewing, return_exceptions=True)


async def _renew(database: Database, worker: "MigrationWorker") -> None:
    while True:
        await asyncio.sleep(worker.lease.total_seconds() / 6)
        try:
            async with database.connection() as connection:
                if not await store.renew_lease(connection, worker.run, worker.lease, worker.progress):
                    return
        except Unavailable as fault:  # the lease outlasts several failures
            log.warning("search.migration.renewal", code=fault.code)


class MigrationWorker:
    """A worker that holds a run. No other task uses `connection`.

    After the switch, the former table still receives every write for as long as `window`. `progress` includes the
    finished part of the current step.
    """

    def __init__(self, connection: Connection, run: RunUnderWay, lease: timedelta, window: timedelta) -> None:
        self.run = run
        self.lease = lease
        self._window = window
        self.progress = run.progress
        self._connection = connection
        self._chunk = FIRST_CHUNK
        self._waiting_since: float | None = None
        self._steps: Mapping[Phase, Callable[[], Awaitable[None]]] = {
            "preparing": self._prepare,
            "back_fill": self._copy_chunk,
            "indexing": self._index,
            "verifying": self._verify,
            "switching": self._switch,
        }

    async def step(self) -> bool:
        """Run the next chunk or phase. Return false if this worker has nothing left to do."""
        present = await store.read_run_under_way(self._connection, self.run)
        if present is None:
            return False
        self.run = present
        try:
            await self._check_run()
            await self._steps[present.phase]()
            self._waiting_since = None
        except RunLost:
            return False
        except RunFailed as failure:
            await self._fail(str(failure))
        except Locked:
            await self._give_way()
        except StatementImpossible as fault:
            log.error("search.migration.failed", phase=present.phase, code=fault.sqlstate)
            await self._fail(f"o banco de dados recusou (SQLSTATE {fault.sqlstate})")
        return True

    async def _check_run(self) -> None:
        """Raise RunFailed if the target has refused a row or too many workers have been lost."""
        if self.run.resumes > MOST_RESUMES:
            raise RunFailed(f"{self.run.resumes} retomadas seguidas sem avanço")
        if count := await count_refused_rows(self._connection, self.run.target_collection):
            refused = await list_refused_rows(self._connection, self.run.target_collection)
            raise RunFailed(_describe_rows("não puderam ser convertidos", count, [row.service_id for row in refused]))

    async def _prepare(self) -> None:
        """Make the target the mirror. This closes the rollback window of an earlier migration."""
        alias = await read_alias(self._connection)
        async with self._connection.transaction():
            await store.end_windows(self._connection)
            if alias.mirror == self.run.target_collection:
                # The target is already a complete mirror, so there is nothing to copy.
                await self._advance("indexing", 91)
            else:
                await self._advance("back_fill", 1)
                await collection.open_mirror(self._connection, self.run.target_collection)

    async def _copy_chunk(self) -> None:
        copied = await store.copy_chunk(self._connection, self.run, self._chunk, self.lease)
        if copied is None:
            raise RunLost
        rows, took = copied
        if rows < self._chunk:
            await self._advance("indexing", 91)
        elif took > SLOW_CHUNK:
            self._chunk = max(self._chunk // 2, SMALLEST_CHUNK)
        elif took < FAST_CHUNK:
            self._chunk = min(self._chunk * 2, LARGEST_CHUNK)

    async def _index(self) -> None:
        """Count the copied rows and update the planner statistics. The indexes were created with the table."""
        rows = await count_collection_rows(self._connection, self.run.target_collection)
        await store.correct_counts(self._connection, self.run, rows)
        await analyze_collection_table(self._connection, self.run.target_collection)
        await self._advance("verifying", 94)

    async def _verify(self) -> None:
        """Compare the tables row by row in one snapshot, because equal counts would prove nothing."""
        source, target = self.run.source_collection, self.run.target_collection
        differing: list[str] = []
        compared, after = 0, None
        async with self._connection.transaction(isolation="repeatable_read", readonly=True):
            total = await count_collection_rows(self._connection, source)
            while compared == 0 or after is not None:
                found, after = await compare_chunk(self._connection, source, target, after, COMPARED_AT_ONCE)
                differing += found
                compared += COMPARED_AT_ONCE
                self.progress = 94 + min(4, 4 * compared // max(total, 1))
        await store.record_verification(self._connection, self.run, Verification(total, len(differing)))
        if differing:
            raise RunFailed(_describe_rows("ficaram diferentes", len(differing), differing))
        await self._run_control_queries()
        await self._advance("switching", 99)

    async def _run_control_queries(self) -> None:
        """Record how the search results change. The report is for staff and never stops the run."""
        source = await describe_collection_table(self._connection, self.run.source_collection)
        target = await describe_collection_table(self._connection, self.run.target_collection)
        try:
            found = await control_queries.compare_tables(self._connection, source, target)
            await store.record_control_queries(self._connection, self.run, found)
        except (*StatementImpossible, BalcaoError) as fault:
            log.warning("search.migration.control_queries", code=type(fault).__name__)

    async def _switch(self) -> None:
        """Exchange the tables and end the run."""
        try:
            if not await store.complete_run(self._connection, self.run, self._window):
                raise RunLost
        except store.TablesDiffer:
            await self._check_run()
            raise RunFailed("a tabela de destino deixou de acompanhar as gravações") from None

    async def _advance(self, phase: Phase, progress: int) -> None:
        if not await store.advance_run(self._connection, self.run, phase, progress):
            raise RunLost

    async def _give_way(self) -> None:
        """Pause so that writers can finish. Fail the run after ten minutes of waiting."""
        self._chunk = max(self._chunk // 2, SMALLEST_CHUNK)
        self._waiting_since = self._waiting_since or time.monotonic()
        if time.monotonic() - self._waiting_since > LOCK_ATTEMPTS_SECONDS:
            await self._fail("gravações que não terminam não deixaram continuar")
        else:
            await asyncio.sleep(PAUSE_SECONDS)

    async def _fail(self, cause: str) -> None:
        async with self._connection.transaction():
            if await store.fail_run(self._connection, self.run, f"Falha {_PLACES[self.run.phase]}: {cause}."):
                await abandon_target(self._connection, self.run.target_collection, self.run.phase)


async def abandon_target(connection: Connection, target: str, phase: Phase) -> None:
    """Release the target table of a run that ends in `phase`.

    In the phase `preparing`, the target may still be the mirror of an earlier migration. Then keep it, so that the
    earlier migration can still be rolled back.
    """
    alias = await read_alias(connection)
    if phase != "preparing" or alias.mirror != target:
        await collection.close_mirror(connection, target, KEPT_AFTER_FAILURE)


def _describe_rows(what: str, count: int, ids: list[str]) -> str:
    return f"{count} registro(s) {what} ({', '.join(ids[:5])})"
