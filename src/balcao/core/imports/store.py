"""SQL for imports: the most recently imported file of each kind, and the part of the file that is committed."""

from balcao.core.database.faults import StatementRefused
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.errors import Conflict
from balcao.core.imports.declaration import Committed, KnownImport

# The first half of the advisory lock's key ("impo"), which no other lock uses. The second half represents the kind.
_LOCKS = 0x696D706F
_LOCK_TIMEOUT = "10s"


async def lock_kind(connection: Connection, kind: str) -> None:
    """Lock the kind until the connection is closed. Raises Conflict if another import of this kind is running."""
    await _set_patience(connection)
    try:
        await _lock_advisory(connection, kind, _LOCKS)
    except StatementRefused as refusal:
        if refusal.sqlstate != "55P03":  # the code of lock_not_available
            raise
        raise Conflict("Outra importação deste tipo está em andamento.", code="import-running") from None
    await _reset_patience(connection)


# Wait, because a killed import holds the lock until PostgreSQL notices that its connection is gone.
@statement(f"SET lock_timeout = '{_LOCK_TIMEOUT}'")
async def _set_patience(connection: Connection) -> None: ...


@statement("SET lock_timeout = 0")
async def _reset_patience(connection: Connection) -> None: ...


@statement("SELECT pg_advisory_lock(:space, hashtext(:kind))")
async def _lock_advisory(connection: Connection, kind: str, space: int) -> None: ...


@statement("SELECT set_config('timezone', :zone, false)")
async def set_zone(connection: Connection, zone: str) -> None:
    """Set the connection's time zone, because dates and times without an offset are in the city's zone."""


@statement("""
SELECT byte_offset, lines, changed, unchanged, refused, skipped FROM platform.import
WHERE kind = :kind AND sha256 = :sha256 AND finished_at IS NULL
""")
async def find_unfinished_import(connection: Connection, kind: str, sha256: bytes) -> Committed | None:
    """Return the committed part of an unfinished file, or None if another file of its kind was imported later.

    Resuming an older file would undo a file that was imported after it.
    """


@statement("""
INSERT INTO platform.import (kind, sha256, size, source, byte_offset, lines, changed, unchanged, refused)
VALUES (:kind, :sha256, :size, :source, 0, 0, 0, 0, 0)
ON CONFLICT (kind) DO UPDATE SET
    sha256 = excluded.sha256, size = excluded.size, source = excluded.source, byte_offset = 0, lines = 0, changed = 0,
    unchanged = 0, refused = 0, skipped = 0, started_at = now(), committed_at = now(), finished_at = NULL
""")
async def begin_import(connection: Connection, kind: str, sha256: bytes, size: int, source: str) -> None:
    """Record that the import of a file has started."""


@statement("DELETE FROM platform.import WHERE kind = :kind")
async def forget_import(connection: Connection, kind: str) -> None:
    """Forget the most recently imported file of this kind before a stream is imported.

    Neither the stream nor an earlier file can be resumed.
    """


@statement("""
UPDATE platform.import SET
    byte_offset = :byte_offset, lines = :lines, changed = :changed, unchanged = :unchanged, refused = :refused,
    skipped = :skipped, committed_at = now()
WHERE kind = :kind
""")
async def advance_import(connection: Connection, kind: str, done: Committed) -> None:
    """Record the committed part of the file, in the transaction of the batch."""


@statement("UPDATE platform.import SET finished_at = now() WHERE kind = :kind")
async def finish_import(connection: Connection, kind: str) -> None:
    """Record that the import of the file is finished."""


async def list_import_runs(connection: Connection) -> list[KnownImport]:
    """Return the most recently imported file of each kind: unfinished files first, then the newest."""
    return await _list_imports(connection, _LOCKS)


# `pg_locks` shows the two halves of the key as unsigned numbers.
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


OFFERED = (list_import_runs,)
