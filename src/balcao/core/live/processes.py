"""The running processes of all machines.

Each process stores a note about itself in the database and updates it periodically. A process that ends normally
deletes its note. The note of a killed process remains for an hour without updates, so that operators can see later what
happened.
"""

import asyncio
import contextlib
import functools
import socket
from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta

import msgspec

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection, Database
from balcao.core.database.statements import statement
from balcao.core.errors import BalcaoError
from balcao.core.repeating import repeating
from balcao.core.values.ids import new_id
from balcao.version import describe_version

# The interval at which a process updates its note.
BEAT_SECONDS = 15.0
# Without an update for this long, a process is shown as not running.
SILENT_AFTER = timedelta(seconds=60)
# If the note has not been updated for this long, another process deletes it.
DELETED_AFTER = timedelta(hours=1)
# The maximum time for which an ending process waits for a database that is down. Its note then expires later.
_PATIENCE_SECONDS = 1.0


class Note(msgspec.Struct, frozen=True):
    """The note that a process stores about itself. `services` are the services that the process serves."""

    id: str
    name: str
    host: str
    version: str
    services: list[str]


class NotedProcess(msgspec.Struct, frozen=True):
    """The note of a process. `beats` is false if the process is dead, frozen, or disconnected from the database."""

    id: str
    name: str
    host: str
    version: str
    services: list[str]
    started_at: datetime
    beat_at: datetime
    beats: bool


# Never delete this process's own note. After the machine was suspended, it may be old too.
@statement("""
WITH forgotten AS (
    DELETE FROM platform.process WHERE beat_at < clock_timestamp() - :forgotten::interval AND id <> :id::uuid
)
INSERT INTO platform.process (id, name, host, version, services)
VALUES (:id::uuid, :name, :host, :version, :services::text[])
ON CONFLICT (id) DO UPDATE SET beat_at = clock_timestamp()
""")
async def _beat(connection: Connection, note: Note, forgotten: timedelta) -> None: ...


@statement("DELETE FROM platform.process WHERE id = :id::uuid")
async def _remove_note(connection: Connection, id: str) -> None: ...


@statement("""
SELECT id::text, name, host, version, services, started_at, beat_at,
       beat_at > clock_timestamp() - :silent::interval AS beats
FROM platform.process ORDER BY host, name, started_at
""")
async def _list_processes(connection: Connection, silent: timedelta) -> list[NotedProcess]:
    """Return the processes, sorted by machine and name."""


async def list_processes(connection: Connection) -> list[NotedProcess]:
    """Return the processes of all machines, sorted by machine and name."""
    return await _list_processes(connection, SILENT_AFTER)


@contextlib.asynccontextmanager
async def maintain_note(platform: Platform, services: Sequence[str]) -> AsyncIterator[None]:
    """Maintain the note of this process while the block runs."""
    note = Note(new_id(), platform.metrics.process, socket.gethostname(), describe_version(), list(services))
    await _say(platform.database, note)
    try:
        async with repeating(functools.partial(_say, platform.database, note), BEAT_SECONDS):
            yield
    finally:
        with contextlib.suppress(BalcaoError, TimeoutError):
            async with asyncio.timeout(_PATIENCE_SECONDS), platform.database.connection() as connection:
                await _remove_note(connection, note.id)


async def _say(database: Database, note: Note) -> None:
    """Update the note. If the database is down, do nothing: a later update will succeed."""
    with contextlib.suppress(BalcaoError):
        async with database.connection() as connection:
            await _beat(connection, note, DELETED_AFTER)
