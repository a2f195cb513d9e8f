"""Notifies webhooks of public changes with signed calls (rules: health_units 2.5)."""

from collections.abc import Mapping
from typing import Literal
from uuid import UUID

from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.telemetry import telemetry
from balcao.core.values.clock import format_rfc3339_seconds
from balcao.core.values.page import Page
from balcao.core.webhooks.declaration import Words
from balcao.core.webhooks.events import TEST, Event
from balcao.core.webhooks.service import WebhooksOfService, make_switched_off
from balcao.health_units.feed import service as feed
from balcao.health_units.feed.schemas import Tipo
from balcao.health_units.units import service as units
from balcao.health_units.webhooks import store
from balcao.health_units.webhooks.schemas import (
    Deliveries,
    DeliveriesQuery,
    Delivery,
    DeliveryTry,
    Webhook,
    WebhookBody,
    WebhookWithSecret,
)
from balcao.health_units.webhooks.store import StoredDelivery

# The message type for each kind of feed entry.
TYPES: Mapping[Tipo, Literal["health_unit.risk_changed", "health_unit.changed"]] = {
    feed.RISK: "health_unit.risk_changed",
    feed.UNIT: "health_unit.changed",
}


async def _read_event(connection: Connection, sequence: int) -> Event | None:
    published = await feed.read_event(connection, sequence)
    return None if published is None else Event(TYPES[published.kind], published.at, published.event)


def _require_right(call: Call) -> None:
    """Raise Forbidden if the caller's right is limited to areas, because a webhook can receive changes of all units."""
    units.require_right_to_area(call, None)


WEBHOOKS = WebhooksOfService(
    Words(
        table="health_units.webhooks",
        description="descricao",
        topics="unidades",
        active="ativo",
        created_at="criado_em",
        last_delivery_at="ultima_entrega_em",
        last_failure_at="ultima_falha_em",
        last_error="ultimo_erro",
        key="segredo",
        previous_key="segredo_anterior",
        previous_until="anterior_ate",
        number="sequencia",
        test="teste",
    ),
    WebhookBody,
    Webhook,
    WebhookWithSecret,
    format_rfc3339_seconds,
    feed.WEBHOOK_JOB,
    telemetry.counter("balcao_risk_webhooks", "Calls of webhooks of the health units", "outcome"),
    _read_event,
    _require_right,
    store.note_unit_delivery_try,
)


async def list_unit_deliveries(call: Call, id: UUID, query: DeliveriesQuery) -> Deliveries:
    """Return a page of the deliveries to a webhook, newest first. Raises NotFound if the webhook is unknown."""
    async with call.platform.database.connection() as connection:
        found, total = await store.select_unit_deliveries(connection, id, query.falhas, Page(query.page, query.limit))
    if not found:
        await WEBHOOKS.read_webhook(call, id)
    return Deliveries([_show_delivery(call, each) for each in found], total)


async def replay_unit_delivery(call: Call, id: UUID, message: str) -> None:
    """Send a message again with the same id.

    Raises Forbidden if the caller's right is limited to areas, and NotFound if the webhook has no such delivery. Raises
    Conflict if the webhook is switched off, if the change is no longer stored, or if the idempotency key was used for
    another request.
    """
    _require_right(call)

    async def make() -> None:
        found = await store.lock_unit_delivery(connection, id, message)
        if found is None:
            raise NotFound("Não há entrega com este identificador neste aviso.", code="delivery-not-found")
        if not found.ativo:
            raise make_switched_off()
        if not found.pode_reenviar:
            raise Conflict("A mudança não está mais guardada e não pode ser reenviada.", code="delivery-too-old")
        await WEBHOOKS.replay(connection, id, message, found.sequencia)
        await call.platform.audit.record(connection, call, "update", fields=["entregas"])

    async with call.platform.database.transaction() as connection:
        await run_once(connection, call, None, [str(id), message], make)


def _show_delivery(call: Call, found: StoredDelivery) -> Delivery:
    tries = [DeliveryTry(format_rfc3339_seconds(each.em, call.zone), each.erro) for each in found.tentativas]
    delivered = None if found.entregue_em is None else format_rfc3339_seconds(found.entregue_em, call.zone)
    return Delivery(
        found.mensagem,
        found.sequencia,
        TEST if found.sequencia is None else found.tipo and TYPES[found.tipo],
        found.cnes,
        delivered,
        found.ultimo_erro,
        found.pode_reenviar,
        tries,
    )
