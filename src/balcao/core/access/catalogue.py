"""The access catalogue as each process sees it: a versioned snapshot, and the announcement of operations.

Only the SQL functions that the access service publishes are called, so no table of a service is known here.
States and times are those of the snapshot (rules: access 4.5).
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
# With the reading itself a lost notification is made good within five seconds.
POLL_SECONDS = 4.0
USABLE_SECONDS = 300.0
# The state of a process that refuses callers because it has not heard of the rules for so long.
OUTDATED = "balcao_access_rules_outdated"
ANNOUNCING_SECONDS = 3600.0


@dataclass(frozen=True)
class AnnouncedOperation:
    """An operation as it is entered into the catalogue before the process listens."""

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
    """The catalogue's response to an announcement: `warnings` are {code, operation}."""

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
    """Say again that these are served: what nobody serves is retired."""
    try:
        async with database.connection() as connection:
            await _confirm_served(connection, [operation.operation for operation in operations])
    except Exception as failure:  # it is tried again at the next interval
        log.warning("catalogue.not_announced", code=type(failure).__name__)


@statement("SELECT access.snapshot_since(:version, :position)")
async def _read_changes(connection: Connection, known: Snapshot) -> str | None:
    """Return `Changes` as JSON, which may be megabytes; None where nothing has changed."""


@statement("SELECT groups, roles, people FROM access.snapshot_people()")
async def _list_memberships(connection: Connection) -> list[Row]: ...


class Catalogue:
    """Keeps the process's snapshot current by NOTIFY and, should one be lost, by polling."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._latest = EMPTY
        self._loading = asyncio.Lock()
        self._confirmed_at = float("-inf")
        self._watch = Watch(database, CHANNEL, POLL_SECONDS, self.reload)

    @property
    def snapshot(self) -> Snapshot:
        """Return the newest version. Raises Unavailable when it has not been confirmed for too long."""
        self.require_confirmed()
        return self._latest

    @property
    def latest(self) -> Snapshot:
        """Return the newest version, however old, for a decision that uses one version from first to last step.

        What decides on it calls `require_confirmed` as well.
        """
        return self._latest

    def require_confirmed(self) -> None:
        """Raise Unavailable when the snapshot has not been confirmed for too long: rights may have been withdrawn."""
        if not self.is_confirmed:
            raise Unavailable(code="stale-snapshot", retry_after=5)

    @property
    def is_confirmed(self) -> bool:
        """Return whether the snapshot is new enough to decide by."""
        return time.monotonic() - self._confirmed_at <= USABLE_SECONDS

    async def start(self) -> None:
        """Load the first snapshot. Raises Unavailable when the database is away."""
        await self._watch.start()

    async def stop(self) -> None:
        """Stop listening."""
        await self._watch.stop()

    async def reload(self) -> None:
        """Take over what changed, in one new snapshot; requests in flight keep theirs."""
        async with self._loading:  # one at a time, or a slow load could put an older version back
            await self._take_over()

    async def reach(self, version: int) -> None:
        """Take over what changed up to a version, unless that has happened meanwhile: many writers need one reading."""
        async with self._loading:
            if self._latest.version < version:
                await self._take_over()

    async def _take_over(self) -> None:
        asked_at = time.monotonic()
        latest = self._latest
        changes = await self._fetch_changes(latest) if latest.version else None
        if latest.version == 0 or (changes is not None and changes.whole):
            self._latest = await self._load()
        elif changes is not None:
            self._latest = latest.following(changes)
        # The moment of the question: what changed after it may be missing from the result.
        self._confirmed_at = asked_at

    async def _fetch_changes(self, known: Snapshot) -> Changes | None:
        async with self._database.connection() as connection:
            found = await _read_changes(connection, known)
        return None if found is None else msgspec.json.decode(found, type=Changes)

    async def _load(self) -> Snapshot:
        """Read the catalogue as a whole, which of a large city takes longer than a request may."""
        apart = self._database.apart(1)
        await apart.open()
        try:
            async with apart.transaction(isolation="repeatable_read") as connection:
                found = await _read_changes(connection, EMPTY)
                held = await _list_memberships(connection)
        finally:
            await apart.close()
        assert found is not None  # since version 0 everything is new
        return await asyncio.to_thread(_build, found, held)


def _build(document: str, held: Sequence[Row]) -> Snapshot:
    people = MembershipIndex.of((Membership(tuple(row["groups"]), tuple(row["roles"])), row["people"]) for row in held)
    return replace(EMPTY.following(msgspec.json.decode(document, type=Changes)), people=people)
