"""SQL of the actions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from balcao.access.actions.renaming import KnownAction
from balcao.access.actions.schemas import (
    Action,
    BoundMapping,
    GivingGroup,
    GrantingRole,
)
from balcao.core.access.reach import describe_group
from balcao.core.database.pool import Connection
from balcao.core.database.queries import fetch_page, page_sql

MAX_ID = 2**63 - 1


@dataclass(frozen=True)
class FoundAction:
    """`reserved`: one of the platform's own, whose name is fixed. `name_taken`: by another action."""

    action: Action
    reserved: bool
    name_taken: bool


_FIND = """
SELECT action.id, action.name, action.description,
       (SELECT count(*) FROM access.endpoint_mapping
        WHERE action_id = action.id AND retired_at IS NULL) AS endpoint_count,
       coalesce(action.code_key LIKE 'platform:%', false) AS reserved,
       EXISTS (SELECT FROM access.action AS other WHERE other.name = $2 AND other.id <> action.id) AS name_taken
FROM access.action
WHERE action.id = $1
"""


async def find(connection: Connection, action_id: int, new_name: str | None) -> FoundAction | None:
    """Return the action and what stands in the way of renaming it; any integer may be asked for."""
    row = await connection.fetchrow(_FIND, action_id, new_name) if 0 < action_id <= MAX_ID else None
    if row is None:
        return None
    action = Action(row["id"], row["name"], row["description"], row["endpoint_count"])
    return FoundAction(action, row["reserved"], row["name_taken"])


_FIND_MANY = """
SELECT action.id, action.name, action.description,
       (SELECT count(*) FROM access.endpoint_mapping
        WHERE action_id = action.id AND retired_at IS NULL) AS endpoint_count,
       coalesce(action.code_key LIKE 'platform:%', false) AS reserved
FROM access.action
WHERE id = ANY($1::bigint[]) OR name = ANY($2::text[])
"""


async def find_many(connection: Connection, ids: Iterable[int], names: Iterable[str]) -> list[KnownAction]:
    """Return the actions with these ids, any integers, and those with these names."""
    found = await connection.fetch(_FIND_MANY, [one for one in ids if 0 < one <= MAX_ID], list(names))
    return [
        KnownAction(Action(row["id"], row["name"], row["description"], row["endpoint_count"]), row["reserved"])
        for row in found
    ]


_UPDATE = """
UPDATE access.action SET name = $2, description = $3, row_version = row_version + 1, updated_at = now() WHERE id = $1
"""


async def update_each(connection: Connection, actions: Sequence[Action]) -> None:
    """Give the actions their names and descriptions, one after the other: a name that one frees the next may take."""
    await connection.executemany(_UPDATE, [(action.id, action.name, action.description) for action in actions])


_ID_OF = "SELECT id FROM access.action WHERE name = $1"


async def find_id(connection: Connection, name: str) -> int | None:
    found: int | None = await connection.fetchval(_ID_OF, name)
    return found


_ID_OF_KEY = "SELECT id FROM access.action WHERE code_key = $1"


async def find_id_by_key(connection: Connection, code_key: str) -> int | None:
    found: int | None = await connection.fetchval(_ID_OF_KEY, code_key)
    return found


_INSERT = """
INSERT INTO access.action (name, description, origin, created_by)
SELECT $1::text, $2, 'custom', $3 WHERE NOT EXISTS (SELECT FROM access.action WHERE name = $1)
RETURNING id
"""


async def insert(connection: Connection, name: str, description: str, created_by: str | None) -> int | None:
    """Return the new id, or None when the name is in use."""
    made: int | None = await connection.fetchval(_INSERT, name, description, created_by)
    return made


_PAGE = page_sql(
    """
    SELECT id, name, description,
           (SELECT count(*) FROM access.endpoint_mapping
            WHERE action_id = action.id AND retired_at IS NULL) AS endpoint_count
    FROM (
        SELECT * FROM access.action
        WHERE position(lower($1) IN lower(name)) > 0 ORDER BY id LIMIT $2 OFFSET $3) AS action
    ORDER BY id
    """,
    "SELECT count(*) FROM access.action WHERE position(lower($1) IN lower(name)) > 0",
)


async def fetch_actions(connection: Connection, search: str, limit: int, skip: int) -> tuple[list[Action], int]:
    """Return the page's actions by id, and how many there are."""
    rows, total = await fetch_page(connection, _PAGE, search, limit, skip)
    return [Action(**row) for row in rows], total


class Uses(msgspec.Struct):
    """Everything that hangs on an action, of one catalogue version."""

    version: int
    mappings: list[BoundMapping]
    custom: int
    roles: list[GrantingRole]
    groups: list[GivingGroup]
    also_checked_by: list[str]
    people_count: int

    @property
    def system(self) -> int:
        """Return how many operations of our own are bound to the action."""
        return len(self.mappings) - self.custom


