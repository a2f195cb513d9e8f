"""One catalogue write: the lock, the change, its event in the chain and the new version, all in one transaction."""

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

# How many reads of people's data by one caller are recorded, and under which key they are counted.
READS = ("60/minute", "access-reads")

Wanted = TypeVar("Wanted")
Value = TypeVar("Value")


class CatalogueWrite:
    """`version` is the present one until the block ends, then the one that the recorded change made."""

    def __init__(self, connection: Connection, version: int, attempt: CatalogueEvent) -> None:
        self.connection = connection
        self.version = version
        self.attempt = attempt
        self.events: list[CatalogueEvent] = []

    def record(self, event: CatalogueEvent) -> None:
        """Note an event for the chain, written when the block ends; without any the block has changed nothing."""
        self.events.append(event)


@asynccontextmanager
async def write_catalogue(call: Call, attempt: CatalogueEvent) -> AsyncIterator[CatalogueWrite]:
    """Let one catalogue write at a time run; afterwards this process already decides by the new version.

    A refusal raised inside leaves a trace of `attempt` once everything else is rolled back.
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
    """Return what `make` creates of `body`, or created when the same caller sent the same `Idempotency-Key` before.

    Raises Conflict for a key that came with another body, Invalid for a malformed one.
    """
    return msgspec.json.decode(await run_once(write.connection, call, None, [body], make), type=kind)


class CompletedChange(NamedTuple, Generic[Value]):
    """A change's result, and its event for the chain; None where nothing changed."""

    value: Value
    event: CatalogueEvent | None


class RequestedChange(NamedTuple, Generic[Wanted]):
    """One of the changes that share a transaction: what is wanted, and the call that wants it."""

    call: Call
    wanted: Wanted


@dataclass(frozen=True)
class GroupedChange(Generic[Wanted, Value]):
    """A kind of change of which concurrent ones share lock, transaction and commit (group commit).

    They are applied one after the other, each with an event and a version of its own. `make` applies several in order
    and returns for each the completed change, or the fault that refuses it, for which it must have written nothing.
    """

    make: Callable[
        [Connection, Sequence[RequestedChange[Wanted]]], Awaitable[Sequence[CompletedChange[Value] | BalcaoError]]
    ]

    async def run(self, call: Call, attempt: CatalogueEvent, wanted: Wanted) -> tuple[Value, int]:
        """Make a change as `write_catalogue` does; return what it left behind and the catalogue version."""
        turn = RequestedChange(call, wanted)
        async with _recording_denials(call, attempt):
            outcome, version = await call.platform.database.write_grouped(self._make_together, turn)
            if isinstance(outcome, BalcaoError):
                raise outcome
        if outcome.event is not None:
            await _reload(call, version)
        return outcome.value, version

    async def _make_together(
        self, connection: Connection, turns: Sequence[RequestedChange[Wanted]]
    ) -> list[tuple[CompletedChange[Value] | BalcaoError, int]]:
        """Return each outcome with the version that it made, or that it found at its turn."""
        async with connection.transaction():
            version = await store.lock_catalogue(connection)
            outcomes = await self.make(connection, turns)
            events = [
                outcome.event.describe_for(turn.call)
                for turn, outcome in zip(turns, outcomes, strict=True)
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
    """Record beside the chain that something was refused; of a flood of one caller only the first attempts."""
    if call.caller is not None and await call.platform.is_within(*DENIED, call.caller.key):
        await _record_denied(call, attempt)


async def record_read(call: Call, event: CatalogueEvent) -> None:
    """Record beside the chain that people's data were read; of a flood of one caller only the first ones.

    Raises Unavailable: whom nobody can name reads nothing.
    """
    if call.caller is not None and not await call.platform.is_within(*READS, call.caller.key):
        return
    async with call.platform.database.connection() as connection:
        await store.record_beside_chain(connection, event.describe_for(call), "done")


async def _reload(call: Call, version: int) -> None:
    """Take over the committed change.

    Should the database be lost just now, or the caller have all the connections that one may have, the next notice
    brings the version: the change is made, and a refusal would say that it is not.
    """
    try:
        await call.platform.catalogue.reach(version)
    except (TooMany, Unavailable):
        log.warning("catalogue.reload_failed")


def make_denial_recorder(operation: str, kind: str, identity: str = "") -> RecordDenial:
    """Return what records a call that the rule refused; `identity` names the path parameter with the target's id."""

    async def refused(call: Call, path: Mapping[str, str]) -> None:
        text = path.get(identity, "")
        # The parameter may hold anything, a CPF too, which must not reach the trail; an id has fewer digits.
        target = text if text.isascii() and text.isdigit() and len(text) < 11 else None
        await _record_denied(call, CatalogueEvent(operation, kind, target))

    return refused


async def _record_denied(call: Call, attempt: CatalogueEvent) -> None:
    async with call.platform.database.connection() as connection:
        await store.record_beside_chain(connection, attempt.describe_for(call), "denied")
