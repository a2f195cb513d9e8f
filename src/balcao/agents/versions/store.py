"""SQL for versions, the active version and the log of activations."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from balcao.agents.versions.content import AgentContent, ChangeType
from balcao.core.context.call import Author
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.core.exports.declaration import Export, Exports, Rows


class AgentVersion(msgspec.Struct, frozen=True):
    """A stored version. `hidden` means that the histories do not show it."""

    version_id: UUID
    config_id: UUID
    prompt_id: UUID
    version: int
    change_type: str
    created_at: datetime
    hidden: bool
    content_hash: bytes
    content: AgentContent


class StoredConfig(msgspec.Struct, frozen=True):
    """A version without its prompt."""

    config_id: str
    agent_type: str
    version: int
    memory_blocks: list[dict[str, Any]]
    tools: list[str]
    model_name: str
    embedding_name: str
    created_at: datetime


@lookup("""
SELECT config_id::text, agent_type, version, memory_blocks, tools, model_name, embedding_name, created_at
FROM agents.agent_versions WHERE config_id = :config_id
""")
async def read_config(source: Source, config_id: UUID) -> StoredConfig | None:
    """Return the configuration with this id, or None."""


@lookup("""
SELECT config_id::text, agent_type, version, memory_blocks, tools, model_name, embedding_name, version.created_at
FROM agents.agents AS agent
JOIN agents.agent_versions AS version USING (agent_type)
WHERE agent_type = :agent_type AND version.version_id = agent.active_version_id
""")
async def select_active_config(source: Source, agent_type: str) -> StoredConfig | None:
    """Return the active version's configuration, or None if no version is active."""


@statement("INSERT INTO agents.agents (agent_type) VALUES (:agent_type) ON CONFLICT DO NOTHING")
async def create_agent(connection: Connection, agent_type: str) -> None:
    """Create an agent if it does not exist."""


@statement("SELECT true FROM agents.agents WHERE agent_type = :agent_type FOR UPDATE")
async def lock_agent(connection: Connection, agent_type: str) -> bool:
    """Lock an agent. Return False if the agent type is unknown.

    Only the transaction that holds this lock may number versions and change the active version.
    """


# This is a separate statement, not a join in `lock_agent`. Under READ COMMITTED, a statement that has waited for a row
# lock sees the new version of the locked row, but the old versions of joined rows.
@statement("""
SELECT active.version
FROM agents.agents AS agent
JOIN agents.agent_versions AS active ON active.version_id = agent.active_version_id
WHERE agent.agent_type = :agent_type
""")
async def read_active_version(connection: Connection, agent_type: str) -> int | None: ...


@statement("""
SELECT version.version_id, config_id, prompt_id, version, change_type, created_at, content_hash, prompt,
       memory_blocks, tools, model_name, embedding_name, hidden.version_id IS NOT NULL AS hidden
FROM agents.agent_versions AS version
LEFT JOIN agents.agent_version_hidden AS hidden USING (version_id)
WHERE agent_type = :agent_type AND version = :version
""")
async def read_agent_version(connection: Connection, agent_type: str, version: int) -> AgentVersion | None: ...


@statement("""
WITH numbered AS (
    UPDATE agents.agents SET next_version = next_version + 1 WHERE agent_type = :agent_type
    RETURNING next_version - 1 AS version
)
INSERT INTO agents.agent_versions
    (version_id, config_id, prompt_id, agent_type, version, prompt, memory_blocks, tools, model_name, embedding_name,
     change_type, base_version, author, author_sub, reason, content_hash, created_at)
SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), :agent_type, version, :prompt,
       :memory_blocks::jsonb, :tools::jsonb, :model_name, :embedding_name,
       :change_type, :base, :author.name, :author.subject, :reason, :content.hash, :at
FROM numbered
RETURNING version
""")
async def insert_version(
    connection: Connection,
    agent_type: str,
    content: AgentContent,
    change_type: ChangeType,
    base: int | None,
    author: Author,
    reason: str,
    at: datetime,
) -> int:
    """Insert a version and return its number. The caller must hold the lock on the agent's row."""


class FormerIds(NamedTuple):
    """A version's ids in the previous system. An unknown id is None."""

    version_id: UUID | None
    config_id: UUID | None
    prompt_id: UUID | None


