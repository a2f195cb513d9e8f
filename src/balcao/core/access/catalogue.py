"""The access catalogue in each process: a versioned snapshot, and the announcement of operations.

This module only calls SQL functions that the access service publishes, so it depends on no table of a service. The
states of the snapshot, and the times between them, are defined in rules: access 4.5.
"""

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import msgspec

from balcao.core.access.membership_index import Membership, MembershipIndex
from balcao.core.access.snapshot import EMPTY, Changes, Snapshot
from balcao.core.database.pool import Connection, Database, Row
from balcao.core.database.reloader import Watch
from balcao.core.database.results import Json
from balcao.core.database.statements import statement
from balcao.core.errors import Unavailable
from balcao.core.logs import log

CHANNEL = "balcao_access"
# The polling interval. If a notification is lost, the change still applies within five seconds.
POLL_SECONDS = 4.0
# A snapshot that has not been confirmed for this long must not be used, because rights may have been withdrawn.
USABLE_SECONDS = 300.0
# The reported state of a process that refuses callers because its access rules are outdated.
OUTDATED = "balcao_access_rules_outdated"
# The interval of `confirm_operations`. The catalogue retires an operation that no process has confirmed for a day.
ANNOUNCING_SECONDS = 3600.0


@dataclass(frozen=True)
class AnnouncedOperation:
    """An operation as a process registers it in the catalogue before the process accepts requests."""

    operation: str
    service: str
    method: str
    path_pattern: str
    action: str
    guard: str | None
    floor: str
    description: str
    also: tuple[str, ...] = ()


class Announced(msgspec.Struct):
    """The catalogue's response to an announcement. `warnings` are {code, operation}."""

    version: int
    warnings: list[dict[str, str]]


@statement("SELECT access.announce(:operations::jsonb)")
async def _announce(connection: Connection, operations: Sequence[AnnouncedOperation]) -> Json[Announced]: ...


async def announce_operations(connection: Connection, operations: Iterable[AnnouncedOperation]) -> Announced:
    """Register the operations that this process serves, in one transaction under the catalogue's lock."""
    announced = await _announce(connection, list(operations))
    for warning in announced.warnings:
        log.warning("catalogue.registration", **warning)
    return announced


@statement("SELECT access.still_served(:operations)")
async def _confirm_served(connection: Connection, operations: Sequence[str]) -> None: ...


async def confirm_operations(database: Database, operations: Sequence[AnnouncedOperation]) -> None:
    """Confirm that this process serves the operations. The catalogue retires operations that no process serves."""
    try:
        async with database.connection() as connection:
            await _confirm_served(connection, [operation.operation for operation in operations])
    except Exception as failure:  # the next confirmation follows within an hour
        log.warning("catalogue.not_announced", code=type(failure).__name__)


@statement("SELECT access.snapshot_since(:version, :position)")
async def _read_changes(connection: Connection, known: Snapshot) -> str | None:
    """Return the changes since a version as the JSON of `Changes`, or None if there are none.

    It may be megabytes long.
    """


@statement("SELECT groups, roles, people FROM access.snapshot_people()")
async def _list_memberships(connection: Connection) -> list[Row]: ...


class Catalogue:
    """This process's snapshot, kept current by NOTIFY and by polling in case a notification is lost."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._latest = EMPTY
        self._loading = asyncio.Lock()
        self._confirmed_at = float("-inf")
        self._watch = Watch(database, CHANNEL, POLL_SECONDS, self.reload)

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot. Raises Unavailable if its last confirmation is too old."""
        self.require_confirmed()
        return self._latest

    @property
    def latest(self) -> Snapshot:
        """The newest snapshot, however old, for a decision that must use the same snapshot in all its steps.

        Code that decides with this snapshot must also call `require_confirmed`.
        """
        return self._latest

    def require_confirmed(self) -> None:
        """Raise Unavailable if the last confirmation is too old, because rights may have been withdrawn since."""
        if not self.is_confirmed:
            raise Unavailable(code="stale-snapshot", retry_after=5)

    @property
    def is_confirmed(self) -> bool:
        """Whether the snapshot is new enough for decisions."""
        return time.monotonic() - self._confirmed_at <= USABLE_SECONDS

    async def start(self) -> None:
        """Load the first snapshot. Raises Unavailable if the database is down."""
        await self._watch.start()

    async def stop(self) -> None:
        """Stop following the catalogue."""
        await self._watch.stop()

    async def reload(self) -> None:
        """Replace the snapshot with a new one that contains all changes.

        Requests in flight continue with the snapshot that they have.
        """
        async with self._loading:  # without the lock, a slow load could restore an old version
            await self._replace_snapshot()

    async def reach(self, version: int) -> None:
        """Apply the changes up to a version, unless another load has already applied them.

        Concurrent writers therefore share one read.
        """
        async with self._loading:
            if self._latest.version < version:
                await self._replace_snapshot()

    async def _replace_snapshot(self) -> None:
        asked_at = time.monotonic()
        latest = self._latest
        changes = await self._fetch_changes(latest) if latest.version else None
        if latest.version == 0 or (changes is not None and changes.whole):
            self._latest = await self._load()
        elif changes is not None:
            self._latest = latest.following(changes)
        # Count the age from the start of the query, because the result may lack changes made after it.
        self._confirmed_at = asked_at

    async def _fetch_changes(self, known: Snapshot) -> Changes | None:
        async with self._database.connection() as connection:
            found = await _read_changes(connection, known)
        return None if found is None else msgspec.json.decode(found, type=Changes)

    async def _load(self) -> Snapshot:
        """Read the whole catalogue through a separate connection, to which no request's deadline applies."""
        pool = self._database.separate_pool(1)
        await pool.open()
        try:
            async with pool.transaction(isolation="repeatable_read") as connection:
                found = await _read_changes(connection, EMPTY)
                held = await _list_memberships(connection)
        finally:
            await pool.close()
        assert found is not None  # compared with version 0, everything is new
        return await asyncio.to_thread(_build, found, held)


def _build(document: str, held: Sequence[Row]) -> Snapshot:
    people = MembershipIndex.of((Membership(tuple(row["groups"]), tuple(row["roles"])), row["people"]) for row in held)
    return replace(EMPTY.following(msgspec.json.decode(document, type=Changes)), people=people)
