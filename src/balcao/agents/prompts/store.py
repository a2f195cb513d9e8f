"""SQL of the texts of instructions."""

from uuid import UUID

from balcao.core.database.pool import Connection, Row

_ACTIVE = """
SELECT prompt, version.agent_type, version, prompt_id::text, version.created_at
FROM agents.agents AS agent
JOIN agents.agent_versions AS version ON version.version_id = agent.active_version_id
WHERE agent.agent_type = $1
"""


async def read_active(connection: Connection, agent_type: str) -> Row | None:
    return await connection.fetchrow(_ACTIVE, agent_type)


_BY_ID = """
SELECT prompt, agent_type, version, prompt_id::text, created_at FROM agents.agent_versions WHERE prompt_id = $1
"""


async def read(connection: Connection, prompt_id: UUID) -> Row | None:
    return await connection.fetchrow(_BY_ID, prompt_id)


_TYPES = 'SELECT agent_type FROM agents.agents ORDER BY agent_type COLLATE "C"'


async def list_agent_types(connection: Connection) -> list[str]:
    return [row["agent_type"] for row in await connection.fetch(_TYPES)]


_LABELS = """
SELECT block ->> 'label' AS label
FROM agents.agents AS agent
JOIN agents.agent_versions AS version ON version.version_id = agent.active_version_id,
     jsonb_array_elements(memory_blocks) AS block
WHERE agent.agent_type = $1
"""


async def list_active_labels(connection: Connection, agent_type: str) -> list[str]:
    """Return the labels of the active version's memory blocks; none for an unknown agent."""
    return [row["label"] for row in await connection.fetch(_LABELS, agent_type)]
