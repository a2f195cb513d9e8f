"""Keeping webhooks, and telling each of the public changes by a signed call (rules: health_units 2.5)."""

import secrets
from uuid import UUID

import msgspec

from balcao.core import webhooks
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.errors import Conflict, NotFound
from balcao.core.jobs.worker import enqueue
from balcao.core.telemetry import telemetry
from balcao.core.values.clock import format_rfc3339_seconds, utc_now
from balcao.core.values.ids import new_id
from balcao.core.webhooks import MOST_WEBHOOKS, SECRET_BYTES, format_secret
from balcao.health_units.feed import service as feed
from balcao.health_units.units import service as units
from balcao.health_units.webhooks import store
from balcao.health_units.webhooks.schemas import (
    Message,
    TrialEvent,
    Webhook,
    WebhookBody,
    Webhooks,
    WebhookWithSecret,
)
from balcao.health_units.webhooks.store import StoredWebhook

_calls = telemetry.counter("balcao_risk_webhooks", "Calls of webhooks of the health units", "outcome")


async def list_webhooks(call: Call) -> Webhooks:
    """Return all webhooks."""
    async with call.platform.database.connection() as connection:
        return Webhooks([_show(found, call) for found in await store.list_webhooks(connection)])


async def read_webhook(call: Call, id: UUID) -> Webhook:
    """Return a webhook. Raises NotFound."""
    async with call.platform.database.connection() as connection:
        return _show(_require(await store.read_webhook(connection, id)), call)


async def add_webhook(call: Call, body: WebhookBody) -> WebhookWithSecret:
    """Add a webhook. Raises Forbidden as all that change one for a right limited to areas, Unprocessable, Conflict."""
    units.require_one_area(call, None)
    webhooks.require_allowed(call.platform, body.url)
    secret = secrets.token_bytes(SECRET_BYTES)
    async with call.platform.database.transaction() as connection:
        added = await store.insert_webhook(connection, UUID(new_id()), body, secret, MOST_WEBHOOKS)
        if added is None:
            raise Conflict(f"Já há {MOST_WEBHOOKS} avisos cadastrados: apague um.", code="too-many-webhooks")
        await call.platform.audit.record(connection, call, "create", fields=sorted(body.model_fields_set))
    return _show_secret(added, secret, call)


async def replace_webhook(call: Call, id: UUID, body: WebhookBody) -> Webhook:
    """Replace a webhook; its secret stays. Raises as `add_webhook`, and NotFound."""
    units.require_one_area(call, None)
    webhooks.require_allowed(call.platform, body.url)
    async with call.platform.database.transaction() as connection:
        replaced = _require(await store.replace_webhook(connection, id, body))
        await call.platform.audit.record(connection, call, "update", fields=sorted(body.model_fields_set))
    return _show(replaced, call)


async def renew_secret(call: Call, id: UUID) -> WebhookWithSecret:
    """Give a webhook a new secret; the old one signs, too, for 24 hours. Raises Forbidden and NotFound."""
    units.require_one_area(call, None)
    secret = secrets.token_bytes(SECRET_BYTES)
    async with call.platform.database.transaction() as connection:
        renewed = _require(await store.renew_webhook_secret(connection, id, secret))
        await call.platform.audit.record(connection, call, "update", fields=["segredo"])
    return _show_secret(renewed, secret, call)


async def delete_webhook(call: Call, id: UUID) -> None:
    """Delete a webhook; what waits for it is not sent any more. Raises Forbidden and NotFound."""
    units.require_one_area(call, None)
    async with call.platform.database.transaction() as connection:
        if not await store.delete_webhook(connection, id):
            raise _make_unknown()
        await call.platform.audit.record(connection, call, "delete")


async def send_test(call: Call, id: UUID) -> None:
    """Have a test sent to a webhook. Raises Forbidden and NotFound."""
    units.require_one_area(call, None)
    async with call.platform.database.transaction() as connection:
        _require(await store.read_webhook(connection, id))
        await enqueue(connection, feed.WEBHOOK_JOB, {"webhook": str(id), "teste": new_id()})
        await call.platform.audit.record(connection, call, "update", fields=["teste"])


async def deliver(platform: Platform, id: UUID, sequence: int | None, test: str | None) -> None:
    """Tell a webhook of a change, or send a test. Raises Retry when it did not take it.

    A repetition has the same id, by which the receiver knows it.
    """
    async with platform.database.connection() as connection:
        destination = await store.read_destination(connection, id)
        published = None if sequence is None else await feed.read_event(connection, sequence)
    if destination is None or (published is None and test is None):
        return  # switched off since, or too old for anybody to want
    if published is None:
        message = Message("teste", format_rfc3339_seconds(utc_now(), platform.zone), TrialEvent(str(id)))
    else:
        message = Message(published.kind, format_rfc3339_seconds(published.at, platform.zone), published.event)
    content = msgspec.json.encode(message)
    message_id = f"msg_{id.hex}_{sequence or test}"
    delivery = await webhooks.send_message(platform, destination.url, destination.segredos, message_id, content)
    async with platform.database.connection() as connection:
        if delivery.error is None:
            await store.note_delivery(connection, id)
        else:
            await store.note_failed_delivery(connection, id, delivery.error, gone=delivery.is_gone)
    _calls.inc(delivery.outcome)
    delivery.require_taken()


def _require(found: StoredWebhook | None) -> StoredWebhook:
    if found is None:
        raise _make_unknown()
    return found


def _make_unknown() -> NotFound:
    return NotFound("Aviso não encontrado.", code="webhook-not-found")


def _list_members(found: StoredWebhook, call: Call) -> dict[str, object]:
    return {
        "id": str(found.id),
        "url": found.url,
        "descricao": found.descricao,
        "unidades": found.unidades,
        "ativo": found.ativo,
        "criado_em": format_rfc3339_seconds(found.criado_em, call.zone),
        "ultima_entrega_em": found.ultima_entrega_em and format_rfc3339_seconds(found.ultima_entrega_em, call.zone),
        "ultima_falha_em": found.ultima_falha_em and format_rfc3339_seconds(found.ultima_falha_em, call.zone),
        "ultimo_erro": found.ultimo_erro,
    }


def _show(found: StoredWebhook, call: Call) -> Webhook:
    return msgspec.convert(_list_members(found, call), Webhook)


def _show_secret(found: StoredWebhook, secret: bytes, call: Call) -> WebhookWithSecret:
    return msgspec.convert(_list_members(found, call) | {"segredo": format_secret(secret)}, WebhookWithSecret)
