"""SQL of roles and what they grant."""

from balcao.core.database.pool import Connection

_INSERT = """
INSERT INTO access.role (name, description, origin, created_by) VALUES ($1, $2, 'custom', $3)
ON CONFLICT (name) DO NOTHING
RETURNING id
"""


async def insert(connection: Connection, name: str, description: str, created_by: str | None) -> int | None:
    """None when the name exists."""
    made: int | None = await connection.fetchval(_INSERT, name, description, created_by)
    return made


_ID_OF = "SELECT id FROM access.role WHERE name = $1"


async def id_of(connection: Connection, name: str) -> int | None:
    found: int | None = await connection.fetchval(_ID_OF, name)
    return found


_ACTION_NAMED = "SELECT id FROM access.action WHERE name = $1"


async def action_named(connection: Connection, name: str) -> int | None:
    found: int | None = await connection.fetchval(_ACTION_NAMED, name)
    return found


_GRANT = """
INSERT INTO access.role_action (role_id, action_id, granted_by) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING
RETURNING true
"""


async def grant(connection: Connection, role_id: int, action_id: int, granted_by: str | None) -> bool:
    """False when the role grants it already."""
    return bool(await connection.fetchval(_GRANT, role_id, action_id, granted_by))
