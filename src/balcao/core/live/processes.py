"""Which processes run, on all machines: each notes itself in the database, and says again and again that it lives.

A process that ends in order takes its note away. That of a killed one stays for an hour, silent, so that somebody who
looks later sees what has happened.
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

BEAT_SECONDS = 15.0
SILENT = timedelta(seconds=60)
FORGOTTEN = timedelta(hours=1)
# A process that ends does not wait longer for a database that is away: its note then grows old.
_PATIENCE_SECONDS = 1.0


class Note(msgspec.Struct, frozen=True):
    """What a process says of itself; `services` is what it serves."""

    id: str
    name: str
    host: str
    version: str
    services: list[str]


class NotedProcess(msgspec.Struct, frozen=True):
    """A process as it noted itself; it does not beat when it is gone, frozen, or cut off from the database."""

    id: str
    name: str
    host: str
    version: str
    services: list[str]
    started_at: datetime
    beat_at: datetime
    beats: bool


# Its own note may be old, too, after a machine was suspended.
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
    """Return the processes, by machine and name."""


async def list_processes(connection: Connection) -> list[NotedProcess]:
    """Return the processes of all machines, by machine and name."""
    return await _list_processes(connection, SILENT)


@contextlib.asynccontextmanager
async def noting(platform: Platform, services: Sequence[str]) -> AsyncIterator[None]:
    """Keep the note of this process while the block lasts."""
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
    """Say that the process lives; a database that is away is told next time."""
    with contextlib.suppress(BalcaoError):
        async with database.connection() as connection:
            await _beat(connection, note, FORGOTTEN)
