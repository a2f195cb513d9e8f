"""SQL of a run under way: who has it, and every change of it, refused to whoever has it no longer."""

from datetime import timedelta

import asyncpg
import msgspec

from balcao.core.database.pool import Connection, json_text
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
_CLAIM = f"""
UPDATE search.search_migrations
SET fence = fence + 1, worker_id = $2, lease_until = clock_timestamp() + $3::interval,
    resumes = resumes + (lease_until IS NOT NULL)::int
WHERE id = $1 AND status = 'in_progress' AND coalesce(lease_until <= clock_timestamp(), true)
RETURNING {_COLUMNS}
"""


async def claim(connection: Connection, run_id: str, worker_id: str, lease: timedelta) -> RunUnderWay | None:
    """Take a run that nobody has, or whose worker let the lease run out; None for any other."""
    row = await connection.fetchrow(_CLAIM, run_id, worker_id, lease)
    return RunUnderWay(**row) if row else None


_LEASE_LEFT = """
SELECT greatest(coalesce(lease_until - clock_timestamp(), interval '0'), interval '0')
FROM search.search_migrations WHERE id = $1 AND status = 'in_progress'
"""


async def read_lease(connection: Connection, run_id: str) -> timedelta | None:
    """Return how long the present worker still has the run; None when it has ended."""
    left: timedelta | None = await connection.fetchval(_LEASE_LEFT, run_id)
    return left


_HELD = "WHERE id = $1 AND fence = $2 AND status = 'in_progress'"
_READ = f"SELECT {_COLUMNS} FROM search.search_migrations {_HELD}"


async def read(connection: Connection, run: RunUnderWay) -> RunUnderWay | None:
    """Return the run as it is now; None when it has ended or another worker has it."""
    row = await connection.fetchrow(_READ, run.id, run.fence)
    return RunUnderWay(**row) if row else None


_RENEW = f"""
UPDATE search.search_migrations
SET lease_until = clock_timestamp() + $3::interval, progress = greatest(progress, $4) {_HELD} RETURNING true
"""


async def renew(connection: Connection, run: RunUnderWay, lease: timedelta, progress: int) -> bool:
    """Keep the run for so long from now, and tell how far it has come; return false when it is another worker's."""
    return bool(await connection.fetchval(_RENEW, run.id, run.fence, lease, progress))


_RELEASE = f"""
UPDATE search.search_migrations SET lease_until = NULL, worker_id = NULL {_HELD}
"""


async def release(connection: Connection, run: RunUnderWay) -> None:
    """Let any worker go on at once; this one was not lost."""
    await connection.execute(_RELEASE, run.id, run.fence)


_END_WINDOWS = "UPDATE search.search_migrations SET rollback_until = now() WHERE rollback_until > now()"


async def end_windows(connection: Connection) -> None:
    """End every open window: the run needs the mirror for itself."""
    await connection.execute(_END_WINDOWS)


# A commit lets go of its locks only when the disk has it; what a crash of the server takes from a chunk, its rows and
# the last key alike, is copied again, so the writers of these rows need not wait for the disk.
_COPY = """
SELECT seen, took
FROM set_config('synchronous_commit', 'off', true) AS relaxed, search.continue_copy($1, $2, $3, $4) AS copied
"""


async def copy_chunk(
    connection: Connection, run: RunUnderWay, rows: int, lease: timedelta
) -> tuple[int, timedelta] | None:
    """Copy the next rows and renew the lease, all in one statement; return how many rows there were and the time taken.

    None when the run is another worker's: nothing was written.
    """
    [row] = await connection.fetch(_COPY, run.id, run.fence, rows, lease)
    return None if row["seen"] is None else (row["seen"], row["took"])


_ADVANCE = f"""
UPDATE search.search_migrations
SET phase = $3, progress = greatest(progress, $4), resumes = CASE WHEN progress < $4 THEN 0 ELSE resumes END
{_HELD} RETURNING true
"""


async def advance(connection: Connection, run: RunUnderWay, phase: Phase, progress: int) -> bool:
    """Write down how far the run has come; progress never falls. Return false when it is another worker's."""
    return bool(await connection.fetchval(_ADVANCE, run.id, run.fence, phase, progress))


_COUNT = f"""
UPDATE search.search_migrations SET total_documents = $3, migrated_documents = $3 {_HELD}
"""


async def correct_counts(connection: Connection, run: RunUnderWay, rows: int) -> None:
    """Write down how many rows the target has, now that it has all of them."""
    await connection.execute(_COUNT, run.id, run.fence, rows)


_VERIFIED = f"""
UPDATE search.search_migrations SET verification = $3 {_HELD}
"""


async def record_verification(connection: Connection, run: RunUnderWay, found: Verification) -> None:
    await connection.execute(_VERIFIED, run.id, run.fence, json_text(found))


_CONTROLLED = f"""
UPDATE search.search_migrations SET control_queries = $3 {_HELD}
"""


async def record_control_queries(connection: Connection, run: RunUnderWay, found: ControlReport) -> None:
    await connection.execute(_CONTROLLED, run.id, run.fence, json_text(found))


_FAIL = f"""
UPDATE search.search_migrations
SET status = 'failed', error_message = $3, completed_at = clock_timestamp(), lease_until = NULL, worker_id = NULL
{_HELD} RETURNING true
"""


async def fail(connection: Connection, run: RunUnderWay, message: str) -> bool:
    """End the run as failed, in its present phase; return false when it is another worker's."""
    return bool(await connection.fetchval(_FAIL, run.id, run.fence, message))


class TablesDiffer(Exception):
    """A write has not reached the mirror since the verification."""


_COMPLETE = "SELECT search.complete_run($1, $2, $3)"


async def complete(connection: Connection, run: RunUnderWay, window: timedelta) -> bool:
    """Switch to the target and end the run, in one statement; return false when it is another worker's.

    Raises TablesDiffer, and the driver's LockNotAvailableError for writers that do not end; nothing has changed then.
    """
    try:
        return bool(await connection.fetchval(_COMPLETE, run.id, run.fence, window))
    except asyncpg.TriggeredDataChangeViolationError:
        raise TablesDiffer from None