@statement("""
WITH numbered AS (
    UPDATE agents.agents SET next_version = greatest(next_version, :version + 1) WHERE agent_type = :agent_type
)
INSERT INTO agents.agent_versions
    (version_id, config_id, prompt_id, agent_type, version, prompt, memory_blocks, tools, model_name, embedding_name,
     change_type, base_version, author, author_sub, reason, content_hash, created_at)
VALUES (coalesce(:ids.version_id, gen_random_uuid()), coalesce(:ids.config_id, gen_random_uuid()),
        coalesce(:ids.prompt_id, gen_random_uuid()), :agent_type, :version, :prompt,
        :memory_blocks::jsonb, :tools::jsonb, :model_name, :embedding_name,
        :change_type, :base, :author.name, :author.subject, :reason, :content.hash, :at)
RETURNING version_id
""")
async def import_version(
    connection: Connection,
    agent_type: str,
    version: int,
    ids: FormerIds,
    content: AgentContent,
    change_type: ChangeType,
    base: int | None,
    author: Author,
    reason: str,
    at: datetime,
) -> UUID:
    """Insert a version with its number from the previous system. Return its id.

    The caller must hold the lock on the agent's row.
    """


async def read_version_before(connection: Connection, agent_type: str, version: int) -> AgentVersion | None:
    """Return the version with the next lower number, or None."""
    number = await _find_number_before(connection, agent_type, version)
    return None if number is None else await read_agent_version(connection, agent_type, number)


@statement("SELECT max(version) FROM agents.agent_versions WHERE agent_type = :agent_type AND version < :version")
async def _find_number_before(connection: Connection, agent_type: str, version: int) -> int | None: ...


@statement("SELECT author FROM agents.agent_activations WHERE agent_type = :agent_type ORDER BY id DESC LIMIT 1")
async def read_last_mover(connection: Connection, agent_type: str) -> str | None:
    """Return the author of the most recent activation, or None if no version was ever activated."""


@statement("""
UPDATE agents.agents
SET active_version_id = (
    SELECT version_id FROM agents.agent_versions WHERE agent_type = :agent_type AND version = :version)
WHERE agent_type = :agent_type
""")
async def set_active_version(connection: Connection, agent_type: str, version: int) -> None: ...


@statement("""
INSERT INTO agents.agent_activations (agent_type, from_version, to_version, kind, reason, author, em)
VALUES (:agent_type, :before, :after, :kind, :reason, :author, :at)
RETURNING id
""")
async def insert_activation(
    connection: Connection,
    agent_type: str,
    before: int | None,
    after: int,
    kind: str,
    reason: str,
    author: str,
    at: datetime,
) -> int:
    """Log an activation, with the versions that were active before and after. Return the id of the log entry."""


# Skip hidden versions, because they can never become active again.
@statement("""
SELECT log.from_version
FROM agents.agent_activations AS log
JOIN agents.agents AS agent USING (agent_type)
JOIN agents.agent_versions AS version ON version.agent_type = log.agent_type AND version.version = log.from_version
WHERE log.agent_type = :agent_type
  AND version.version_id IS DISTINCT FROM agent.active_version_id
  AND NOT EXISTS (SELECT FROM agents.agent_version_hidden AS hidden WHERE hidden.version_id = version.version_id)
ORDER BY log.id DESC LIMIT 1
""")
async def read_previous_version(connection: Connection, agent_type: str) -> int | None:
    """Return the most recent version that was active before the current one and is not hidden, or None."""


@statement("""
SELECT max(version) FROM agents.agent_versions AS version
WHERE agent_type = :agent_type
  AND NOT EXISTS (SELECT FROM agents.agent_version_hidden AS hidden WHERE hidden.version_id = version.version_id)
""")
async def read_newest_visible_version(connection: Connection, agent_type: str) -> int | None:
    """Return the highest number of a version that is not hidden, or None."""


@statement("""
SELECT EXISTS (SELECT FROM agents.agent_activations WHERE agent_type = :agent_type AND to_version = :version)
""")
async def was_version_active(connection: Connection, agent_type: str, version: int) -> bool: ...


@statement("""
INSERT INTO agents.agent_version_hidden (version_id, hidden_by, hidden_at, reason)
VALUES (:version_id, :author, :at, :reason)
ON CONFLICT DO NOTHING
RETURNING true
""")
async def mark_version_hidden(connection: Connection, version_id: UUID, author: str, at: datetime, reason: str) -> bool:
    """Hide a version. Return False if it is already hidden."""


@lookup("SELECT next_version - 1 FROM agents.agents WHERE agent_type = :agent_type")
async def select_last_number(source: Source, agent_type: str) -> int | None: ...


_LINE = """
to_jsonb(stored) - 'content_hash' || jsonb_build_object(
    'active', EXISTS (SELECT FROM agents.agents WHERE active_version_id = stored.version_id),
    'hidden', EXISTS (SELECT FROM agents.agent_version_hidden AS hidden WHERE hidden.version_id = stored.version_id))
"""
EXPORTS = Exports(
    [Export("versions", Rows("agents.agent_versions", _LINE, key=("agent_type", "version")))],
    tables=("agents.agents", "agents.agent_activations", "agents.agent_version_hidden"),
)
