"""One catalogue write: the lock, the change, its event in the chain and the new version, all in one transaction."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from balcao.access.catalogue import store
from balcao.access.catalogue.events import CatalogueEvent
from balcao.core.access.limits import DENIED
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Forbidden, Unavailable
from balcao.core.http.operations import RecordDenial
from balcao.core.logs import log

# How many reads of people's data by one caller are recorded, and under which key they are counted.
READS = ("60/minute", "access-reads")


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
    try:
        async with call.platform.database.transaction() as connection:
            write = CatalogueWrite(connection, await store.lock(connection), attempt)
            yield write
            if write.events:
                write.version = await store.record(connection, [event.describe_for(call) for event in write.events])
    except Forbidden:
        if call.caller is not None and await call.platform.limits.within(*DENIED, call.caller.key):
            await _record_denied(call, write.attempt)
        raise
    if write.events:
        await _reload(call)


async def lock(connection: Connection) -> None:
    """Let nobody else change the catalogue until the transaction ends."""
    await store.lock(connection)


async def record(connection: Connection, events: Sequence[dict[str, Any]]) -> None:
    """Raise the version once and append the events to the chain, where no call stands behind the change."""
    await store.record(connection, events)


async def record_read(call: Call, event: CatalogueEvent) -> None:
    """Record beside the chain that people's data were read; of a flood of one caller only the first ones.

    Raises Unavailable: whom nobody can name reads nothing.
    """
    if call.caller is not None and not await call.platform.limits.within(*READS, call.caller.key):
        return
    async with call.platform.database.connection() as connection:
        await store.record_beside(connection, event.describe_for(call), "done")


async def _reload(call: Call) -> None:
    """Take over the committed change; should the database be lost just now, the next poll brings the version."""
    try:
        await call.platform.catalogue.reload()
    except Unavailable:
        log.warning("catalogue.reload_failed")


def make_denial_recorder(operation: str, kind: str, identity: str = "") -> RecordDenial:
    """Return what records a call that the rule refused; `identity` names the path parameter with the target's id."""

    async def refused(call: Call, path: Mapping[str, str]) -> None:
        await _record_denied(call, CatalogueEvent(operation, kind, _parse_id(path.get(identity, ""))))

    return refused


async def _record_denied(call: Call, attempt: CatalogueEvent) -> None:
    async with call.platform.database.connection() as connection:
        await store.record_beside(connection, attempt.describe_for(call), "denied")


def _parse_id(text: str) -> str | None:
    """Return the text if it can be an id: the rest of a path may be anything, a person's number too."""
    return text if text.isascii() and text.isdigit() and len(text) < 11 else None
