"""Incidents that operators publish: opened, updated and resolved by commands, and shown on the status page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from balcao.core.context.call import Call
from balcao.core.context.reasons import refuse_personal_data
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.errors import Conflict, NotFound
from balcao.core.values.text import clean_text

LONGEST_TITLE, LONGEST_NOTE = 120, 1000
RETENTION_PERIOD = timedelta(days=400)
Severity = Literal["degraded", "down"]


@dataclass(frozen=True)
class Incident:
    """An incident that affects one or more services.

    `notes` and `written` are its messages and their times, in order.
    """

    number: int
    title: str
    services: list[str]
    severity: str
    opened_at: datetime
    resolved_at: datetime | None
    notes: list[str]
    written: list[datetime]


@statement("""
INSERT INTO platform.incident (title, services, severity) VALUES (:title, :services, :severity) RETURNING number
""")
async def _insert_incident(connection: Connection, title: str, services: Sequence[str], severity: Severity) -> int: ...


@statement("""
INSERT INTO platform.incident_note (incident, words, author) VALUES (:incident, :words, :author)
""")
async def _insert_note(connection: Connection, incident: int, words: str, author: str) -> None: ...


@statement("SELECT resolved_at IS NULL FROM platform.incident WHERE number = :number FOR UPDATE")
async def _lock_incident(connection: Connection, number: int) -> bool | None:
    """Return whether the incident is open, or None if it does not exist."""


@statement("UPDATE platform.incident SET resolved_at = clock_timestamp() WHERE number = :number")
async def _mark_resolved(connection: Connection, number: int) -> None: ...


@statement("""
SELECT number, title, services, severity, opened_at, resolved_at,
       array(SELECT words FROM platform.incident_note WHERE incident = number ORDER BY written_at) AS notes,
       array(SELECT written_at FROM platform.incident_note WHERE incident = number ORDER BY written_at) AS written
FROM platform.incident
WHERE resolved_at IS NULL OR resolved_at >= :since ORDER BY opened_at DESC, number DESC
LIMIT :limit
""")
async def list_incidents(connection: Connection, since: datetime, limit: int) -> list[Incident]:
    """Return the incidents that are open or were resolved after `since`, newest first."""


@statement("SELECT count(*) FROM platform.incident")
async def count_incidents(connection: Connection) -> int:
    """Return the number of stored incidents."""


@statement("DELETE FROM platform.incident WHERE resolved_at < now() - :age::interval")
async def delete_old_incidents(connection: Connection, age: timedelta) -> int:
    """Delete incidents resolved more than `age` ago, with their notes. Return the number of deleted incidents."""


async def open_incident(
    call: Call, title: str, services: Sequence[str], severity: Severity, words: str, author: str
) -> int:
    """Publish an incident and return its number.

    Raises Invalid if the title or message is too short or too long, or contains control characters or personal data.
    """
    title, words = _clean("title", title, LONGEST_TITLE), _clean("message", words, LONGEST_NOTE)
    async with call.platform.database.transaction() as connection:
        number = await _insert_incident(connection, title, services, severity)
        await _insert_note(connection, number, words, author)
        await call.platform.audit.record(connection, call, "create", fields=services)
    return number


async def add_note(call: Call, number: int, words: str, author: str, *, resolves: bool = False) -> None:
    """Add a note to an open incident. With `resolves`, it also closes the incident.

    Raises NotFound if the incident does not exist, Conflict if it is resolved, or Invalid if `open_incident` would
    reject the message.
    """
    words = _clean("message", words, LONGEST_NOTE)
    async with call.platform.database.transaction() as connection:
        is_open = await _lock_incident(connection, number)
        if is_open is None:
            raise NotFound(f"Não há o incidente {number}.")
        if not is_open:
            raise Conflict(f"O incidente {number} já está resolvido: abra outro.")
        await _insert_note(connection, number, words, author)
        if resolves:
            await _mark_resolved(connection, number)
        await call.platform.audit.record(connection, call, "update", fields=[f"incident:{number}"])


def _clean(field: str, text: str, longest: int) -> str:
    """Return the cleaned text for the public. Raises Invalid if `open_incident` would reject it."""
    return refuse_personal_data(field, clean_text(field, text, longest=longest))
