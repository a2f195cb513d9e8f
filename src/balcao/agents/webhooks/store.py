"""SQL of the webhooks."""

from datetime import datetime
from uuid import UUID

import msgspec

from balcao.agents.webhooks.schemas import WebhookBody
from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import affected
from balcao.core.jobs.worker import enqueue_sql


class StoredWebhook(msgspec.Struct, frozen=True):
    """A webhook as it is stored, but for its secrets."""

    id: UUID
    url: str
    description: str | None
    agent_types: list[str]
    active: bool
    created_at: datetime
    last_delivery_at: datetime | None
    last_failure_at: datetime | None
    last_error: str | None


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


_MEMBERS = "id, url, description, agent_types, active, created_at, last_delivery_at, last_failure_at, last_error"
_LIST = f"SELECT {_MEMBERS} FROM agents.webhooks ORDER BY created_at, id"


async def list_webhooks(connection: Connection) -> list[StoredWebhook]:
    return [msgspec.convert(dict(row), StoredWebhook) for row in await connection.fetch(_LIST)]


_READ = f"SELECT {_MEMBERS} FROM agents.webhooks WHERE id = $1"


async def read(connection: Connection, id: UUID) -> StoredWebhook | None:
    return _to_webhook(await connection.fetchrow(_READ, id))


# Two who add at the same time may make one more than the bound, which harms nobody.
_ADD = f"""
INSERT INTO agents.webhooks (id, url, description, agent_types, active, secret, created_at)
SELECT $1, $2, $3, $4, $5, $6, now() WHERE (SELECT count(*) FROM agents.webhooks) < $7
RETURNING {_MEMBERS}
"""


async def add(connection: Connection, id: UUID, body: WebhookBody, secret: bytes, most: int) -> StoredWebhook | None:
    """Add a webhook; None where there are as many as there may be."""
    row = await connection.fetchrow(_ADD, id, body.url, body.description, body.agent_types, body.active, secret, most)
    return _to_webhook(row)


_REPLACE = f"""
UPDATE agents.webhooks SET url = $2, description = $3, agent_types = $4, active = $5 WHERE id = $1
RETURNING {_MEMBERS}
"""


async def replace(connection: Connection, id: UUID, body: WebhookBody) -> StoredWebhook | None:
    row = await connection.fetchrow(_REPLACE, id, body.url, body.description, body.agent_types, body.active)
    return _to_webhook(row)


_RENEW = f"""
UPDATE agents.webhooks
SET previous_secret = secret, previous_until = now() + interval '24 hours', secret = $2
WHERE id = $1
RETURNING {_MEMBERS}
"""


async def renew_secret(connection: Connection, id: UUID, secret: bytes) -> StoredWebhook | None:
    return _to_webhook(await connection.fetchrow(_RENEW, id, secret))


_DELETE = "DELETE FROM agents.webhooks WHERE id = $1"


async def delete(connection: Connection, id: UUID) -> bool:
    """Return whether there was one."""
    return affected(await connection.execute(_DELETE, id)) > 0


_JOBS = enqueue_sql(
    "$1",
    """convert_to(format('{"webhook":"%s","activation":%s}', webhooks.id, $3::bigint), 'UTF8')""",
    "interval '0'",
    "agents.webhooks WHERE active AND (agent_types = '{}' OR $2 = ANY(agent_types))",
)
_ANNOUNCE = f"WITH {_JOBS} SELECT count(*) FROM queued"


async def announce(connection: Connection, job: str, agent_type: str, activation: int) -> None:
    """Enqueue a job for each webhook that wants this agent."""
    await connection.execute(_ANNOUNCE, job, agent_type, activation)


_ACTIVATION = """
SELECT log.id AS activation, log.agent_type, log.to_version AS version, log.from_version AS previous_version, log.kind,
       version.config_id::text, version.prompt_id::text, log.em AS at
FROM agents.agent_activations AS log
JOIN agents.agent_versions AS version ON version.agent_type = log.agent_type AND version.version = log.to_version
WHERE log.id = $1
"""


async def read_activation(connection: Connection, id: int) -> StoredActivation:
    """Return a move of the active pointer that was logged."""
    row = await connection.fetchrow(_ACTIVATION, id)
    assert row is not None  # the log is never shortened
    return msgspec.convert(dict(row), StoredActivation)


_DESTINATION = """
SELECT url, array_remove(ARRAY[secret, CASE WHEN previous_until > now() THEN previous_secret END], NULL) AS secrets
FROM agents.webhooks WHERE id = $1 AND active
"""


async def read_destination(connection: Connection, id: UUID) -> Row | None:
    """Return where to send and the secrets to sign with; None for a webhook that is gone or switched off."""
    return await connection.fetchrow(_DESTINATION, id)


_DELIVERED = "UPDATE agents.webhooks SET last_delivery_at = now(), last_error = NULL WHERE id = $1"


async def note_delivery(connection: Connection, id: UUID) -> None:
    await connection.execute(_DELIVERED, id)


_FAILED = """
UPDATE agents.webhooks SET last_failure_at = now(), last_error = $2, active = active AND NOT $3 WHERE id = $1
"""


async def note_failure(connection: Connection, id: UUID, error: str, *, gone: bool) -> None:
    """Store the error's code; `gone` switches the webhook off."""
    await connection.execute(_FAILED, id, error, gone)


def _to_webhook(row: Row | None) -> StoredWebhook | None:
    return None if row is None else msgspec.convert(dict(row), StoredWebhook)
