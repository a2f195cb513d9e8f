"""SQL of the mappings that administrators make; those of our own operations come by registration."""

from balcao.core.database.pool import Connection

_INSERT = """
INSERT INTO access.endpoint_mapping (method, path_pattern, action_id, description, created_by)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (method, shape) WHERE retired_at IS NULL DO NOTHING
RETURNING id
"""


async def insert(
    connection: Connection, method: str, path_pattern: str, action_id: int, description: str, created_by: str | None
) -> int | None:
    """Return the new id, or None when a mapping of the same method and shape exists."""
    made: int | None = await connection.fetchval(_INSERT, method, path_pattern, action_id, description, created_by)
    return made
