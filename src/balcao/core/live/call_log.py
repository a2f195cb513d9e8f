"""The most recent calls of each client. A call is recorded in memory when it is answered, and written in a batch.

A call costs one append to the client's list, whose length is limited. Losing the calls of the last seconds, or writing
calls twice after a lost confirmation, does no harm, because they are only shown to the client's developers.
"""

import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection, Database
from balcao.core.database.statements import statement
from balcao.core.errors import BalcaoError
from balcao.core.http.error_codes import Explanation, Explanations
from balcao.core.logs import log
from balcao.core.repeating import repeating

FLUSH_SECONDS = 5.0
MOST_CALLS = 1000
RETENTION_PERIOD = timedelta(days=7)
_LONGEST_MICROSECONDS = 2**31 - 1  # the maximum value of the column's type

# The owner of a call: the issuer of its token, and the client that the token names.
Owner: TypeAlias = tuple[str, str]


@dataclass(frozen=True)
class LoggedCall:
    """A call by a client, without its content."""

    issuer: str
    client: str
    called_at: datetime
    operation: str
    status: int
    code: str | None
    request_id: str
    microseconds: int


@statement("""
INSERT INTO platform.call (issuer, client, called_at, operation, status, code, request_id, microseconds)
SELECT * FROM unnest(:calls.issuer::text[], :calls.client::text[], :calls.called_at::timestamptz[],
                     :calls.operation::text[], :calls.status::smallint[], :calls.code::text[],
                     :calls.request_id::text[], :calls.microseconds::int[])
""")
async def _insert_calls(connection: Connection, calls: Sequence[LoggedCall]) -> None: ...


@statement("""
DELETE FROM platform.call WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM platform.call WHERE issuer = :issuer AND client = :client
    ORDER BY called_at DESC OFFSET :most FOR UPDATE SKIP LOCKED))
""")
async def _delete_beyond(connection: Connection, issuer: str, client: str, most: int) -> None:
    """Delete all but the client's `most` most recent calls. Skip rows that another process is deleting."""


@statement("""
SELECT issuer, client, called_at, operation, status, code, request_id, microseconds FROM platform.call
WHERE issuer = :issuer AND client = :client AND called_at > now() - :age::interval
  AND status BETWEEN :least AND :most AND (:code::text IS NULL OR code = :code::text)
  AND (:request_id::text IS NULL OR request_id = :request_id::text)
ORDER BY called_at DESC, request_id LIMIT :limit OFFSET :skip
""")
async def list_calls(
    connection: Connection,
    issuer: str,
    client: str,
    age: timedelta,
    least: int,
    most: int,
    code: str | None,
    request_id: str | None,
    limit: int,
    skip: int,
) -> list[LoggedCall]:
    """Return the client's calls within the last `age` that have one of these statuses, newest first.

    The calls can also be filtered by code and request id.
    """


@statement("SELECT count(*) FROM platform.call")
async def count_calls(connection: Connection) -> int:
    """Return the number of stored calls."""


@statement("DELETE FROM platform.call WHERE called_at < now() - :age::interval")
async def delete_old_calls(connection: Connection, age: timedelta) -> int:
    """Delete calls of this age, and return how many were deleted."""


class CallLog:
    """The call log of one process. Call its methods only in the event loop's thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: dict[Owner, deque[tuple[float, str, int, str | None, str, float]]] = {}

    def add(self, owner: Owner, operation: str, status: int, code: str | None, request_id: str, seconds: float) -> None:
        """Record a call. Until the next write, retain only the `MOST_CALLS` most recent calls of each client."""
        calls = self._waiting.get(owner)
        if calls is None:
            calls = self._waiting[owner] = deque(maxlen=MOST_CALLS)
        calls.append((time.time(), operation, status, code, request_id, seconds))

    async def flush(self) -> None:
        """Write the recorded calls, and delete all but the thousand most recent calls of each client.

        If the database is down, retain the calls for the next time and raise Unavailable.
        """
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, {}
        calls = [_make_call(owner, *noted) for owner, each in waiting.items() for noted in each]
        try:
            async with self._database.transaction() as connection:
                await _insert_calls(connection, calls)
                for issuer, client in waiting:
                    await _delete_beyond(connection, issuer, client, MOST_CALLS)
        except BalcaoError:
            for owner, earlier in waiting.items():
                earlier.extend(self._waiting.get(owner, ()))
                self._waiting[owner] = earlier
            raise

    async def flush_if_possible(self) -> None:
        """Flush. If the database is down, retain the calls for the next time and log a warning."""
        try:
            await self.flush()
        except BalcaoError as fault:
            log.warning("calls.not_written", code=fault.code)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        """Write every few seconds while the block runs, and once more at its end."""
        try:
            async with repeating(self.flush_if_possible, FLUSH_SECONDS):
                yield
        finally:
            await self.flush_if_possible()


def explain_code(platform: Platform, operation: str, code: str) -> Explanation | None:
    """Return the explanation of an error code of this operation, or None if this release lacks the code."""
    return platform.part(Explanations).find(operation.partition(".")[0], code)


def _make_call(
    owner: Owner, at: float, operation: str, status: int, code: str | None, request_id: str, seconds: float
) -> LoggedCall:
    microseconds = min(int(seconds * 1e6), _LONGEST_MICROSECONDS)
    return LoggedCall(*owner, datetime.fromtimestamp(at, UTC), operation, status, code, request_id, microseconds)
