"""SQL of the histories: reading versions that another feature writes."""

from datetime import datetime
from typing import Any

import msgspec

from balcao.agents.versions.content import AgentContent, ChangeType
from balcao.core.database.pool import Connection, Row


class StoredVersion(msgspec.Struct, frozen=True):
    """A version as the histories show it; in a list the prompt is cut to its first 100 characters."""

    version_id: str
    config_id: str
    prompt_id: str
    version: int
    change_type: ChangeType
    created_at: datetime
    author: str
    reason: str
    is_active: bool
    content: AgentContent


class VersionPage(msgspec.Struct, frozen=True):
    """`total` counts the visible versions of all pages; `more` tells whether older ones follow."""

    versions: list[StoredVersion]
    total: int
    more: bool


# A page's candidates are the next `limit` + 1 by number; contents are read only for those that fit in the response.
_PAGE = """
WITH visible AS NOT MATERIALIZED (
    SELECT version.* FROM agents.agent_versions AS version
    WHERE agent_type = $1
      AND NOT EXISTS (SELECT FROM agents.agent_version_hidden AS hidden WHERE hidden.version_id = version.version_id)
), candidate AS (
    SELECT version, octet_length(memory_blocks::text) AS size FROM visible
    WHERE version < $2
    ORDER BY version DESC
    LIMIT $3 + 1
), measured AS (
    SELECT version, row_number() OVER newest AS place, sum(size) OVER newest AS size,
           min(version) OVER () AS furthest
    FROM candidate
    WINDOW newest AS (ORDER BY version DESC)
), page AS (
    SELECT visible.*, furthest FROM visible JOIN measured USING (version)
    WHERE place = 1 OR (place <= $3 AND size <= $4)
)
SELECT counted.total, furthest, version_id::text, config_id::text, prompt_id::text, version, change_type,
       page.created_at, author, reason, version_id IS NOT DISTINCT FROM active_version_id AS is_active,
       left(prompt, 100) AS prompt, memory_blocks, tools, model_name, embedding_name
FROM (SELECT count(*) AS total FROM visible) AS counted
LEFT JOIN page ON true
LEFT JOIN agents.agents AS agent ON agent.agent_type = page.agent_type
ORDER BY version DESC
"""


async def list_page(connection: Connection, agent_type: str, before: int, limit: int, max_bytes: int) -> VersionPage:
    """Return visible versions with a number below `before`, newest first."""
    rows = list(await connection.fetch(_PAGE, agent_type, before, limit, max_bytes))
    found = [row for row in rows if row["version"] is not None]
    more = bool(found) and found[-1]["furthest"] < found[-1]["version"]
    return VersionPage([_to_version(row) for row in found], rows[0]["total"], more)


_READ = """
SELECT version_id::text, config_id::text, prompt_id::text, version, change_type, version.created_at, author, reason,
       version_id IS NOT DISTINCT FROM active_version_id AS is_active,
       prompt, memory_blocks, tools, model_name, embedding_name
FROM agents.agent_versions AS version
JOIN agents.agents AS agent USING (agent_type)
WHERE agent_type = $1 AND version = ANY($2::int[])
"""


async def read_versions(connection: Connection, agent_type: str, *numbers: int) -> dict[int, StoredVersion]:
    """Return those of these versions that exist, by number; hidden ones, too."""
    rows = await connection.fetch(_READ, agent_type, list(numbers))
    return {row["version"]: _to_version(row) for row in rows}


def _to_version(row: Row) -> StoredVersion:
    lists: dict[str, Any] = {name: msgspec.json.decode(row[name]) for name in ("memory_blocks", "tools")}
    fields = dict(row) | lists
    return msgspec.convert(fields | {"content": fields}, StoredVersion)
