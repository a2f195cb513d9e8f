"""Notify webhooks with signed calls when an agent's active version changes (rules: agents 2.5)."""

from uuid import UUID

import msgspec

from balcao.agents.webhooks import store
from balcao.agents.webhooks.schemas import (
    ACTIVATED,
    Activation,
    Deliveries,
    DeliveriesQuery,
    Delivery,
    DeliveryTry,
    Webhook,
    WebhookBody,
    WebhookWithSecret,
)
from balcao.agents.webhooks.store import StoredDelivery
from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import NotFound
from balcao.core.telemetry import telemetry
from balcao.core.values.clock import format_rfc3339_offset
from balcao.core.values.page import Page
from balcao.core.webhooks.declaration import Words
from balcao.core.webhooks.events import TEST, Event
from balcao.core.webhooks.service import WebhooksOfService, make_switched_off


async def announce_activation(connection: Connection, agent_type: str, activation: int) -> None:
    """Enqueue a message about a logged activation for every webhook that receives the agent's activations.

    The messages are sent after the transaction commits.
    """
    await store.enqueue_announcements(connection, WEBHOOKS.job, agent_type, activation)


async def _read_event(connection: Connection, activation: int) -> Event:
    moved = await store.read_activation(connection, activation)
    return Event(ACTIVATED, moved.at, msgspec.convert(moved, Activation, from_attributes=True))


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
    _read_event,
    note_try=store.note_agent_delivery_try,
)


async def list_agent_deliveries(call: Call, id: UUID | None, query: DeliveriesQuery) -> Deliveries:
    """Return a page of a webhook's deliveries, newest first. Raises NotFound if the webhook does not exist."""
    async with call.platform.database.connection() as connection:
        found, total = await store.select_agent_deliveries(connection, id, query.failed, Page(query.page, query.limit))
    if not found:
        await WEBHOOKS.read_webhook(call, id)
    return Deliveries([_show_delivery(each) for each in found], total)


async def replay_agent_delivery(call: Call, id: UUID | None, message: str) -> None:
    """Enqueue a message again with the same id.

    Raises NotFound if the webhook or the message does not exist, and Conflict if the webhook is switched off.
    """

    async def make() -> None:
        found = await store.lock_agent_delivery(connection, id, message)
        if found is None or id is None:
            raise NotFound("Não há entrega com este identificador neste aviso.", code="delivery-not-found")
        if not found.active:
            raise make_switched_off()
        await WEBHOOKS.replay(connection, id, message, found.activation)
        await call.platform.audit.record(connection, call, "update", fields=["deliveries"])

    async with call.platform.database.transaction() as connection:
        await run_once(connection, call, None, [str(id), message], make)


def _show_delivery(found: StoredDelivery) -> Delivery:
    return Delivery(
        found.message,
        found.activation,
        TEST if found.activation is None else ACTIVATED,
        found.agent_type,
        None if found.delivered_at is None else format_rfc3339_offset(found.delivered_at),
        found.last_error,
        [DeliveryTry(format_rfc3339_offset(each.at), each.error) for each in found.tries],
    )
