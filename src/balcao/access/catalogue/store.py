"""SQL of the catalogue as a whole: its version, its audit trail, and what a release writes once."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import asyncpg

from balcao.core.database.pool import Connection, json_text
from balcao.core.errors import Unavailable


class Written(NamedTuple):
    """`held` is the action of a grant and the role of a group's role."""

    kind: str
    name: str
    held: str = ""


_LOCK = "SELECT version FROM access.catalogue_version FOR UPDATE"


async def lock(connection: Connection) -> int:
    """The present version; whoever holds the lock is the only one to change the catalogue."""
    version: int = await connection.fetchval(_LOCK)
    return version


_RECORD = "SELECT access.record_changes($1::jsonb)"


async def record(connection: Connection, events: Sequence[dict[str, Any]]) -> int:
    """Raises the version once and appends the events to the chain; answers the new version.

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


async def record_denied(connection: Connection, event: dict[str, Any]) -> None:
    """Beside the chain. Raises Unavailable."""
    try:
        await connection.execute(_RECORD_DENIED, json_text(event))
    except asyncpg.PostgresError as failure:
        raise Unavailable(code="audit-unwritable") from failure


_WRITTEN = "SELECT kind, name, held FROM access.shipped_once"


async def written_once(connection: Connection) -> set[Written]:
    return {Written(*row) for row in await connection.fetch(_WRITTEN)}


_MARK = """
INSERT INTO access.shipped_once (kind, name, held)
SELECT kind, name, held FROM jsonb_to_recordset($1::jsonb) AS item(kind text, name text, held text)
"""


async def mark_written(connection: Connection, items: Sequence[Written]) -> None:
    if items:
        await connection.execute(_MARK, json_text([item._asdict() for item in items]))


_ADD_ACTIONS = """
SELECT access.declared_action(item.value ->> 'key', item.value ->> 'description'), item.value ->> 'key' AS key
FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS item
"""


async def add_actions(connection: Connection, actions: Sequence[Any]) -> list[str]:
    """Code keys of the actions that were made or, by an early registration, already there."""
    return [row["key"] for row in await connection.fetch(_ADD_ACTIONS, json_text(actions))]


_ADD_ROLES = """
INSERT INTO access.role (name, description, administrative, origin)
SELECT item.name, item.description, item.administrative, 'shipped'
FROM jsonb_to_recordset($1::jsonb) AS item(name text, description text, administrative boolean)
ON CONFLICT (name) DO NOTHING
RETURNING name
"""


async def add_roles(connection: Connection, roles: Sequence[Any]) -> list[str]:
    return [row["name"] for row in await connection.fetch(_ADD_ROLES, json_text(roles))]


_ADD_GRANTS = """
WITH made AS (
    INSERT INTO access.role_action (role_id, action_id)
    SELECT role.id, action.id
    FROM jsonb_to_recordset($1::jsonb) AS item(role text, action text)
    JOIN access.role ON role.name = item.role AND role.origin = 'shipped'
    JOIN access.action ON action.code_key = item.action
    ON CONFLICT DO NOTHING
    RETURNING role_id, action_id)
SELECT role.name AS role, action.code_key AS action
FROM made
JOIN access.role ON role.id = made.role_id
JOIN access.action ON action.id = made.action_id
ORDER BY role.id, action.id
"""


async def add_grants(connection: Connection, grants: Sequence[Any]) -> list[dict[str, str]]:
    """Only to shipped roles: a role of the city's own is not widened by a release."""
    return [dict(row) for row in await connection.fetch(_ADD_GRANTS, json_text(grants))]


_ADD_GROUPS = """
INSERT INTO access.grp (name, description, origin)
SELECT item.name, item.description, 'shipped'
FROM jsonb_to_recordset($1::jsonb) AS item(name text, description text)
ON CONFLICT (name) DO NOTHING
RETURNING name
"""


async def add_groups(connection: Connection, groups: Sequence[Any]) -> list[str]:
    return [row["name"] for row in await connection.fetch(_ADD_GROUPS, json_text(groups))]


_ADD_GROUP_ROLES = """
WITH made AS (
    INSERT INTO access.group_role (group_id, role_id)
    SELECT grp.id, role.id
    FROM jsonb_to_recordset($1::jsonb) AS item("group" text, role text)
    JOIN access.grp ON grp.name = item."group" AND grp.origin = 'shipped'
    JOIN access.role ON role.name = item.role AND role.origin = 'shipped'
    ON CONFLICT DO NOTHING
    RETURNING group_id, role_id)
SELECT grp.name AS "group", role.name AS role
FROM made
JOIN access.grp ON grp.id = made.group_id
JOIN access.role ON role.id = made.role_id
"""


async def add_group_roles(connection: Connection, group_roles: Sequence[Any]) -> list[dict[str, str]]:
    return [dict(row) for row in await connection.fetch(_ADD_GROUP_ROLES, json_text(group_roles))]
