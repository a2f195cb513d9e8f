"""SQL that reads prompts."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


class StoredPrompt(NamedTuple):
    """The prompt of a version."""

    prompt: str
    agent_type: str
    version: int
    prompt_id: str
    created_at: datetime


@statement("""
SELECT prompt, version.agent_type, version, prompt_id::text, version.created_at
FROM agents.agents AS agent
JOIN agents.agent_versions AS version ON version.version_id = agent.active_version_id
WHERE agent.agent_type = :agent_type
""")
async def select_active_prompt(connection: Connection, agent_type: str) -> StoredPrompt | None: ...


@statement("""
SELECT prompt, agent_type, version, prompt_id::text, created_at FROM agents.agent_versions WHERE prompt_id = :prompt_id
""")
async def select_prompt(connection: Connection, prompt_id: UUID) -> StoredPrompt | None: ...


@statement('SELECT agent_type FROM agents.agents ORDER BY agent_type COLLATE "C"')
async def list_agent_types(connection: Connection) -> list[str]: ...


@statement("""
SELECT block ->> 'label' AS label
FROM agents.agents AS agent
JOIN agents.agent_versions AS version ON version.version_id = agent.active_version_id,
     jsonb_array_elements(memory_blocks) AS block
WHERE agent.agent_type = :agent_type
""")
async def list_active_labels(connection: Connection, agent_type: str) -> list[str]:
    """Return the labels of the active version's memory blocks. The list is empty if the agent is unknown."""
