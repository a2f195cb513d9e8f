"""SQL that reads the version histories. The versions feature writes the versions."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from balcao.agents.versions.content import AgentContent, ChangeType
from balcao.core.database.pool import Connection, Row
from balcao.core.database.results import read_part
from balcao.core.database.statements import statement


class StoredVersion(msgspec.Struct, frozen=True):
    """A version, as the histories read it. In a list, the prompt is truncated to its first 100 characters."""

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
    """A page of versions. `total` counts the visible versions on all pages. `more` is true if older versions follow."""

    versions: list[StoredVersion]
    total: int
    more: bool


# A page ends after `limit` versions or before it would exceed `max_bytes`, but has at least one version. The sizes of
# the next `limit` + 1 versions are summed first, so that content is read only for versions that fit.
@statement("""
WITH visible AS NOT MATERIALIZED (
    SELECT version.* FROM agents.agent_versions AS version
    WHERE agent_type = :agent_type
      AND NOT EXISTS (SELECT FROM agents.agent_version_hidden AS hidden WHERE hidden.version_id = version.version_id)
), candidate AS (
    SELECT version, octet_length(memory_blocks::text) AS size FROM visible
    WHERE version < :before
    ORDER BY version DESC
    LIMIT :limit + 1
), measured AS (
    SELECT version, row_number() OVER newest AS place, sum(size) OVER newest AS size,
           min(version) OVER () AS furthest
    FROM candidate
    WINDOW newest AS (ORDER BY version DESC)
), page AS (
    SELECT visible.*, furthest FROM visible JOIN measured USING (version)
    WHERE place = 1 OR (place <= :limit AND size <= :max_bytes)
)
SELECT counted.total, furthest, version_id::text, config_id::text, prompt_id::text, version, change_type,
       page.created_at, author, reason, version_id IS NOT DISTINCT FROM active_version_id AS is_active,
       left(prompt, 100) AS prompt, memory_blocks, tools, model_name, embedding_name
FROM (SELECT count(*) AS total FROM visible) AS counted
LEFT JOIN page ON true
LEFT JOIN agents.agents AS agent ON agent.agent_type = page.agent_type
ORDER BY version DESC
""")
async def _list_visible(
    connection: Connection, agent_type: str, before: int, limit: int, max_bytes: int
) -> list[Row]: ...


async def list_visible_versions(
    connection: Connection, agent_type: str, before: int, limit: int, max_bytes: int
) -> VersionPage:
    """Return visible versions with a number below `before`, newest first."""
    rows = await _list_visible(connection, agent_type, before, limit, max_bytes)
    found = [row for row in rows if row["version"] is not None]
    more = bool(found) and found[-1]["furthest"] < found[-1]["version"]
    return VersionPage([read_part(StoredVersion, row) for row in found], rows[0]["total"], more)


@statement("""
SELECT version, version_id::text, config_id::text, prompt_id::text, change_type, version.created_at, author, reason,
       version_id IS NOT DISTINCT FROM active_version_id AS is_active,
       prompt, memory_blocks, tools, model_name, embedding_name
FROM agents.agent_versions AS version
JOIN agents.agents AS agent USING (agent_type)
WHERE agent_type = :agent_type AND version = ANY(:numbers::int[])
""")
async def list_numbered_versions(
    connection: Connection, agent_type: str, numbers: Sequence[int]
) -> Mapping[int, StoredVersion]:
    """Return the versions with these numbers, by number. Hidden versions are included."""
