"""Telling webhooks by a signed call which version of an agent is active (rules: agents 2.5)."""

from uuid import UUID

import msgspec

from balcao.agents.webhooks import store
from balcao.agents.webhooks.schemas import Activation, Message, TrialEvent, Webhook, WebhookBody, WebhookWithSecret
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.telemetry import telemetry
from balcao.core.values.clock import format_rfc3339_offset, utc_now
from balcao.core.webhooks.declaration import Words
from balcao.core.webhooks.service import WebhooksOfService


async def announce_activation(connection: Connection, agent_type: str, activation: int) -> None:
    """Have every webhook that wants this agent told of a logged activation, once the transaction commits."""
    await store.enqueue_announcements(connection, WEBHOOKS.job, agent_type, activation)


async def _make_message(_: Platform, connection: Connection, id: UUID, activation: int | None) -> Message:
    if activation is None:
        return Message("test", format_rfc3339_offset(utc_now()), TrialEvent(str(id)))
    moved = await store.read_activation(connection, activation)
    activated = msgspec.convert(moved, Activation, from_attributes=True)
    return Message("agent.activated", format_rfc3339_offset(moved.at), activated)


WEBHOOKS = WebhooksOfService(
    Words(
        table="agents.webhooks",
        description="description",
        topics="agent_types",
        active="active",
        created_at="created_at",
        last_delivery_at="last_delivery_at",
        last_failure_at="last_failure_at",
        last_error="last_error",
        key="secret",
        previous_key="previous_secret",
        previous_until="previous_until",
        number="activation",
        test="test",
    ),
    WebhookBody,
    Webhook,
    WebhookWithSecret,
    lambda instant, _: format_rfc3339_offset(instant),
    "agents.deliver_webhook",
    telemetry.counter("balcao_agent_webhooks", "Calls of webhooks of the agents", "outcome"),
    _make_message,
)
