"""SQL of the catalogue as a whole: its version and its audit trail."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

import asyncpg
import msgspec

from balcao.access.catalogue.chain import Head, chain
from balcao.access.catalogue.events import Rows
from balcao.core.access.reach import Gift
from balcao.core.database.pool import Connection, json_text
from balcao.core.database.queries import fetch_count
from balcao.core.errors import Unavailable
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf

_LOCK = "SELECT version FROM access.catalogue_version FOR UPDATE"


async def lock(connection: Connection) -> int:
    """Return the present version; whoever holds the lock is the only one to change the catalogue."""
    return await fetch_count(connection, _LOCK)


# The lock is held: nobody else appends to the chain.
_NEXT = """
SELECT access.raise_version() AS version, coalesce(last.seq, 0) AS seq, coalesce(last.hash, repeat('0', 64)) AS hash
FROM (VALUES (1)) AS one
LEFT JOIN (
    SELECT seq, hash FROM access.audit_event WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1) AS last ON true
"""
_APPEND = """
INSERT INTO access.audit_event (seq, at, actor, operation, target_type, target_id, target_name, subject, before, after,
                                outcome, request_id, catalogue_version, prev_hash, hash)
SELECT seq, at, actor, operation, target_type, target_id, target_name, subject, before, after,
       outcome, request_id, catalogue_version, prev_hash, hash
FROM jsonb_populate_recordset(NULL::access.audit_event, $1::jsonb)
"""


async def record(connection: Connection, events: Sequence[dict[str, Any]]) -> int:
    """Raise the version once, append the events to the chain and return the new version.

    Raises Unavailable when they cannot be written: no change without its event.
    """
    try:
        row = await connection.fetchrow(_NEXT)
        head = Head(row["seq"], row["hash"], row["version"])
        rows = await asyncio.to_thread(chain, head, events, utc_now())
        await connection.execute(_APPEND, rows.decode())
    except asyncpg.PostgresError as failure:
        raise Unavailable(code="audit-unwritable") from failure
    return head.version


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
_DELETE_CHANGES = """
WITH gone AS (DELETE FROM access.change WHERE at <= now() - $1::interval RETURNING id)
SELECT count(*) AS number, max(id) AS last FROM gone
"""
_FORGET_UP_TO = "UPDATE access.catalogue_version SET forgotten = greatest(forgotten, $1)"


async def forget_changes(connection: Connection, age: timedelta) -> tuple[int, int]:
    """Delete the notes of changes older than this; return how many there were and how many went.

    Both statements are of the caller's transaction: whoever asks meanwhile is told either all of it or that it went.
    The deletion, of however many, locks nothing that anybody waits for; the catalogue is locked from then on.
    """
    checked = await fetch_count(connection, _COUNT_CHANGES)
    gone = await connection.fetchrow(_DELETE_CHANGES, age)
    if gone["number"]:
        await connection.execute(_FORGET_UP_TO, gone["last"])
    return checked, gone["number"]


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


class Held(msgspec.Struct, frozen=True):
    """Every way by which somebody comes to a role, and the names of their groups."""

    gifts: list[Gift]
    groups: list[str]


# Of a person and of a token's roles, with a role or a group as if it were given already.
_READ_HELD = """
WITH joined AS (
    SELECT group_id FROM access.membership JOIN access.person ON person.id = person_id WHERE cpf = $1
    UNION
    SELECT $4 WHERE $4::bigint IS NOT NULL),
way AS (
    SELECT id AS role_id, NULL::bigint AS group_id
    FROM access.role WHERE name = ANY($2::text[]) OR id = ANY($3::bigint[])
    UNION ALL
    SELECT role_id, NULL FROM access.person_role JOIN access.person ON person.id = person_id WHERE cpf = $1
    UNION ALL
    SELECT role_id, group_id FROM access.group_role JOIN joined USING (group_id))
SELECT jsonb_build_object(
    'gifts', (
        SELECT coalesce(jsonb_agg(jsonb_build_array(
            jsonb_build_object(
                'id', role.id, 'name', role.name, 'administrative', administrative,
                'actions', ARRAY(
                    SELECT coalesce(code_key, '#' || action.id)
                    FROM access.role_action JOIN access.action ON action.id = action_id
                    WHERE role_id = role.id)),
            coalesce(attributes, '{}'))), '[]')
        FROM way JOIN access.role ON role.id = role_id LEFT JOIN access.grp ON grp.id = group_id),
    'groups', ARRAY(SELECT name FROM access.grp JOIN joined ON grp.id = group_id))
"""


async def read_held(
    connection: Connection,
    cpf: Cpf | None,
    roles: Iterable[str] = (),
    *,
    given_roles: Sequence[int] = (),
    given_group: int | None = None,
) -> Held:
    """Return what the person holds by what is stored, with these roles of a token and with what is given to them."""
    found = await connection.fetchval(
        _READ_HELD, cpf.digits if cpf else None, list(roles), list(given_roles), given_group
    )
    return msgspec.json.decode(found, type=Held)


_ANY_ADMINISTRATIVE = "SELECT EXISTS (SELECT FROM access.role WHERE id = ANY($1::bigint[]) AND administrative)"


async def is_any_administrative(connection: Connection, roles: Sequence[int]) -> bool:
    return bool(await connection.fetchval(_ANY_ADMINISTRATIVE, list(roles)))


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


# Rows that are new have an id already (rules: access 4.7). `author` is who makes them.
_ITEM = """
WITH item AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS item(
        id bigint, name text, description text, attributes jsonb, method text, path_pattern text, role_id bigint,
        action_id bigint, group_id bigint)),
author AS (SELECT $2::text AS name)
"""


async def write_rows(connection: Connection, statements: Sequence[str], rows: Rows, author: str | None) -> None:
    """Run the statements, which find the rows in `item` and the author in `author`, one after the other."""
    document = json_text(rows)
    for statement in statements:
        await connection.execute(_ITEM + statement, document, author)
