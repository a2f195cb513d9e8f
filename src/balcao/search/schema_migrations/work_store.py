"""SQL of a run under way: its lease, and its changes, which only the worker that holds the lease can make."""

from datetime import timedelta

import asyncpg
import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.search.control_queries.schemas import ControlReport
from balcao.search.schema_migrations.schemas import Verification
from balcao.search.schema_migrations.states import Phase


class RunUnderWay(msgspec.Struct, frozen=True):
    """A run as its worker needs it.

    `fence` grows with each worker that takes the run over; what an older one writes is refused. `resumes` counts the
    workers that were lost since the run last got on.
    """

    id: str
    phase: Phase
    source_collection: str
    target_collection: str
    progress: int
    fence: int
    resumes: int


_COLUMNS = "id::text, phase, source_collection, target_collection, progress, fence, resumes"


@statement(f"""
UPDATE search.search_migrations
SET fence = fence + 1, worker_id = :worker_id, lease_until = clock_timestamp() + :lease::interval,
    resumes = resumes + (lease_until IS NOT NULL)::int
WHERE id = :run_id AND status = 'in_progress' AND coalesce(lease_until <= clock_timestamp(), true)
RETURNING {_COLUMNS}
""")
async def claim_run(connection: Connection, run_id: str, worker_id: str, lease: timedelta) -> RunUnderWay | None:
    """Take a run that nobody has, or whose worker let the lease run out; None for any other."""


@statement("""
SELECT greatest(coalesce(lease_until - clock_timestamp(), interval '0'), interval '0')
FROM search.search_migrations WHERE id = :run_id AND status = 'in_progress'
""")
async def read_lease(connection: Connection, run_id: str) -> timedelta | None:
    """Return how long the present worker still has the run; None when it has ended."""


_HELD = "WHERE id = :run.id AND fence = :run.fence AND status = 'in_progress'"


@statement(f"SELECT {_COLUMNS} FROM search.search_migrations {_HELD}")
async def read_run_under_way(connection: Connection, run: RunUnderWay) -> RunUnderWay | None:
    """Return the run as it is now; None when it has ended or another worker has it."""


@statement(f"""
UPDATE search.search_migrations
SET lease_until = clock_timestamp() + :lease::interval, progress = greatest(progress, :progress) {_HELD} RETURNING true
""")
async def renew_lease(connection: Connection, run: RunUnderWay, lease: timedelta, progress: int) -> bool:
    """Keep the run for so long from now, and tell how far it has come; return false when it is another worker's."""


@statement(f"UPDATE search.search_migrations SET lease_until = NULL, worker_id = NULL {_HELD}")
async def release_run(connection: Connection, run: RunUnderWay) -> None:
    """Let any worker go on at once; this one was not lost."""


@statement("UPDATE search.search_migrations SET rollback_until = now() WHERE rollback_until > now()")
async def end_windows(connection: Connection) -> None:
    """End every open window: the run needs the mirror for itself."""


# A commit lets go of its locks only when the disk has it; what a crash of the server takes from a chunk, its rows and
# the last key alike, is copied again, so the writers of these rows need not wait for the disk.
@statement("""
SELECT seen, took
FROM set_config('synchronous_commit', 'off', true) AS relaxed,
     search.continue_copy(:id, :fence, :rows, :lease) AS copied
""")
async def _copy_chunk(
    connection: Connection, run: RunUnderWay, rows: int, lease: timedelta
) -> tuple[int | None, timedelta]: ...


async def copy_chunk(
    connection: Connection, run: RunUnderWay, rows: int, lease: timedelta
) -> tuple[int, timedelta] | None:
    """Copy the next rows and renew the lease, all in one statement; return how many rows there were and the time taken.

    None when the run is another worker's: nothing was written.
    """
    seen, took = await _copy_chunk(connection, run, rows, lease)
    return None if seen is None else (seen, took)


@statement(f"""
UPDATE search.search_migrations
SET phase = :phase, progress = greatest(progress, :progress),
    resumes = CASE WHEN progress < :progress THEN 0 ELSE resumes END
{_HELD} RETURNING true
""")
async def advance_run(connection: Connection, run: RunUnderWay, phase: Phase, progress: int) -> bool:
    """Write down how far the run has come; progress never falls. Return false when it is another worker's."""


@statement(f"UPDATE search.search_migrations SET total_documents = :rows, migrated_documents = :rows {_HELD}")
async def correct_counts(connection: Connection, run: RunUnderWay, rows: int) -> None:
    """Write down how many rows the target has, now that it has all of them."""


@statement(f"UPDATE search.search_migrations SET verification = :found::jsonb {_HELD}")
async def record_verification(connection: Connection, run: RunUnderWay, found: Verification) -> None: ...


@statement(f"UPDATE search.search_migrations SET control_queries = :found::jsonb {_HELD}")
async def record_control_queries(connection: Connection, run: RunUnderWay, found: ControlReport) -> None: ...


@statement(f"""
UPDATE search.search_migrations
SET status = 'failed', error_message = :message, completed_at = clock_timestamp(), lease_until = NULL, worker_id = NULL
{_HELD} RETURNING true
""")
async def fail_run(connection: Connection, run: RunUnderWay, message: str) -> bool:
    """End the run as failed, in its present phase; return false when it is another worker's."""


class TablesDiffer(Exception):
    """A write has not reached the mirror since the verification."""


@statement("SELECT search.complete_run(:id, :fence, :window)")
async def _complete_run(connection: Connection, run: RunUnderWay, window: timedelta) -> bool: ...


async def complete_run(connection: Connection, run: RunUnderWay, window: timedelta) -> bool:
    """Switch to the target and end the run, in one statement; return false when it is another worker's.

    Raises TablesDiffer, and the driver's LockNotAvailableError for writers that do not end; nothing has changed then.
    """
    try:
        return await _complete_run(connection, run, window)
    except asyncpg.TriggeredDataChangeViolationError:
        raise TablesDiffer from None
