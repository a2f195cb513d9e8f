"""SQL of the webhooks."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from balcao.agents.webhooks.schemas import WebhookBody
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
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


@statement(f"SELECT {_MEMBERS} FROM agents.webhooks ORDER BY created_at, id")
async def list_webhooks(connection: Connection) -> list[StoredWebhook]: ...


@statement(f"SELECT {_MEMBERS} FROM agents.webhooks WHERE id = :id")
async def read_webhook(connection: Connection, id: UUID) -> StoredWebhook | None: ...


# Two who add at the same time may make one more than the bound, which harms nobody.
@statement(f"""
INSERT INTO agents.webhooks (id, url, description, agent_types, active, secret, created_at)
SELECT :id, :url, :description, :agent_types, :active, :secret, now()
WHERE (SELECT count(*) FROM agents.webhooks) < :most
RETURNING {_MEMBERS}
""")
async def insert_webhook(
    connection: Connection, id: UUID, body: WebhookBody, secret: bytes, most: int
) -> StoredWebhook | None:
    """Add a webhook; None where there are as many as there may be."""


@statement(f"""
UPDATE agents.webhooks SET url = :url, description = :description, agent_types = :agent_types, active = :active
WHERE id = :id
RETURNING {_MEMBERS}
""")
async def replace_webhook(connection: Connection, id: UUID, body: WebhookBody) -> StoredWebhook | None: ...


@statement(f"""
UPDATE agents.webhooks
SET previous_secret = secret, previous_until = now() + interval '24 hours', secret = :secret
WHERE id = :id
RETURNING {_MEMBERS}
""")
async def renew_webhook_secret(connection: Connection, id: UUID, secret: bytes) -> StoredWebhook | None: ...


@statement("DELETE FROM agents.webhooks WHERE id = :id")
async def delete_webhook(connection: Connection, id: UUID) -> bool:
    """Return whether there was one."""


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


class Destination(NamedTuple):
    """Where to send, and the secrets to sign with."""

    url: str
    secrets: list[bytes]


@statement("""
SELECT url, array_remove(ARRAY[secret, CASE WHEN previous_until > now() THEN previous_secret END], NULL) AS secrets
FROM agents.webhooks WHERE id = :id AND active
""")
async def read_destination(connection: Connection, id: UUID) -> Destination | None:
    """Return where to send; None for a webhook that is gone or switched off."""


@statement("UPDATE agents.webhooks SET last_delivery_at = now(), last_error = NULL WHERE id = :id")
async def note_delivery(connection: Connection, id: UUID) -> None: ...


@statement("""
UPDATE agents.webhooks SET last_failure_at = now(), last_error = :error, active = active AND NOT :gone WHERE id = :id
""")
async def note_failure(connection: Connection, id: UUID, error: str, *, gone: bool) -> None:
    """Store the error's code; `gone` switches the webhook off."""
