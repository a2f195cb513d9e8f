"""SQL of the actions."""

from dataclasses import dataclass

from balcao.access.actions.schemas import Action
from balcao.core.database.pool import Connection

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


_UPDATE = """
UPDATE access.action SET name = $2, description = $3, row_version = row_version + 1, updated_at = now() WHERE id = $1
"""


async def update(connection: Connection, action_id: int, name: str, description: str) -> None:
    await connection.execute(_UPDATE, action_id, name, description)


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
