"""SQL of the catalogue as a whole: its version and its audit trail."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

import asyncpg

from balcao.core.database.pool import Connection, json_text
from balcao.core.database.queries import fetch_count
from balcao.core.errors import Unavailable
from balcao.core.values.cpf import Cpf

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


_RECORD_EACH = "SELECT access.record_each($1::jsonb)"


async def record_each(connection: Connection, events: Sequence[dict[str, Any]]) -> list[int]:
    """Append the events to the chain, each with a version of its own, and return the versions. Raises Unavailable."""
    try:
        versions: list[int] = await connection.fetchval(_RECORD_EACH, json_text(events))
    except asyncpg.PostgresError as failure:
        raise Unavailable(code="audit-unwritable") from failure
    return versions


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


_HEAD = "SELECT seq, hash FROM access.audit_event WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1"


async def read_head(connection: Connection) -> tuple[int, str] | None:
    """Return number and hash of the chain's last event."""
    row = await connection.fetchrow(_HEAD)
    return (row["seq"], row["hash"]) if row else None


_COUNT_CHANGES = "SELECT count(*) FROM access.change"
# In one statement: whoever asks meanwhile is told either all of it or that it went.
_FORGET_CHANGES = """
WITH gone AS (DELETE FROM access.change WHERE at <= now() - $1::interval RETURNING id)
UPDATE access.catalogue_version SET forgotten = greatest(forgotten, (SELECT max(id) FROM gone))
RETURNING (SELECT count(*) FROM gone)
"""


async def forget_changes(connection: Connection, age: timedelta) -> tuple[int, int]:
    """Delete the notes of changes older than this; return how many there were and how many went."""
    checked = await fetch_count(connection, _COUNT_CHANGES)
    return checked, await fetch_count(connection, _FORGET_CHANGES, age)


_RECORD_BESIDE = """
INSERT INTO access.audit_event (actor, operation, target_type, target_id, target_name, subject, outcome,
                                request_id, catalogue_version)
SELECT event.actor, event.operation, event.target_type, event.target_id, event.target_name, event.subject, $2,
       event.request_id, catalogue_version.version
FROM jsonb_populate_record(NULL::access.audit_event, $1::jsonb) AS event, access.catalogue_version
"""


async def record_beside(connection: Connection, event: dict[str, Any], outcome: str) -> None:
    """Record a refused attempt or a read beside the chain. Raises Unavailable."""
    try:
        await connection.execute(_RECORD_BESIDE, json_text(event), outcome)
    except asyncpg.PostgresError as failure:
        raise Unavailable(code="audit-unwritable") from failure


_READ_AUTHORITY = """
WITH held AS (
    SELECT id, name, administrative FROM access.role
    WHERE name = ANY($1::text[])
       OR id IN (
           SELECT role_id FROM access.person_role JOIN access.person ON person.id = person_id WHERE cpf = $2
           UNION
           SELECT role_id
           FROM access.group_role
           JOIN access.membership USING (group_id)
           JOIN access.person ON person.id = person_id
           WHERE cpf = $2))
SELECT EXISTS (SELECT FROM held WHERE name = 'superadmin') AS is_superadmin,
       EXISTS (SELECT FROM held WHERE administrative) AS is_administrator,
       EXISTS (SELECT FROM access.role WHERE id = ANY($3::bigint[]) AND administrative) AS gives_administration,
       EXISTS (
           SELECT FROM access.role_action
           WHERE role_id = ANY($3::bigint[])
             AND action_id NOT IN (SELECT action_id FROM access.role_action JOIN held ON held.id = role_id)) AS exceeds
"""


async def read_authority(
    connection: Connection, roles: Iterable[str], cpf: Cpf | None, given: Sequence[int]
) -> asyncpg.Record:
    """Return what a caller with these token roles is, and whether the given roles go beyond their own."""
    return await connection.fetchrow(_READ_AUTHORITY, list(roles), cpf.digits if cpf else None, list(given))


_COUNT_ADMINISTRATORS = """
SELECT count(*) FROM (
    SELECT person_id FROM access.person_role JOIN access.role ON role.id = role_id WHERE administrative
    UNION
    SELECT person_id
    FROM access.membership
    JOIN access.group_role USING (group_id)
    JOIN access.role ON role.id = role_id
    WHERE administrative) AS administrators
"""


async def count_administrators(connection: Connection) -> int:
    """Return how many people hold an administrative role by what is stored."""
    return await fetch_count(connection, _COUNT_ADMINISTRATORS)
