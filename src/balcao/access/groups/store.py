"""SQL of groups, their roles and their members."""

from collections.abc import Mapping, Sequence
from typing import Any

from balcao.core.database.pool import Connection, json_text
from balcao.core.values.cpf import Cpf

Attributes = Mapping[str, Sequence[str]]

_INSERT = """
INSERT INTO access.grp (name, description, attributes, origin, created_by) VALUES ($1, $2, $3::jsonb, 'custom', $4)
ON CONFLICT (name) DO NOTHING
RETURNING id
"""


async def insert(
    connection: Connection, name: str, description: str, attributes: Attributes, created_by: str | None
) -> int | None:
    """Return the new id, or None when the name exists."""
    made: int | None = await connection.fetchval(_INSERT, name, description, json_text(attributes), created_by)
    return made


_ID_OF = "SELECT id FROM access.grp WHERE name = $1"


async def find_id(connection: Connection, name: str) -> int | None:
    found: int | None = await connection.fetchval(_ID_OF, name)
    return found


_ROLE_NAMED = "SELECT id FROM access.role WHERE name = $1"


async def find_role_id(connection: Connection, name: str) -> int | None:
    found: int | None = await connection.fetchval(_ROLE_NAMED, name)
    return found


_ASSIGN = """
INSERT INTO access.group_role (group_id, role_id, granted_by) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING
RETURNING true
"""


async def assign(connection: Connection, group_id: int, role_id: int, granted_by: str | None) -> bool:
    """Return false when the group has the role already."""
    return bool(await connection.fetchval(_ASSIGN, group_id, role_id, granted_by))


_ADD_MEMBER = """
WITH known AS (SELECT id FROM access.person WHERE cpf = $2),
made AS (
    INSERT INTO access.person (cpf) SELECT $2 WHERE NOT EXISTS (SELECT FROM known) RETURNING id)
INSERT INTO access.membership (group_id, person_id, added_by)
SELECT $1, person.id, $3 FROM (SELECT id FROM known UNION ALL SELECT id FROM made) AS person
ON CONFLICT DO NOTHING
RETURNING true
"""


async def add_member(connection: Connection, group_id: int, cpf: Cpf, added_by: str | None) -> bool:
    """Add a person, also to the persons that the catalogue knows; return false for a member already."""
    return bool(await connection.fetchval(_ADD_MEMBER, group_id, cpf.digits, added_by))


_ADD_GROUPS = """
INSERT INTO access.grp (name, description, origin)
SELECT item.name, item.description, 'shipped'
FROM jsonb_to_recordset($1::jsonb) AS item(name text, description text)
ON CONFLICT (name) DO NOTHING
RETURNING name
"""


async def add_groups(connection: Connection, groups: Sequence[Any]) -> list[str]:
    """Add the groups that are missing and return their names."""
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
    """Give the seed data's own groups their roles; a group or role of the city's own is not touched."""
    return [dict(row) for row in await connection.fetch(_ADD_GROUP_ROLES, json_text(group_roles))]
