"""Sessions that ended before their tokens expired. Every process remembers them until the tokens have expired."""

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
# The polling interval, in case a notification is lost.
POLL_SECONDS = 5.0
# How long an ended session is remembered: the longest lifetime of an access token.
RETENTION_PERIOD = timedelta(hours=24)
# Each read repeats the rows of this last period, because a row may become visible after rows that were recorded later.
_OVERLAP = timedelta(seconds=60)


@dataclass(frozen=True)
class SessionEnd:
    """The content of a logout token. It ends session `sid`, or all sessions of `subject` that began before `at`.

    `number` is the logout token's own id (`jti`), `at` its time in Unix seconds.
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
    """Return the number of stored logout tokens."""


@statement("DELETE FROM platform.ended_session WHERE expires_at <= now()")
async def delete_expired_endings(connection: Connection) -> int:
    """Delete the entries whose tokens have all expired."""


class EndedSessions:
    """This process's copy of the table of ended sessions. Every call checks `covers`, which is a look-up in memory."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # Two times for each key. Tokens that were issued until the first time are invalid. They expire by the second
        # time.
        self._ended: dict[bytes, tuple[float, float]] = {}
        self._newest: datetime | None = None
        self._watch = Watch(database, CHANNEL, POLL_SECONDS, self.reload)

    async def start(self) -> None:
        """Load the table and follow it. Raises Unavailable if the database is down."""
        await self._watch.start()

    async def stop(self) -> None:
        """Stop following the table."""
        await self._watch.stop()

    def covers(self, caller: Caller) -> bool:
        """Return whether the session of the caller's token has ended."""
        if not self._ended:
            return False
        return any(
            (found := self._ended.get(key)) is not None and caller.issued_at <= found[0]
            for key in (caller.session_key, caller.subject_key)
        )

    async def record(self, ending: SessionEnd) -> bool:
        """Store the end of a session and notify every process. Return false if the logout token was used before."""
        number = hashlib.sha256(f"{ending.issuer}\0{ending.number}".encode()).digest()
        if ending.session is not None:
            key, until = session_key(ending.issuer, ending.session), math.inf
        else:
            key, until = subject_key(ending.issuer, ending.subject or ""), ending.at
        async with self._database.transaction() as connection:
            is_new = await _insert_ending(connection, number, key, until, RETENTION_PERIOD)
            if is_new:
                await notify_processes(connection, CHANNEL)
        return is_new

    async def reload(self) -> None:
        """Load the entries since the last read, and forget expired entries."""
        since = self._newest and self._newest - _OVERLAP
        async with self._database.connection() as connection:
            endings = await _list_endings(connection, since)
        for ending in endings:
            until, expires_at = self._ended.pop(ending.key, (-math.inf, 0.0))
            self._ended[ending.key] = (max(until, ending.issued_until), max(expires_at, ending.expires_at))
            self._newest = ending.recorded_at
        now = time.time()
        while self._ended:  # the oldest entry comes first
            key, (_, expires_at) = next(iter(self._ended.items()))
            if expires_at > now:
                break
            del self._ended[key]
