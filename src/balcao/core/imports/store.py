"""SQL of the imports: which file of a kind came last, and what of it has been committed."""

from balcao.core.database.faults import StatementRefused
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.errors import Conflict
from balcao.core.imports.declaration import Committed, KnownImport

# The first half of the advisory lock's key ("impo"), which no other lock has; the kind is the second.
_LOCKS = 0x696D706F
_PATIENCE = "10s"


async def lock_kind(connection: Connection, kind: str) -> None:
    """Lock the kind for as long as the connection lives. Raises Conflict while another import of this kind runs."""
    await _set_patience(connection)
    try:
        await _lock_advisory(connection, kind, _LOCKS)
    except StatementRefused as refusal:
        if refusal.sqlstate != "55P03":  # lock_not_available
            raise
        raise Conflict("Outra importação deste tipo está em andamento.", code="import-running") from None
    await _reset_patience(connection)


# The killed import before us may hold it for the moment that its server takes to notice.
@statement(f"SET lock_timeout = '{_PATIENCE}'")
async def _set_patience(connection: Connection) -> None: ...


@statement("SET lock_timeout = 0")
async def _reset_patience(connection: Connection) -> None: ...


@statement("SELECT pg_advisory_lock(:space, hashtext(:kind))")
async def _lock_advisory(connection: Connection, kind: str, space: int) -> None: ...


@statement("SELECT set_config('timezone', :zone, false)")
async def set_zone(connection: Connection, zone: str) -> None:
    """Set the connection's zone: dates and times without offset in the lines are the city's."""


@statement("""
SELECT byte_offset, lines, changed, unchanged, refused, skipped FROM platform.import
WHERE kind = :kind AND sha256 = :sha256 AND finished_at IS NULL
""")
async def find_unfinished_import(connection: Connection, kind: str, sha256: bytes) -> Committed | None:
    """Return what is committed of a file that is not finished; None for any but the last of its kind.

    Another file in between would be undone by going on.
    """


@statement("""
INSERT INTO platform.import (kind, sha256, size, source, byte_offset, lines, changed, unchanged, refused)
VALUES (:kind, :sha256, :size, :source, 0, 0, 0, 0, 0)
ON CONFLICT (kind) DO UPDATE SET
    sha256 = excluded.sha256, size = excluded.size, source = excluded.source, byte_offset = 0, lines = 0, changed = 0,
    unchanged = 0, refused = 0, skipped = 0, started_at = now(), committed_at = now(), finished_at = NULL
""")
async def begin_import(connection: Connection, kind: str, sha256: bytes, size: int, source: str) -> None:
    """Note the beginning of a file."""


@statement("DELETE FROM platform.import WHERE kind = :kind")
async def forget_import(connection: Connection, kind: str) -> None:
    """Forget the last file of the kind: a stream leaves nothing to resume, and ends what a file before it has begun."""


@statement("""
UPDATE platform.import SET
    byte_offset = :byte_offset, lines = :lines, changed = :changed, unchanged = :unchanged, refused = :refused,
    skipped = :skipped, committed_at = now()
WHERE kind = :kind
""")
async def advance_import(connection: Connection, kind: str, done: Committed) -> None:
    """Note what is committed, in the transaction of the batch."""


@statement("UPDATE platform.import SET finished_at = now() WHERE kind = :kind")
async def finish_import(connection: Connection, kind: str) -> None:
    """Note that the file is finished."""


async def list_imports(connection: Connection) -> list[KnownImport]:
    """Return the last file of each kind, those that are not finished first, then the newest."""
    return await _list_imports(connection, _LOCKS)


# The two halves of the lock's key stand in `pg_locks` as unsigned numbers.
@statement("""
SELECT kind, size, byte_offset, lines, changed, unchanged, refused, skipped, started_at, committed_at, finished_at,
       EXISTS (
           SELECT FROM pg_locks
           WHERE locktype = 'advisory' AND granted AND classid = :space::bigint::oid
               AND objid = (hashtext(kind)::bigint & 4294967295)::oid
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       ) AS is_running
FROM platform.import ORDER BY finished_at IS NOT NULL, started_at DESC
""")
async def _list_imports(connection: Connection, space: int) -> list[KnownImport]: ...


OFFERED = (list_imports,)
