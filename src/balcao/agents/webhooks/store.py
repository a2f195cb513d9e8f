"""SQL of what webhooks are told; that of the webhooks themselves is in core."""

from datetime import datetime

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.jobs.worker import enqueue_sql


class StoredActivation(msgspec.Struct, frozen=True):
    """A move of an agent's active pointer; `previous_version` is null where none was active before."""

    activation: int
    agent_type: str
    version: int
    previous_version: int | None
    kind: str
    config_id: str
    prompt_id: str
    at: datetime


_JOBS = enqueue_sql(
    ":job",
    """convert_to(format('{"webhook":"%s","activation":%s}', webhooks.id, :activation::bigint), 'UTF8')""",
    "interval '0'",
    "agents.webhooks WHERE active AND (agent_types = '{}' OR :agent_type = ANY(agent_types))",
)


@statement(f"WITH {_JOBS} SELECT count(*) FROM queued")
async def enqueue_announcements(connection: Connection, job: str, agent_type: str, activation: int) -> None:
    """Enqueue a job for each webhook that wants this agent."""


@statement("""
SELECT log.id AS activation, log.agent_type, log.to_version AS version, log.from_version AS previous_version, log.kind,
       version.config_id::text, version.prompt_id::text, log.em AS at
FROM agents.agent_activations AS log
JOIN agents.agent_versions AS version ON version.agent_type = log.agent_type AND version.version = log.to_version
WHERE log.id = :id
""")
async def read_activation(connection: Connection, id: int) -> StoredActivation:
    """Return a move of the active pointer that was logged; the log is never shortened."""
