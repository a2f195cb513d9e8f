"""SQL of the imports: which file of a kind came last, and what of it has been committed."""

from balcao.core.database.faults import StatementRefused
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict
from balcao.core.imports.declaration import Committed

# The first half of the advisory lock's key ("impo"), which no other lock has; the kind is the second.
_LOCKS = 0x696D706F
_PATIENCE = "10s"

# The killed import before us may hold it for the moment that its server takes to notice.
_LOCK = "SELECT pg_advisory_lock($1, hashtext($2))"


async def lock(connection: Connection, kind: str) -> None:
    """Lock the kind for as long as the connection lives. Raises Conflict while another import of this kind runs."""
    await connection.execute(f"SET lock_timeout = '{_PATIENCE}'")
    try:
        await connection.execute(_LOCK, _LOCKS, kind)
    except StatementRefused as refusal:
        if refusal.sqlstate != "55P03":  # lock_not_available
            raise
        raise Conflict("Outra importação deste tipo está em andamento.", code="import-running") from None
    await connection.execute("SET lock_timeout = 0")


async def use_zone(connection: Connection, zone: str) -> None:
    """Set the connection's zone: dates and times without offset in the lines are the city's."""
    await connection.execute("SELECT set_config('timezone', $1, false)", zone)


_UNFINISHED = """
SELECT byte_offset, lines, changed, unchanged, refused FROM platform.import
WHERE kind = $1 AND sha256 = $2 AND finished_at IS NULL
"""


async def find_unfinished(connection: Connection, kind: str, sha256: bytes) -> Committed | None:
    """Return what is committed of a file that is not finished; None for any but the last of its kind.

    Another file in between would be undone by going on.
    """
    row = await connection.fetchrow(_UNFINISHED, kind, sha256)
    return Committed(**row) if row else None


_BEGIN = """
INSERT INTO platform.import (kind, sha256, size, source, byte_offset, lines, changed, unchanged, refused)
VALUES ($1, $2, $3, $4, 0, 0, 0, 0, 0)
ON CONFLICT (kind) DO UPDATE SET
    sha256 = excluded.sha256, size = excluded.size, source = excluded.source, byte_offset = 0, lines = 0, changed = 0,
    unchanged = 0, refused = 0, started_at = now(), committed_at = now(), finished_at = NULL
"""


async def begin(connection: Connection, kind: str, sha256: bytes, size: int, source: str) -> None:
    """Note the beginning of a file."""
    await connection.execute(_BEGIN, kind, sha256, size, source)


async def forget(connection: Connection, kind: str) -> None:
    """Forget the last file of the kind: a stream leaves nothing to resume, and ends what a file before it has begun."""
    await connection.execute("DELETE FROM platform.import WHERE kind = $1", kind)


_ADVANCE = """
UPDATE platform.import SET
    byte_offset = $2, lines = $3, changed = $4, unchanged = $5, refused = $6, committed_at = now()
WHERE kind = $1
"""


async def advance(connection: Connection, kind: str, done: Committed) -> None:
    """Note what is committed, in the transaction of the batch."""
    await connection.execute(_ADVANCE, kind, done.byte_offset, done.lines, done.changed, done.unchanged, done.refused)


async def finish(connection: Connection, kind: str) -> None:
    """Note that the file is finished."""
    await connection.execute("UPDATE platform.import SET finished_at = now() WHERE kind = $1", kind)
