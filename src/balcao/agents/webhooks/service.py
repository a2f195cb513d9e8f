"""Keeping webhooks, and telling each by a signed call which version of an agent is active (rules: agents 2.5)."""

import secrets
from uuid import UUID

import msgspec

from balcao.agents.webhooks import store
from balcao.agents.webhooks.schemas import (
    Activation,
    Message,
    TrialEvent,
    Webhook,
    WebhookBody,
    Webhooks,
    WebhookWithSecret,
)
from balcao.agents.webhooks.store import StoredActivation, StoredWebhook
from balcao.core import webhooks
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.jobs.worker import enqueue
from balcao.core.telemetry import telemetry
from balcao.core.values.clock import format_rfc3339_offset, utc_now
from balcao.core.values.ids import new_id, parse_uuid
from balcao.core.webhooks import MOST_WEBHOOKS, SECRET_BYTES, format_secret

JOB = "agents.deliver_webhook"
_calls = telemetry.counter("balcao_agent_webhooks", "Calls of webhooks of the agents", "outcome")


async def list_webhooks(call: Call) -> Webhooks:
    """Return all webhooks."""
    async with call.platform.database.connection() as connection:
        return Webhooks([_show(found) for found in await store.list_webhooks(connection)])


async def read_webhook(call: Call, id: str) -> Webhook:
    """Return a webhook. Raises NotFound."""
    async with call.platform.database.connection() as connection:
        return _show(_require(await store.read_webhook(connection, _parse(id))))


async def add_webhook(call: Call, body: WebhookBody) -> WebhookWithSecret:
    """Add a webhook. Raises Unprocessable, and Conflict where there are as many as there may be."""
    webhooks.require_allowed(call.platform, body.url)
    secret = secrets.token_bytes(SECRET_BYTES)
    async with call.platform.database.transaction() as connection:
        added = await store.insert_webhook(connection, UUID(new_id()), body, secret, MOST_WEBHOOKS)
        if added is None:
            raise Conflict(f"Já há {MOST_WEBHOOKS} avisos cadastrados: apague um.", code="too-many-webhooks")
        await call.platform.audit.record(connection, call, "create", fields=sorted(body.model_fields_set))
    return _show_secret(added, secret)


async def replace_webhook(call: Call, id: str, body: WebhookBody) -> Webhook:
    """Replace a webhook; its secret stays. Raises Unprocessable and NotFound."""
    webhooks.require_allowed(call.platform, body.url)
    async with call.platform.database.transaction() as connection:
        replaced = _require(await store.replace_webhook(connection, _parse(id), body))
        await call.platform.audit.record(connection, call, "update", fields=sorted(body.model_fields_set))
    return _show(replaced)


async def renew_secret(call: Call, id: str) -> WebhookWithSecret:
    """Give a webhook a new secret; the old one signs, too, for 24 hours. Raises NotFound."""
    secret = secrets.token_bytes(SECRET_BYTES)
    async with call.platform.database.transaction() as connection:
        renewed = _require(await store.renew_webhook_secret(connection, _parse(id), secret))
        await call.platform.audit.record(connection, call, "update", fields=["secret"])
    return _show_secret(renewed, secret)


async def delete_webhook(call: Call, id: str) -> None:
    """Delete a webhook; what waits for it is not sent any more. Raises NotFound."""
    async with call.platform.database.transaction() as connection:
        if not await store.delete_webhook(connection, _parse(id)):
            raise _make_unknown()
        await call.platform.audit.record(connection, call, "delete")


async def send_test(call: Call, id: str) -> None:
    """Have a test sent to a webhook. Raises NotFound."""
    async with call.platform.database.transaction() as connection:
        _require(await store.read_webhook(connection, _parse(id)))
        await enqueue(connection, JOB, {"webhook": str(_parse(id)), "test": new_id()})
        await call.platform.audit.record(connection, call, "update", fields=["test"])


async def announce_activation(connection: Connection, agent_type: str, activation: int) -> None:
    """Have every webhook that wants this agent told of a logged activation, once the transaction commits."""
    await store.enqueue_announcements(connection, JOB, agent_type, activation)


async def deliver(platform: Platform, id: UUID, activation: int | None, test: str | None) -> None:
    """Tell a webhook of an activation, or send a test. Raises Retry when it did not take it.

    A repetition has the same id, by which the receiver knows it.
    """
    async with platform.database.connection() as connection:
        destination = await store.read_destination(connection, id)
        moved = None if activation is None else await store.read_activation(connection, activation)
    if destination is None:
        return  # switched off or deleted since
    content = msgspec.json.encode(_describe(moved, id))
    message_id = f"msg_{id.hex}_{activation or test}"
    delivery = await webhooks.send_message(platform, destination.url, destination.secrets, message_id, content)
    async with platform.database.connection() as connection:
        if delivery.error is None:
            await store.note_delivery(connection, id)
        else:
            await store.note_failure(connection, id, delivery.error, gone=delivery.is_gone)
    _calls.inc(delivery.outcome)
    delivery.require_taken()


def _describe(moved: StoredActivation | None, id: UUID) -> Message:
    if moved is None:
        return Message("test", format_rfc3339_offset(utc_now()), TrialEvent(str(id)))
    told = msgspec.convert(moved, Activation, from_attributes=True)
    return Message("agent.activated", format_rfc3339_offset(moved.at), told)


def _parse(text: str) -> UUID:
    """Return the id of a path. Raises NotFound for a text that cannot be one."""
    found = parse_uuid(text)
    if found is None:
        raise _make_unknown()
    return found


def _require(found: StoredWebhook | None) -> StoredWebhook:
    if found is None:
        raise _make_unknown()
    return found


def _make_unknown() -> NotFound:
    return NotFound("Aviso não encontrado.", code="webhook-not-found")


def _list_members(found: StoredWebhook) -> dict[str, object]:
    return {
        "id": str(found.id),
        "url": found.url,
        "description": found.description,
        "agent_types": found.agent_types,
        "active": found.active,
        "created_at": format_rfc3339_offset(found.created_at),
        "last_delivery_at": found.last_delivery_at and format_rfc3339_offset(found.last_delivery_at),
        "last_failure_at": found.last_failure_at and format_rfc3339_offset(found.last_failure_at),
        "last_error": found.last_error,
    }


def _show(found: StoredWebhook) -> Webhook:
    return msgspec.convert(_list_members(found), Webhook)


def _show_secret(found: StoredWebhook, secret: bytes) -> WebhookWithSecret:
    return msgspec.convert(_list_members(found) | {"secret": format_secret(secret)}, WebhookWithSecret)
