"""Changes that operators make while the platform runs. They are stored in the database, and each process has a copy.

Requests look nothing up: code that uses a value is notified of each change, and stores the value in an attribute.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from balcao.core.database.pool import Connection, Database
from balcao.core.database.reloader import Watch, notify_processes
from balcao.core.database.statements import statement
from balcao.core.errors import Unavailable

CHANNEL = "balcao_live"
# The polling interval. Polling applies changes whose notification was lost, and reverts expired changes.
POLL_SECONDS = 4.0
MAINTENANCE: Literal["maintenance"] = "maintenance"
RATE: Literal["rate"] = "rate"
Kind = Literal["maintenance", "rate"]
# The value of `Retry-After` during maintenance whose end is not announced.
RETRY_SECONDS = 300


@dataclass(frozen=True)
class Change:
    """A change that is in force, or that will be in force from `begins_at` on.

    - `seconds`: the time until it ends. None if it lasts until it is removed.
    - `seconds_before`: the time until it begins. None or negative if it is in force.
    """

    kind: str
    name: str
    value: str
    changed_at: datetime
    begins_at: datetime | None
    ends_at: datetime | None
    author: str
    seconds: float | None
    seconds_before: float | None

    @property
    def is_planned(self) -> bool:
        """Whether the change is not in force yet."""
        return self.seconds_before is not None and self.seconds_before > 0


@dataclass(frozen=True)
class Maintenance:
    """Maintenance of a service, which refuses calls from `begins` to `ends` (instants of the monotonic clock)."""

    message: str
    ends: float | None = None
    begins: float | None = None

    def refusal(self) -> Unavailable | None:
        """Return the error for callers during the maintenance, or None before and after it.

        The maintenance starts and ends on time even if this copy cannot be reloaded.
        """
        now = time.monotonic()
        if self.begins is not None and now < self.begins:
            return None
        if self.ends is None:
            return Unavailable(self.message, code="maintenance", retry_after=RETRY_SECONDS)
        left = self.ends - now
        return Unavailable(self.message, code="maintenance", retry_after=math.ceil(left)) if left > 0 else None


@statement("""
SELECT kind, name, value, changed_at, begins_at, ends_at, author,
       extract(epoch FROM ends_at - clock_timestamp())::float8 AS seconds,
       extract(epoch FROM begins_at - clock_timestamp())::float8 AS seconds_before
FROM platform.live_change WHERE ends_at IS NULL OR ends_at > clock_timestamp() ORDER BY kind, name
""")
async def list_live_changes(connection: Connection) -> list[Change]:
    """Return the changes that are in force or planned, sorted by kind and name."""


@statement("""
INSERT INTO platform.live_change (kind, name, value, begins_at, ends_at, author)
VALUES (:kind, :name, :value, :begins_at, :ends_at, :author)
ON CONFLICT (kind, name) DO UPDATE
SET value = excluded.value, begins_at = excluded.begins_at, ends_at = excluded.ends_at, author = excluded.author,
    changed_at = clock_timestamp()
""")
async def _upsert_change(
    connection: Connection,
    kind: Kind,
    name: str,
    value: str,
    begins_at: datetime | None,
    ends_at: datetime | None,
    author: str,
) -> None: ...


@statement("""
DELETE FROM platform.live_change WHERE kind = :kind AND name = :name
RETURNING ends_at IS NULL OR ends_at > clock_timestamp()
""")
async def _delete_change(connection: Connection, kind: Kind, name: str) -> bool:
    """Delete a change and return whether it was in force or planned."""


async def put_live_change(
    connection: Connection,
    kind: Kind,
    name: str,
    value: str,
    ends_at: datetime | None,
    author: str,
    begins_at: datetime | None = None,
) -> None:
    """Store the change and notify every process. It replaces a change of the same kind and name."""
    await _upsert_change(connection, kind, name, value, begins_at, ends_at, author)
    await notify_processes(connection, CHANNEL)


async def remove_live_change(connection: Connection, kind: Kind, name: str) -> bool:
    """Remove the change and notify every process. Return whether it was in force or planned."""
    was_in_force = await _delete_change(connection, kind, name)
    await notify_processes(connection, CHANNEL)
    return was_in_force


class LiveChanges:
    """This process's copy of the changes. The process continues to use it while the database is down."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.maintenance: Mapping[str, Maintenance] = {}
        self.rates: Mapping[str, str] = {}
        self._known: list[tuple[str, str, str, datetime | None, datetime | None]] = []
        self._followers: list[Callable[[], None]] = []
        self._watch = Watch(database, CHANNEL, POLL_SECONDS, self.reload)

    async def start(self) -> None:
        """Load the changes and follow them. Raises Unavailable if the database is down."""
        await self._watch.start()

    async def stop(self) -> None:
        """Stop following the changes."""
        await self._watch.stop()

    def follow(self, take_over: Callable[[], None]) -> None:
        """Call `take_over` now and after every change."""
        self._followers.append(take_over)
        take_over()

    def rate(self, name: str, configured: str) -> str:
        """Return the current rate of the limit with this name."""
        return self.rates.get(name, configured)

    async def reload(self) -> None:
        """Load the current changes. If they differ from the copy, call the followers."""
        async with self._database.connection() as connection:
            changes = await list_live_changes(connection)
        found = [(each.kind, each.name, each.value, each.begins_at, each.ends_at) for each in changes]
        if found == self._known:
            return
        now = time.monotonic()
        self.maintenance = {
            change.name: Maintenance(
                change.value, _find_instant(now, change.seconds), _find_instant(now, change.seconds_before)
            )
            for change in changes
            if change.kind == MAINTENANCE
        }
        self.rates = {change.name: change.value for change in changes if change.kind == RATE}
        self._known = found
        for take_over in self._followers:
            take_over()


def _find_instant(now: float, seconds: float | None) -> float | None:
    return None if seconds is None else now + seconds
