"""SQL for a run in progress. Only the worker that claimed the run last can change it."""

from datetime import timedelta

import asyncpg
import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.search.control_queries.schemas import ControlReport
from balcao.search.schema_migrations.schemas import Verification
from balcao.search.schema_migrations.states import Phase


class RunUnderWay(msgspec.Struct, frozen=True):
    """A run in progress.

    `fence` increases whenever a worker claims the run, so that the writes of earlier workers have no effect. `resumes`
    counts the workers that were lost since the last progress.
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
    """Claim a run if no worker has it or its lease has expired. Return None otherwise."""


@statement("""
SELECT greatest(coalesce(lease_until - clock_timestamp(), interval '0'), interval '0')
FROM search.search_migrations WHERE id = :run_id AND status = 'in_progress'
""")
async def read_lease(connection: Connection, run_id: str) -> timedelta | None:
    """Return the rest of the lease, or None if the run has ended."""


_HELD = "WHERE id = :run.id AND fence = :run.fence AND status = 'in_progress'"


@statement(f"SELECT {_COLUMNS} FROM search.search_migrations {_HELD}")
async def read_run_under_way(connection: Connection, run: RunUnderWay) -> RunUnderWay | None:
    """Return the current state of the run, or None if it has ended or another worker has it."""


@statement(f"""
UPDATE search.search_migrations
SET lease_until = clock_timestamp() + :lease::interval, progress = greatest(progress, :progress) {_HELD} RETURNING true
""")
async def renew_lease(connection: Connection, run: RunUnderWay, lease: timedelta, progress: int) -> bool:
    """Renew the lease and store the progress. Return false if the run has ended or another worker has it."""


@statement(f"UPDATE search.search_migrations SET lease_until = NULL, worker_id = NULL {_HELD}")
async def release_run(connection: Connection, run: RunUnderWay) -> None:
    """Release the run, so that any worker can claim it immediately. It does not count as lost."""


@statement("UPDATE search.search_migrations SET rollback_until = now() WHERE rollback_until > now()")
async def end_windows(connection: Connection) -> None:
    """Close every open rollback window, because the run needs the mirror."""


# A commit normally holds its locks until it is on disk. Without `synchronous_commit`, it releases them earlier, so
# writers of these rows wait less. If the server crashes, it loses both the rows and the stored position of the copy, so
# a worker copies the rows again.
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
    """Copy the next rows and renew the lease in one statement. Return the number of rows and the duration.

    Return None, and write nothing, if the run has ended or another worker has it.
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
    """Store the phase and the progress, which never decreases. Return false if another worker has the run."""


@statement(f"UPDATE search.search_migrations SET total_documents = :rows, migrated_documents = :rows {_HELD}")
async def correct_counts(connection: Connection, run: RunUnderWay, rows: int) -> None:
    """Store the number of rows in the complete target."""


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
    """Mark the run as failed in its current phase. Return false if another worker has the run."""


class TablesDiffer(Exception):
    """A write did not reach the mirror, so the tables are no longer equal."""


@statement("SELECT search.complete_run(:id, :fence, :window)")
async def _complete_run(connection: Connection, run: RunUnderWay, window: timedelta) -> bool: ...


async def complete_run(connection: Connection, run: RunUnderWay, window: timedelta) -> bool:
    """Switch to the target and complete the run in one statement. Return false if another worker has the run.

    Raises TablesDiffer, and LockNotAvailableError if writers hold the lock for too long. Then nothing has changed.
    """
    try:
        return await _complete_run(connection, run, window)
    except asyncpg.TriggeredDataChangeViolationError:
        raise TablesDiffer from None
