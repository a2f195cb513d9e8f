"""SQL of the versions, the active pointer and the log of its moves."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from balcao.agents.versions.content import EMPTY, AgentContent, classify_change
from balcao.core.context.call import Author
from balcao.core.database.batching import Lookup
from balcao.core.database.pool import Connection, Database, Row, json_text
from balcao.core.exports.declaration import Export, Exports, Rows


class AgentVersion(msgspec.Struct, frozen=True):
    """A stored version, as those who move the pointer need it."""

    version_id: UUID
    config_id: UUID
    prompt_id: UUID
    version: int
    change_type: str
    created_at: datetime
    hidden: bool
    content_hash: bytes
    content: AgentContent


_CONFIG_BY_ID = Lookup(
    "uuid",
    """
SELECT asked.key, config_id::text, agent_type, version, memory_blocks, tools, model_name, embedding_name, created_at
FROM asked JOIN agents.agent_versions AS version ON version.config_id = asked.key
""",
)


async def read_config(database: Database, config_id: UUID) -> dict[str, Any] | None:
    """Return the members of a configuration, by a look-up that other callers share."""
    row = await database.fetch_by_key(_CONFIG_BY_ID, config_id)
    if row is None:
        return None
    members = dict(row) | _decode_lists(row)
    del members["key"]
    return members


_ACTIVE_CONFIG = """
SELECT config_id::text, agent_type, version, memory_blocks, tools, model_name, embedding_name, version.created_at
FROM agents.agents AS agent
JOIN agents.agent_versions AS version USING (agent_type)
WHERE agent_type = $1 AND version.version_id = agent.active_version_id
"""


async def read_active_config(connection: Connection, agent_type: str) -> dict[str, Any] | None:
    """Return the members of the active version's configuration."""
    row = await connection.fetchrow(_ACTIVE_CONFIG, agent_type)
    return None if row is None else dict(row) | _decode_lists(row)


_CREATE_AGENT = "INSERT INTO agents.agents (agent_type) VALUES ($1) ON CONFLICT DO NOTHING"


async def create_agent(connection: Connection, agent_type: str) -> None:
    """Create an agent unless it is there."""
    await connection.execute(_CREATE_AGENT, agent_type)


_LOCK = "SELECT true FROM agents.agents WHERE agent_type = $1 FOR UPDATE"


async def lock(connection: Connection, agent_type: str) -> bool:
    """Lock an agent: whoever holds the row is alone in numbering versions and moving the pointer.

    Return false for an unknown type.
    """
    return bool(await connection.fetchval(_LOCK, agent_type))


# A statement of its own, after the lock: one that waits for a lock reads joined rows as they were before the wait.
_ACTIVE = """
SELECT active.version
FROM agents.agents AS agent
JOIN agents.agent_versions AS active ON active.version_id = agent.active_version_id
WHERE agent.agent_type = $1
"""


async def read_active_version(connection: Connection, agent_type: str) -> int | None:
    number: int | None = await connection.fetchval(_ACTIVE, agent_type)
    return number


_READ = """
SELECT version.version_id, config_id, prompt_id, version, change_type, created_at, content_hash, prompt,
       memory_blocks, tools, model_name, embedding_name, hidden.version_id IS NOT NULL AS hidden
FROM agents.agent_versions AS version
LEFT JOIN agents.agent_version_hidden AS hidden USING (version_id)
WHERE agent_type = $1 AND version = $2
"""


async def read(connection: Connection, agent_type: str, version: int) -> AgentVersion | None:
    row = await connection.fetchrow(_READ, agent_type, version)
    if row is None:
        return None
    fields = dict(row) | _decode_lists(row)
    return msgspec.convert(fields | {"content": fields}, AgentVersion)


_INSERT = """
WITH numbered AS (
    UPDATE agents.agents SET next_version = next_version + 1 WHERE agent_type = $1 RETURNING next_version - 1 AS version
)
INSERT INTO agents.agent_versions
    (version_id, config_id, prompt_id, agent_type, version, prompt, memory_blocks, tools, model_name, embedding_name,
     change_type, base_version, author, author_sub, reason, content_hash, created_at)
SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), $1, version, $2, $3::jsonb, $4::jsonb, $5, $6,
       $7, $8, $9, $10, $11, $12, $13
FROM numbered
RETURNING version
"""


async def insert(
    connection: Connection,
    agent_type: str,
    content: AgentContent,
    change_type: str,
    base: int | None,
    author: Author,
    reason: str,
    at: datetime,
) -> int:
    """Insert a version and return its number; the agent's row is locked."""
    blocks, tools = json_text(content.memory_blocks), json_text(content.tools)
    texts = (content.prompt, blocks, tools, content.model_name, content.embedding_name)
    number: int = await connection.fetchval(
        _INSERT, agent_type, *texts, change_type, base, author.name, author.subject, reason, content.hash, at
    )
    return number


_IMPORT = """
WITH numbered AS (
    UPDATE agents.agents SET next_version = greatest(next_version, $2 + 1) WHERE agent_type = $1
)
INSERT INTO agents.agent_versions
    (version_id, config_id, prompt_id, agent_type, version, prompt, memory_blocks, tools, model_name, embedding_name,
     change_type, base_version, author, author_sub, reason, content_hash, created_at)
VALUES (coalesce($3, gen_random_uuid()), coalesce($4, gen_random_uuid()), coalesce($5, gen_random_uuid()), $1, $2,
        $6, $7::jsonb, $8::jsonb, $9, $10, $11, $12, $13, $14, $15, $16, $17)
RETURNING version_id
"""


