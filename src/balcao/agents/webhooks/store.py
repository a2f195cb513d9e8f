"""SQL for deliveries to webhooks. `core/webhooks` stores the webhooks themselves."""

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Paged
from balcao.core.database.statements import statement
from balcao.core.jobs.worker import enqueue_sql
from balcao.core.values.page import Page
from balcao.core.webhooks.service import Try

# The number of attempts stored for each message, including replays. Older attempts are deleted.
MOST_TRIES = 20


class StoredActivation(msgspec.Struct, frozen=True):
    """An activation of a version. `previous_version` is None if no version was active before."""

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
    """Enqueue a job for each active webhook that receives this agent's activations."""


@statement("""
SELECT log.id AS activation, log.agent_type, log.to_version AS version, log.from_version AS previous_version, log.kind,
       version.config_id::text, version.prompt_id::text, log.em AS at
FROM agents.agent_activations AS log
JOIN agents.agent_versions AS version ON version.agent_type = log.agent_type AND version.version = log.to_version
WHERE log.id = :id
""")
async def read_activation(connection: Connection, id: int) -> StoredActivation:
    """Return a logged activation. Log entries are never deleted."""


class StoredTry(msgspec.Struct):
    """An attempt: its time, and its error code, which is None if the attempt succeeded."""

    at: datetime
    error: str | None


class StoredDelivery(NamedTuple):
    """A message with its attempts. `activation` and `agent_type` are None for a test message."""

    message: str
    activation: int | None
    agent_type: str | None
    delivered_at: datetime | None
    last_error: str | None
    tries: list[StoredTry]
    active: bool


# SELECT from the webhooks, so that nothing is stored for a webhook that was deleted in the meantime.
@statement(f"""
INSERT INTO agents.webhook_deliveries AS stored
    (webhook, message, activation, last_try_at, delivered_at, last_error, tries)
SELECT id, :message, :number::bigint, now(), CASE WHEN :error::text IS NULL THEN now() END, :error,
       jsonb_build_array(jsonb_build_object('at', now(), 'error', :error::text))
FROM agents.webhooks WHERE id = :webhook
ON CONFLICT (webhook, message) DO UPDATE SET
    last_try_at = excluded.last_try_at, delivered_at = coalesce(excluded.delivered_at, stored.delivered_at),
    last_error = excluded.last_error,
    tries = CASE WHEN jsonb_array_length(stored.tries) < {MOST_TRIES} THEN stored.tries
                 ELSE stored.tries - 0 END || excluded.tries
""")
async def note_agent_delivery_try(connection: Connection, made: Try) -> None:
    """Store the result of a delivery attempt."""


_DELIVERY = """
SELECT message, activation, log.agent_type, delivered_at, delivery.last_error, tries, webhook.active
FROM agents.webhook_deliveries AS delivery
JOIN agents.webhooks AS webhook ON webhook.id = delivery.webhook
LEFT JOIN agents.agent_activations AS log ON log.id = activation
WHERE delivery.webhook = :id
"""


@statement(
    page_sql(
        f"""{_DELIVERY} AND (NOT :failed OR delivered_at IS NULL)
            ORDER BY last_try_at DESC, message LIMIT :limit OFFSET :offset""",
        """SELECT count(*) FROM agents.webhook_deliveries
           WHERE webhook = :id AND (NOT :failed OR delivered_at IS NULL)""",
    )
)
async def select_agent_deliveries(
    connection: Connection, id: UUID | None, failed: bool, page: Page
) -> Paged[StoredDelivery]:
    """Return a page of a webhook's deliveries, newest first, and their total number.

    With `failed`, only deliveries that the receiver has not accepted yet are returned.
    """


@statement(f"{_DELIVERY} AND message = :message FOR UPDATE OF delivery")
async def lock_agent_delivery(connection: Connection, id: UUID | None, message: str) -> StoredDelivery | None:
    """Return a delivery and lock its row, or return None if it does not exist."""


@statement("SELECT count(*) FROM agents.webhook_deliveries")
async def count_agent_deliveries(connection: Connection) -> int: ...


@statement("DELETE FROM agents.webhook_deliveries WHERE last_try_at < now() - :age::interval")
async def delete_old_agent_deliveries(connection: Connection, age: timedelta) -> int: ...
