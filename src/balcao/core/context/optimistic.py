"""Optimistic writes: read without a lock, decide, and write only if nothing has changed in the meantime."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from balcao.core.context.audit import guard_audit_write
from balcao.core.database.pool import Connection, Database
from balcao.core.errors import Unavailable

Written = TypeVar("Written")

# The maximum number of attempts. It is larger than the number of callers that write one row at the same time. If a
# write still conflicts after these attempts, its condition includes something that its read does not check, so further
# attempts would conflict too.
MOST_TRIES = 100


async def write_optimistically(
    database: Database, attempt: Callable[[Connection], Awaitable[Written | None]]
) -> Written:
    """Call `attempt`, which reads, decides and writes, until it returns a result, and return that result.

    None means that a concurrent write came first. No lock is held while the process decides. Each attempt waits for a
    connection again, so that other waiting callers are served in between. Raises Unavailable after the last attempt, or
    if the audit trail cannot be written.
    """
    for _ in range(MOST_TRIES):
        async with database.connection() as connection:
            with guard_audit_write():
                written = await attempt(connection)
        if written is not None:
            return written
    raise Unavailable