_USES = """
WITH bound AS (
    SELECT id, method, path_pattern, service, operation_key
    FROM access.endpoint_mapping WHERE action_id = $1 AND retired_at IS NULL),
granting AS (
    SELECT role.id, role.name FROM access.role JOIN access.role_action ON role_id = role.id WHERE action_id = $1),
giving AS (
    SELECT grp.id, grp.name, grp.attributes,
           (SELECT count(*) FROM access.membership WHERE group_id = grp.id) AS member_count
    FROM access.grp
    WHERE id IN (SELECT group_id FROM access.group_role JOIN granting ON granting.id = role_id))
SELECT jsonb_build_object(
    'version', version,
    'mappings', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', id, 'method', method, 'path_pattern', path_pattern, 'service', service)
            ORDER BY path_pattern COLLATE "C", method), '[]')
        FROM bound),
    'custom', (SELECT count(*) FROM bound WHERE operation_key IS NULL),
    'roles', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name) ORDER BY name COLLATE "C"), '[]')
        FROM granting),
    'groups', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', id, 'name', name, 'member_count', member_count, 'reach', attributes)
            ORDER BY name COLLATE "C"), '[]')
        FROM giving),
    'also_checked_by', (
        SELECT coalesce(jsonb_agg(operation_key ORDER BY operation_key), '[]')
        FROM access.endpoint_mapping
        WHERE retired_at IS NULL AND (SELECT code_key FROM access.action WHERE id = $1) = ANY(also)),
    'people_count', (
        SELECT count(*) FROM (
            SELECT person_id FROM access.person_role JOIN granting ON granting.id = role_id
            UNION
            SELECT person_id FROM access.membership JOIN giving ON giving.id = group_id) AS people))
FROM access.catalogue_version
"""


async def read_uses(connection: Connection, action_id: int) -> Uses:
    """Return what hangs on the action: its mappings, the roles that grant it and whom those reach."""
    uses = msgspec.json.decode(await connection.fetchval(_USES, action_id), type=Uses)
    for group in uses.groups:
        group.reach = describe_group(group.name, group.reach)
    return uses


_DELETE = "DELETE FROM access.action WHERE id = $1 RETURNING code_key"


async def delete(connection: Connection, action_id: int) -> str | None:
    """Delete the action and what grants it, and return its code key; no mapping may be bound to it."""
    code_key: str | None = await connection.fetchval(_DELETE, action_id)
    return code_key


# An administrative role grants every action but the platform's own, which nobody is granted.
_GRANTING = """
SELECT id, name FROM access.role
WHERE id IN (SELECT role_id FROM access.role_action WHERE action_id = $1)
   OR administrative AND EXISTS (
       SELECT FROM access.action
       WHERE action.id = $1 AND (code_key IS NULL OR code_key NOT IN ('platform:public', 'platform:machine')))
"""
_ROLES = f"""SELECT name FROM ({_GRANTING}) AS granting ORDER BY name COLLATE "C" """


async def fetch_granting_roles(connection: Connection, action_id: int) -> list[str]:
    """Return the names of the roles that grant the action, administrative ones too."""
    return [row["name"] for row in await connection.fetch(_ROLES, action_id)]


_WAYS = f"""
SELECT person_id, granting.name AS role, 'direct' AS source, NULL AS "group", '{{}}'::jsonb AS attributes
FROM access.person_role JOIN ({_GRANTING}) AS granting ON granting.id = role_id
UNION ALL
SELECT person_id, granting.name, 'group', grp.name, grp.attributes
FROM access.membership
JOIN access.group_role USING (group_id)
JOIN ({_GRANTING}) AS granting ON granting.id = role_id
JOIN access.grp ON grp.id = group_id
"""
_HOLDERS = page_sql(
    f"""
    SELECT cpf AS subject, display_name, jsonb_agg(
        jsonb_build_object('role', role, 'source', source, 'group', "group", 'reach', attributes)
        ORDER BY role COLLATE "C", "group" COLLATE "C") AS via
    FROM access.person JOIN ({_WAYS}) AS ways ON person_id = person.id
    GROUP BY person.id ORDER BY person.id LIMIT $2 OFFSET $3
    """,
    f"SELECT count(DISTINCT person_id) FROM ({_WAYS}) AS ways",
)


async def fetch_holders(
    connection: Connection, action_id: int, limit: int, skip: int
) -> tuple[list[dict[str, Any]], int]:
    """Return the page's holders by the person's id, without how far all their ways reach, and how many there are."""
    rows, total = await fetch_page(connection, _HOLDERS, action_id, limit, skip)
    return [{**row, "via": [_show_way(way) for way in msgspec.json.decode(row["via"])]} for row in rows], total


def _show_way(way: dict[str, Any]) -> dict[str, Any]:
    return {**way, "reach": describe_group(way["group"] or "", way["reach"])}
