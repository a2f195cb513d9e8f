"""Writes to the catalogue: the lock, the change, its audit event and the new version, in one transaction."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from balcao.access.catalogue import store
from balcao.access.catalogue.events import CatalogueEvent
from balcao.core.access.limits import DENIED
from balcao.core.context.call import Call, RecordDenial
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import BalcaoError, Forbidden, TooMany, Unavailable
from balcao.core.logs import log

# The rate limit for recording one caller's reads of personal data, and the name of its counter.
READS = ("60/minute", "access-reads")

Wanted = TypeVar("Wanted")
Value = TypeVar("Value")


class CatalogueWrite:
    """A write in progress.

    During the block of `write_catalogue`, `version` is the current version. After it, `version` is that of the recorded
    change.
    """

    def __init__(self, connection: Connection, version: int, attempt: CatalogueEvent) -> None:
        self.connection = connection
        self.version = version
        self.attempt = attempt
        self.events: list[CatalogueEvent] = []

    def record(self, event: CatalogueEvent) -> None:
        """Add an event. It is written when the block ends. A block that changes anything must record an event."""
        self.events.append(event)


@asynccontextmanager
async def write_catalogue(call: Call, attempt: CatalogueEvent) -> AsyncIterator[CatalogueWrite]:
    """Lock the catalogue for one write. After the block, load the new version into this process before continuing.

    If the block raises Forbidden, the refusal of `attempt` is recorded after the rollback.
    """
    async with _recording_denials(call, attempt), call.platform.database.transaction() as connection:
        write = CatalogueWrite(connection, await store.lock_catalogue(connection), attempt)
        yield write
        if write.events:
            write.version = await store.record_events(connection, [event.describe_for(call) for event in write.events])
    if write.events:
        await _reload(call, write.version)


async def make_once(
    call: Call, write: CatalogueWrite, kind: type[Value], body: Any, make: Callable[[], Awaitable[Value]]
) -> Value:
    """Return the result of `make`, or the stored result if this caller has already used this `Idempotency-Key`.

    Raises Conflict if the key was used with another body, and Invalid for a malformed key.
    """
    return msgspec.json.decode(await run_once(write.connection, call, None, [body], make), type=kind)


class CompletedChange(NamedTuple, Generic[Value]):
    """The result of a change, and its event for the chain. `event` is None if nothing changed."""

    value: Value
    event: CatalogueEvent | None


class RequestedChange(NamedTuple, Generic[Wanted]):
    """A requested change and its call. Several changes may share a transaction."""

    call: Call
    wanted: Wanted


@dataclass(frozen=True)
class GroupedChange(Generic[Wanted, Value]):
    """A kind of change whose concurrent requests share the lock, the transaction and the commit (group commit).

    `make` applies several changes in order. For each change, `make` returns the completed change or the error that
    rejects it. It must not write anything for a rejected change. Each recorded event has its own version.
    """

    make: Callable[
        [Connection, Sequence[RequestedChange[Wanted]]], Awaitable[Sequence[CompletedChange[Value] | BalcaoError]]
    ]

    async def run(self, call: Call, attempt: CatalogueEvent, wanted: Wanted) -> tuple[Value, int]:
        """Make a change in the same way as `write_catalogue`. Return its result and the catalogue version."""
        change = RequestedChange(call, wanted)
        async with _recording_denials(call, attempt):
            outcome, version = await call.platform.database.write_grouped(self._make_group, change)
            if isinstance(outcome, BalcaoError):
                raise outcome
        if outcome.event is not None:
            await _reload(call, version)
        return outcome.value, version

    async def _make_group(
        self, connection: Connection, changes: Sequence[RequestedChange[Wanted]]
    ) -> list[tuple[CompletedChange[Value] | BalcaoError, int]]:
        """Return each outcome with its catalogue version. Only an outcome with an event gets a new version."""
        async with connection.transaction():
            version = await store.lock_catalogue(connection)
            outcomes = await self.make(connection, changes)
            events = [
                outcome.event.describe_for(change.call)
                for change, outcome in zip(changes, outcomes, strict=True)
                if isinstance(outcome, CompletedChange) and outcome.event is not None
            ]
            made = iter(await store.record_each_event(connection, events) if events else [])
        answered = []
        for outcome in outcomes:
            if isinstance(outcome, CompletedChange) and outcome.event is not None:
                version = next(made)
            answered.append((outcome, version))
        return answered


@asynccontextmanager
async def _recording_denials(call: Call, attempt: CatalogueEvent) -> AsyncIterator[None]:
    try:
        yield
    except Forbidden:
        await record_denial(call, attempt)
        raise


async def record_denial(call: Call, attempt: CatalogueEvent) -> None:
    """Record a refusal outside the chain. The number of records is limited for each caller."""
    if call.caller is not None and await call.platform.is_within(*DENIED, call.caller.key):
        await _record_denied(call, attempt)


async def record_read(call: Call, event: CatalogueEvent) -> None:
    """Record a read of personal data outside the chain. The number of records is limited for each caller.

    Raises Unavailable if the event cannot be written, so that the caller does not get the data without a record.
    """
    if call.caller is not None and not await call.platform.is_within(*READS, call.caller.key):
        return
    async with call.platform.database.connection() as connection:
        await store.record_beside_chain(connection, event.describe_for(call), "done")


async def _reload(call: Call, version: int) -> None:
    """Load the committed change into this process.

    Ignore an unavailable database and a caller that has used up its connection quota, because the change is already
    committed. The next notification or poll then loads it.
    """
    try:
        await call.platform.catalogue.reach(version)
    except (TooMany, Unavailable):
        log.warning("catalogue.reload_failed")


def make_denial_recorder(operation: str, kind: str, identity: str = "") -> RecordDenial:
    """Return a function that records a call that was refused by the operation's access rule.

    `identity` names the path parameter that contains the target's id.
    """

    async def refused(call: Call, path: Mapping[str, str]) -> None:
        text = path.get(identity, "")
        # The parameter can be any string, even a CPF, which the trail must not contain. An id has fewer digits than a
        # CPF.
        target = text if text.isascii() and text.isdigit() and len(text) < 11 else None
        await _record_denied(call, CatalogueEvent(operation, kind, target))

    return refused


async def _record_denied(call: Call, attempt: CatalogueEvent) -> None:
    async with call.platform.database.connection() as connection:
        await store.record_beside_chain(connection, attempt.describe_for(call), "denied")
