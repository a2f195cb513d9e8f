"""SQL of roles and what they grant."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from balcao.access.records import Role
from balcao.access.roles.schemas import GrantedAction
from balcao.core.database.pool import Connection, json_text
from balcao.core.database.queries import affected, fetch_page, page_sql

# Of what came with the platform nobody is the author, and no moment of the city's.
_MEMBERS = "id, name, description, created_by, CASE origin WHEN 'custom' THEN created_at END AS created_at"

_INSERT = f"""
INSERT INTO access.role (name, description, origin, created_by) VALUES ($1, $2, 'custom', $3)
ON CONFLICT (name) DO NOTHING
RETURNING {_MEMBERS}
"""


async def insert(connection: Connection, name: str, description: str, created_by: str | None) -> Role | None:
    """Return the new role, or None when the name exists."""
    row = await connection.fetchrow(_INSERT, name, description, created_by)
    return Role(**row) if row else None


_LIST = page_sql(
    f'SELECT {_MEMBERS} FROM access.role ORDER BY name COLLATE "C" LIMIT $1 OFFSET $2',
    "SELECT count(*) FROM access.role",
)


async def fetch_roles(connection: Connection, limit: int, skip: int) -> tuple[list[dict[str, Any]], int]:
    """Return the page's roles by name, and how many there are."""
    return await fetch_page(connection, _LIST, limit, skip)


@dataclass(frozen=True)
class FoundRole:
    """`groups` are the names of the groups that give the role to their members."""

    id: int
    name: str
    description: str
    administrative: bool
    groups: list[str]


_FIND = """
SELECT id, name, description, administrative,
       ARRAY(
           SELECT grp.name FROM access.group_role JOIN access.grp ON grp.id = group_id
           WHERE role_id = role.id ORDER BY grp.name COLLATE "C") AS groups
FROM access.role
WHERE name = $1
"""


async def find(connection: Connection, name: str) -> FoundRole | None:
    row = await connection.fetchrow(_FIND, name)
    return FoundRole(**row) if row else None


_DELETE = "DELETE FROM access.role WHERE id = $1"


async def delete(connection: Connection, role_id: int) -> None:
    """Delete the role; what it grants and whom it was given to directly go with it."""
    await connection.execute(_DELETE, role_id)


_UPDATE = f"UPDATE access.role SET description = $2 WHERE id = $1 RETURNING {_MEMBERS}"


async def update(connection: Connection, role_id: int, description: str) -> Role:
    """Return the role with its new description."""
    return Role(**await connection.fetchrow(_UPDATE, role_id, description))


_HELD = """
SELECT ARRAY(
           SELECT action.name FROM access.role_action JOIN access.action ON action.id = action_id
           WHERE role_id = $1 ORDER BY action.name COLLATE "C") AS actions,
       ARRAY(
           SELECT cpf FROM access.person_role JOIN access.person ON person.id = person_id
           WHERE role_id = $1 ORDER BY person_id) AS people
"""


async def describe_held(connection: Connection, role_id: int) -> dict[str, Any]:
    """Return the names of the actions that the role grants, and the numbers of the people who have it directly."""
    return dict(await connection.fetchrow(_HELD, role_id))


# An administrative role grants every action.
_GRANTED = """
SELECT id, name, description FROM access.action
WHERE $2 OR id IN (SELECT action_id FROM access.role_action WHERE role_id = $1)
ORDER BY name COLLATE "C"
"""


async def fetch_granted(connection: Connection, role: FoundRole) -> list[GrantedAction]:
    """Return the actions that the role grants, by name."""
    return [GrantedAction(**row) for row in await connection.fetch(_GRANTED, role.id, role.administrative)]


@dataclass(frozen=True)
class FoundAction:
    id: int
    name: str
    code_key: str | None


_ACTION_NAMED = "SELECT id, name, code_key FROM access.action WHERE name = $1"


async def find_action(connection: Connection, name: str) -> FoundAction | None:
    row = await connection.fetchrow(_ACTION_NAMED, name)
    return FoundAction(**row) if row else None


_GRANT = """
INSERT INTO access.role_action (role_id, action_id, granted_by) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING
RETURNING true
"""


async def grant(connection: Connection, role_id: int, action_id: int, granted_by: str | None) -> bool:
    """Return false when the role grants it already."""
    return bool(await connection.fetchval(_GRANT, role_id, action_id, granted_by))


_REVOKE = "DELETE FROM access.role_action WHERE role_id = $1 AND action_id = $2"


async def revoke(connection: Connection, role_id: int, action_id: int) -> bool:
    """Return false when the role did not grant it."""
    return affected(await connection.execute(_REVOKE, role_id, action_id)) > 0


_ADD_ROLES = """
INSERT INTO access.role (name, description, administrative, origin)
SELECT item.name, item.description, item.administrative, 'shipped'
FROM jsonb_to_recordset($1::jsonb) AS item(name text, description text, administrative boolean)
ON CONFLICT (name) DO NOTHING
RETURNING name
"""


async def add_roles(connection: Connection, roles: Sequence[Any]) -> list[str]:
    """Add the roles that are missing and return their names."""
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
    """Grant actions to roles of the seed data only: a role of the city's own is not widened by a release."""
    return [dict(row) for row in await connection.fetch(_ADD_GRANTS, json_text(grants))]