async def import_version(
    connection: Connection,
    agent_type: str,
    version: int,
    ids: Sequence[UUID | None],
    content: AgentContent,
    base: AgentVersion | None,
    author: Author,
    reason: str,
    at: datetime,
) -> UUID:
    """Insert a version under the number of a former system and return its id; the agent's row is locked.

    `ids` are those of version, configuration and prompt, where the former system has any.
    """
    blocks, tools = json_text(content.memory_blocks), json_text(content.tools)
    texts = (content.prompt, blocks, tools, content.model_name, content.embedding_name)
    origin = (classify_change(base.content if base else EMPTY, content), base.version if base else None)
    signed = (author.name, author.subject, reason, content.hash, at)
    found: UUID = await connection.fetchval(_IMPORT, agent_type, version, *ids, *texts, *origin, *signed)
    return found


_NEWEST_BEFORE = "SELECT max(version) FROM agents.agent_versions WHERE agent_type = $1 AND version < $2"


async def read_before(connection: Connection, agent_type: str, version: int) -> AgentVersion | None:
    """Return the version with the next lower number."""
    number = await connection.fetchval(_NEWEST_BEFORE, agent_type, version)
    return None if number is None else await read(connection, agent_type, number)


_LAST_MOVER = "SELECT author FROM agents.agent_activations WHERE agent_type = $1 ORDER BY id DESC LIMIT 1"


async def read_last_mover(connection: Connection, agent_type: str) -> str | None:
    """Return who moved the pointer last; None before the first activation."""
    author: str | None = await connection.fetchval(_LAST_MOVER, agent_type)
    return author


_POINT = """
UPDATE agents.agents
SET active_version_id = (SELECT version_id FROM agents.agent_versions WHERE agent_type = $1 AND version = $2)
WHERE agent_type = $1
"""


async def set_active_version(connection: Connection, agent_type: str, version: int) -> None:
    await connection.execute(_POINT, agent_type, version)


_LOG = """
INSERT INTO agents.agent_activations (agent_type, from_version, to_version, kind, reason, author, em)
VALUES ($1, $2, $3, $4, $5, $6, $7)
RETURNING id
"""


async def insert_activation(
    connection: Connection,
    agent_type: str,
    moved: tuple[int | None, int],
    kind: str,
    reason: str,
    author: str,
    at: datetime,
) -> int:
    """Log a move of the pointer and return its number; `moved` is from and to."""
    number: int = await connection.fetchval(_LOG, agent_type, *moved, kind, reason, author, at)
    return number


# Hidden versions are passed over: they are never active again.
_BEFORE = """
SELECT log.from_version
FROM agents.agent_activations AS log
JOIN agents.agents AS agent USING (agent_type)
JOIN agents.agent_versions AS version ON version.agent_type = log.agent_type AND version.version = log.from_version
WHERE log.agent_type = $1
  AND version.version_id IS DISTINCT FROM agent.active_version_id
  AND NOT EXISTS (SELECT FROM agents.agent_version_hidden AS hidden WHERE hidden.version_id = version.version_id)
ORDER BY log.id DESC LIMIT 1
"""


async def read_previous_version(connection: Connection, agent_type: str) -> int | None:
    """Return the version that was active last before the present one and is not hidden."""
    before: int | None = await connection.fetchval(_BEFORE, agent_type)
    return before


_NEWEST_VISIBLE = """
SELECT max(version) FROM agents.agent_versions AS version
WHERE agent_type = $1
  AND NOT EXISTS (SELECT FROM agents.agent_version_hidden AS hidden WHERE hidden.version_id = version.version_id)
"""


async def read_newest_visible(connection: Connection, agent_type: str) -> int | None:
    """Return the highest number of a version that is not hidden."""
    number: int | None = await connection.fetchval(_NEWEST_VISIBLE, agent_type)
    return number


_WAS_ACTIVE = "SELECT EXISTS (SELECT FROM agents.agent_activations WHERE agent_type = $1 AND to_version = $2)"


async def was_active(connection: Connection, agent_type: str, version: int) -> bool:
    return bool(await connection.fetchval(_WAS_ACTIVE, agent_type, version))


_HIDE = """
INSERT INTO agents.agent_version_hidden (version_id, hidden_by, hidden_at, reason) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING
RETURNING true
"""


async def hide(connection: Connection, version_id: UUID, author: str, at: datetime, reason: str) -> bool:
    """Return false when it was hidden already."""
    return bool(await connection.fetchval(_HIDE, version_id, author, at, reason))


_LAST_NUMBER = "SELECT next_version - 1 FROM agents.agents WHERE agent_type = $1"


async def read_last_number(connection: Connection, agent_type: str) -> int:
    return await connection.fetchval(_LAST_NUMBER, agent_type) or 0


def _decode_lists(row: Row) -> dict[str, Any]:
    return {name: msgspec.json.decode(row[name]) for name in ("memory_blocks", "tools")}


_LINE = """
to_jsonb(stored) - 'content_hash' || jsonb_build_object(
    'active', EXISTS (SELECT FROM agents.agents WHERE active_version_id = stored.version_id),
    'hidden', EXISTS (SELECT FROM agents.agent_version_hidden AS hidden WHERE hidden.version_id = stored.version_id))
"""
EXPORTS = Exports(
    [Export("versions", Rows("agents.agent_versions", _LINE, key=("agent_type", "version")))],
    tables=("agents.agents", "agents.agent_activations", "agents.agent_version_hidden"),
)
