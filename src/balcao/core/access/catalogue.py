"""The access catalogue as each process sees it: a versioned snapshot, and the announcement of operations.

Only the two SQL functions that the access service publishes are called, so no table of a service is known here.
States and times are those of the snapshot (rules: access 4.5).
"""

import asyncio
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass

import msgspec

from balcao.core.access.caller import Caller
from balcao.core.database.pool import Connection, Database, json_text
from balcao.core.database.reloader import Watch
from balcao.core.errors import Unavailable
from balcao.core.logs import log

CHANNEL = "balcao_access"
POLL_SECONDS = 5.0
USABLE_SECONDS = 300.0


class Role(msgspec.Struct, frozen=True):
    """`actions` are action keys; an administrative role grants every action, also future ones."""

    administrative: bool
    actions: frozenset[str]


class Snapshot(msgspec.Struct, frozen=True):
    """One whole version of the catalogue. Action keys are code keys, or `#id` for custom actions."""

    version: int
    bindings: dict[str, str]
    roles: dict[str, Role]
    people: dict[str, list[str]]
    groups: dict[str, list[str]]

    def grants(self, caller: Caller, action: str) -> bool:
        """Return whether one of the caller's roles, from the token or stored, grants the action."""
        stored = self.people.get(caller.cpf.digits, ()) if caller.cpf else ()
        return self._grant(caller.roles, action) or self._grant(stored, action)

    def _grant(self, names: Iterable[str], action: str) -> bool:
        for name in names:  # a plain loop: this is the decision's inner part
            role = self.roles.get(name)
            if role is not None and (role.administrative or action in role.actions):
                return True
        return False


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


async def announce(connection: Connection, operations: Iterable[AnnouncedOperation]) -> Announced:
    """Register the operations that this process serves, in one transaction under the catalogue's lock."""
    document = json_text([asdict(operation) for operation in operations])
    announced = msgspec.json.decode(
        await connection.fetchval("SELECT access.announce($1::jsonb)", document), type=Announced
    )
    for warning in announced.warnings:
        log.warning("catalogue.registration", **warning)
    return announced


_EMPTY = Snapshot(0, {}, {}, {}, {})


class Catalogue:
    """Keeps the process's snapshot current by NOTIFY and, should one be lost, by polling."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._latest = _EMPTY
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

        Whoever decides on it calls `require_confirmed` as well.
        """
        return self._latest

    def require_confirmed(self) -> None:
        """Raise Unavailable when the snapshot has not been confirmed for too long: rights may have been withdrawn."""
        if time.monotonic() - self._confirmed_at > USABLE_SECONDS:
            raise Unavailable(code="stale-snapshot", retry_after=5)

    async def start(self) -> None:
        """Load the first snapshot. Raises Unavailable when the database is away."""
        await self._watch.start()

    async def stop(self) -> None:
        """Stop listening."""
        await self._watch.stop()

    async def reload(self) -> None:
        """Replace the snapshot as a whole when there is a newer one; requests in flight keep theirs."""
        async with self._loading:  # one at a time, or a slow load could put an older version back
            asked_at = time.monotonic()
            async with self._database.connection() as connection:
                found = await connection.fetchval("SELECT access.snapshot_since($1)", self._latest.version)
            if found is not None:
                self._latest = msgspec.json.decode(found, type=Snapshot)
            # The moment of the question: what changed after it may be missing from the result.
            self._confirmed_at = asked_at
