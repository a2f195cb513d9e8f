"""Optimistic writes: read without a lock, decide here, and write on condition that nothing has changed in between."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from balcao.core.context.audit import recording
from balcao.core.database.pool import Connection, Database
from balcao.core.errors import Unavailable

Written = TypeVar("Written")

# More than there are callers who write the same row at once. Whoever is overtaken so often meets a condition that the
# statement has and the reading before it has not, and would go round for ever.
MOST_TRIES = 100


async def write_optimistically(
    database: Database, attempt: Callable[[Connection], Awaitable[Written | None]]
) -> Written:
    """Return what `attempt` returns, which reads, decides and writes; on None, when it was overtaken, try again.

    No lock is held while the process decides. Each try has a connection of its own turn, so that callers who wait for
    one are served in between. Raises Unavailable after the last try, and where the audit trail cannot be written.
    """
    for _ in range(MOST_TRIES):
        async with database.connection() as connection:
            with recording():
                written = await attempt(connection)
        if written is not None:
            return written
    raise Unavailable
