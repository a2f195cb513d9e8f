"""SQL of groups, their roles and their members."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from balcao.access.groups.schemas import Group, Member
from balcao.access.records import Role
from balcao.core.database.pool import Connection, json_text
from balcao.core.database.queries import affected, fetch_page, page_sql

Attributes = Mapping[str, Sequence[str]]

_MEMBERS = """
id, name, description, created_by, created_at, attributes,
(SELECT count(*) FROM access.membership WHERE group_id = grp.id) AS member_count
"""


def _to_group(row: Mapping[str, Any]) -> Group:
    return Group(**{**row, "attributes": msgspec.json.decode(row["attributes"])})


_INSERT = f"""
INSERT INTO access.grp (name, description, attributes, origin, created_by) VALUES ($1, $2, $3::jsonb, 'custom', $4)
ON CONFLICT (name) DO NOTHING
RETURNING {_MEMBERS}
"""


async def insert(
    connection: Connection, name: str, description: str, attributes: Attributes, created_by: str | None
) -> Group | None:
    """Return the new group, or None when the name exists."""
    row = await connection.fetchrow(_INSERT, name, description, json_text(attributes), created_by)
    return _to_group(row) if row else None


_LIST = f'SELECT {_MEMBERS} FROM access.grp WHERE starts_with(lower(name), lower($1)) ORDER BY name COLLATE "C"'


async def fetch_groups(connection: Connection, prefix: str) -> list[Group]:
    """Return the groups whose name begins so, by name."""
    return [_to_group(row) for row in await connection.fetch(_LIST, prefix)]


_READ = f"SELECT {_MEMBERS} FROM access.grp WHERE name = $1"


async def read(connection: Connection, name: str) -> Group | None:
    row = await connection.fetchrow(_READ, name)
    return _to_group(row) if row else None


_UPDATE = "UPDATE access.grp SET description = $2, attributes = $3::jsonb WHERE id = $1"


async def update(connection: Connection, group: Group) -> None:
    await connection.execute(_UPDATE, group.id, group.description, json_text(group.attributes))


@dataclass(frozen=True)
class FoundGroup:
    """`roles` are the ids of the roles that the group gives."""

    id: int
    name: str
    description: str
    roles: list[int]
    attributes: dict[str, list[str]]


_FIND = """
SELECT id, name, description, attributes,
       ARRAY(SELECT role_id FROM access.group_role WHERE group_id = grp.id) AS roles
FROM access.grp
WHERE name = $1
"""


async def find(connection: Connection, name: str) -> FoundGroup | None:
    row = await connection.fetchrow(_FIND, name)
    return FoundGroup(**{**row, "attributes": msgspec.json.decode(row["attributes"])}) if row else None


_MANAGING = "SELECT attributes FROM access.grp WHERE attributes ? 'manages'"


async def fetch_managing(connection: Connection) -> list[dict[str, list[str]]]:
    """Return the attributes of the groups that manage the members of others."""
    return [msgspec.json.decode(row["attributes"]) for row in await connection.fetch(_MANAGING)]


_DESCRIBE = """
SELECT ARRAY(
           SELECT role.name FROM access.group_role JOIN access.role ON role.id = role_id
           WHERE group_id = $1 ORDER BY role.name COLLATE "C") AS roles,
       ARRAY(
           SELECT cpf FROM access.membership JOIN access.person ON person.id = person_id
           WHERE group_id = $1 ORDER BY joined_at, person_id) AS members
"""


async def describe_held(connection: Connection, group_id: int) -> dict[str, Any]:
    """Return the names of the group's roles and the numbers of its members."""
    return dict(await connection.fetchrow(_DESCRIBE, group_id))


_DELETE = "DELETE FROM access.grp WHERE id = $1"


async def delete(connection: Connection, group_id: int) -> None:
    """Delete the group; its roles and memberships go with it."""
    await connection.execute(_DELETE, group_id)


_ROLES = """
SELECT role.id, role.name, role.description, role.created_by,
       CASE role.origin WHEN 'custom' THEN role.created_at END AS created_at
FROM access.group_role
JOIN access.role ON role.id = role_id
WHERE group_id = $1
ORDER BY role.name COLLATE "C"
"""


async def fetch_roles(connection: Connection, group_id: int) -> list[Role]:
    """Return the roles that the group gives, by name."""
    return [Role(**row) for row in await connection.fetch(_ROLES, group_id)]


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


_REMOVE_ROLE = "DELETE FROM access.group_role WHERE group_id = $1 AND role_id = $2"


async def remove_role(connection: Connection, group_id: int, role_id: int) -> bool:
    """Return false when the group did not have the role."""
    return affected(await connection.execute(_REMOVE_ROLE, group_id, role_id)) > 0


_MEMBERS_OF = page_sql(
    """
    SELECT cpf AS subject, display_name, joined_at, added_by
    FROM access.membership
    JOIN access.person ON person.id = person_id
    WHERE group_id = $1
    ORDER BY joined_at DESC, person_id DESC
    LIMIT $2 OFFSET $3
    """,
    "SELECT count(*) FROM access.membership WHERE group_id = $1",
)


async def fetch_members(
    connection: Connection, group_id: int, limit: int | None, skip: int
) -> tuple[list[Member], int]:
    """Return the group's members, newest first, and how many there are; all of them without a limit."""
    rows, total = await fetch_page(connection, _MEMBERS_OF, group_id, limit, skip)
    return [Member(**row) for row in rows], total


_ADD_MEMBER = """
INSERT INTO access.membership (group_id, person_id, added_by) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING
RETURNING true
"""


async def add_member(connection: Connection, group_id: int, person_id: int, added_by: str | None) -> bool:
    """Return false for a member already."""
    return bool(await connection.fetchval(_ADD_MEMBER, group_id, person_id, added_by))


_REMOVE_MEMBER = """
DELETE FROM access.membership USING access.person
WHERE group_id = $1 AND person.id = person_id AND cpf = $2
"""


async def remove_member(connection: Connection, group_id: int, cpf: str) -> bool:
    """Return false for somebody who was no member."""
    return affected(await connection.execute(_REMOVE_MEMBER, group_id, cpf)) > 0


# Administration is never taken from some members before it is known whether it may be taken from all of them.
_REMOVE_BEYOND = """
WITH leaving AS (
    SELECT person_id FROM access.membership
    WHERE group_id = $1 AND NOT EXISTS (
        SELECT FROM access.group_role JOIN access.role ON role.id = role_id WHERE group_id = $1 AND administrative)
    ORDER BY joined_at, person_id OFFSET $2 LIMIT $2)
DELETE FROM access.membership USING access.person
WHERE group_id = $1 AND person.id = membership.person_id AND person.id IN (SELECT person_id FROM leaving)
RETURNING cpf
"""


async def remove_beyond(connection: Connection, group_id: int, kept: int) -> list[str]:
    """Remove as many members as are kept, of those beyond so many, and return their numbers."""
    return [row["cpf"] for row in await connection.fetch(_REMOVE_BEYOND, group_id, kept)]


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
