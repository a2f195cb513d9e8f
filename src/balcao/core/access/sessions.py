"""Sessions that ended before their tokens did: known to every process at once, until the tokens have expired."""

import hashlib
import math
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from balcao.core.access.caller import Caller, session_key, subject_key
from balcao.core.database.pool import Connection, Database
from balcao.core.database.reloader import Watch, notify_processes
from balcao.core.database.statements import statement

CHANNEL = "balcao_ended_session"
POLL_SECONDS = 5.0
# No access token may live longer than this.
KEPT = timedelta(hours=24)
# How far back rows are read again: one may become visible later than one that was recorded after it.
_OVERLAP = timedelta(seconds=60)


@dataclass(frozen=True)
class SessionEnd:
    """What a logout token says: the session `sid` ended, or without it every session of `subject` begun until then.

    `number` is the logout token's own (`jti`), `at` its time in Unix seconds.
    """

    issuer: str
    number: str
    at: float
    session: str | None = None
    subject: str | None = None


@statement("""
INSERT INTO platform.ended_session (token_hash, key, issued_until, expires_at)
VALUES (:token_hash, :key, :issued_until, now() + :kept::interval)
ON CONFLICT (token_hash) DO NOTHING RETURNING true
""")
async def _insert_ending(
    connection: Connection, token_hash: bytes, key: bytes, issued_until: float, kept: timedelta
) -> bool: ...


class _StoredEnding(NamedTuple):
    key: bytes
    issued_until: float
    recorded_at: datetime
    expires_at: float


@statement("""
SELECT key, issued_until, recorded_at, extract(epoch FROM expires_at)::float8 AS expires_at FROM platform.ended_session
WHERE expires_at > now() AND recorded_at >= coalesce(:since::timestamptz, '-infinity') ORDER BY recorded_at
""")
async def _list_endings(connection: Connection, since: datetime | None) -> list[_StoredEnding]: ...


@statement("SELECT count(*) FROM platform.ended_session")
async def count_endings(connection: Connection) -> int:
    """Return how many logout tokens are remembered."""


@statement("DELETE FROM platform.ended_session WHERE expires_at <= now()")
async def delete_expired_endings(connection: Connection) -> int:
    """Delete what no token can belong to any more."""


class EndedSessions:
    """This process's copy of the table; `covers` is asked for each call and costs a look into memory."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # By key: until when issued tokens are ended, and when the last of them has expired by itself.
        self._ended: dict[bytes, tuple[float, float]] = {}
        self._newest: datetime | None = None
        self._watch = Watch(database, CHANNEL, POLL_SECONDS, self.reload)

    async def start(self) -> None:
        """Load the table and follow it. Raises Unavailable when the database is away."""
        await self._watch.start()

    async def stop(self) -> None:
        """Stop following."""
        await self._watch.stop()

    def covers(self, caller: Caller) -> bool:
        """Tell whether the session of the caller's token has ended."""
        if not self._ended:
            return False
        return any(
            (found := self._ended.get(key)) is not None and caller.issued_at <= found[0]
            for key in (caller.session_key, caller.subject_key)
        )

    async def record(self, ending: SessionEnd) -> bool:
        """Store the ending and have every process read it; return false for a logout token that was used before."""
        number = hashlib.sha256(f"{ending.issuer}\0{ending.number}".encode()).digest()
        if ending.session is not None:
            key, until = session_key(ending.issuer, ending.session), math.inf
        else:
            key, until = subject_key(ending.issuer, ending.subject or ""), ending.at
        async with self._database.transaction() as connection:
            is_new = await _insert_ending(connection, number, key, until, KEPT)
            if is_new:
                await notify_processes(connection, CHANNEL)
        return is_new

    async def reload(self) -> None:
        """Take over what was recorded since the last time, and forget what has expired."""
        since = self._newest and self._newest - _OVERLAP
        async with self._database.connection() as connection:
            endings = await _list_endings(connection, since)
        for ending in endings:
            until, expires_at = self._ended.pop(ending.key, (-math.inf, 0.0))
            self._ended[ending.key] = (max(until, ending.issued_until), max(expires_at, ending.expires_at))
            self._newest = ending.recorded_at
        now = time.time()
        while self._ended:  # in the order in which they expire, as all are kept equally long
            key, (_, expires_at) = next(iter(self._ended.items()))
            if expires_at > now:
                break
            del self._ended[key]
