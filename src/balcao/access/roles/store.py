"""SQL of roles and what they grant."""

from collections.abc import Sequence
from typing import Any

from balcao.core.database.pool import Connection, json_text

_INSERT = """
INSERT INTO access.role (name, description, origin, created_by) VALUES ($1, $2, 'custom', $3)
ON CONFLICT (name) DO NOTHING
RETURNING id
"""


async def insert(connection: Connection, name: str, description: str, created_by: str | None) -> int | None:
    """Return the new id, or None when the name exists."""
    made: int | None = await connection.fetchval(_INSERT, name, description, created_by)
    return made


_ID_OF = "SELECT id FROM access.role WHERE name = $1"


async def find_id(connection: Connection, name: str) -> int | None:
    found: int | None = await connection.fetchval(_ID_OF, name)
    return found


_ACTION_NAMED = "SELECT id FROM access.action WHERE name = $1"


async def find_action_id(connection: Connection, name: str) -> int | None:
    found: int | None = await connection.fetchval(_ACTION_NAMED, name)
    return found


_GRANT = """
INSERT INTO access.role_action (role_id, action_id, granted_by) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING
RETURNING true
"""


async def grant(connection: Connection, role_id: int, action_id: int, granted_by: str | None) -> bool:
    """Return false when the role grants it already."""
    return bool(await connection.fetchval(_GRANT, role_id, action_id, granted_by))


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
