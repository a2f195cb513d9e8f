"""SQL of the catalogue as a whole: its version and its audit trail."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import asyncpg

from balcao.core.database.pool import Connection, json_text
from balcao.core.database.queries import fetch_count
from balcao.core.errors import Unavailable

_LOCK = "SELECT version FROM access.catalogue_version FOR UPDATE"


async def lock(connection: Connection) -> int:
    """Return the present version; whoever holds the lock is the only one to change the catalogue."""
    return await fetch_count(connection, _LOCK)


_RECORD = "SELECT access.record_changes($1::jsonb)"


async def record(connection: Connection, events: Sequence[dict[str, Any]]) -> int:
    """Raise the version once, append the events to the chain and return the new version.

    Raises Unavailable when they cannot be written: no change without its event.
    """
    try:
        version: int = await connection.fetchval(_RECORD, json_text(events))
    except asyncpg.PostgresError as failure:
        raise Unavailable(code="audit-unwritable") from failure
    return version


_RECORD_DENIED = """
INSERT INTO access.audit_event (actor, operation, target_type, target_id, target_name, subject, outcome,
                                request_id, catalogue_version)
SELECT event.actor, event.operation, event.target_type, event.target_id, event.target_name, event.subject, 'denied',
       event.request_id, catalogue_version.version
FROM jsonb_populate_record(NULL::access.audit_event, $1::jsonb) AS event, access.catalogue_version
"""


_COUNT_EVENTS = "SELECT count(*) FROM access.audit_event"
# Of the chain only its beginning goes, and never its end: the first event that stays names the hash of the last that
# went, and the next change is chained to the end.
_DELETE_OLD_EVENTS = """
DELETE FROM access.audit_event
WHERE (seq IS NULL AND at <= now() - $1::interval)
   OR seq <= (SELECT max(seq) FROM access.audit_event
              WHERE at <= now() - $2::interval AND seq < (SELECT max(seq) FROM access.audit_event))
RETURNING true
"""


async def count_events(connection: Connection) -> int:
    return await fetch_count(connection, _COUNT_EVENTS)


async def delete_old_events(connection: Connection, beside_chain: timedelta, chained: timedelta) -> int:
    """Delete the events older than this, those in the chain and those beside it; return how many they were."""
    return len(await connection.fetch(_DELETE_OLD_EVENTS, beside_chain, chained))


async def record_denied(connection: Connection, event: dict[str, Any]) -> None:
    """Record a refused attempt beside the chain. Raises Unavailable."""
    try:
        await connection.execute(_RECORD_DENIED, json_text(event))
    except asyncpg.PostgresError as failure:
        raise Unavailable(code="audit-unwritable") from failure
