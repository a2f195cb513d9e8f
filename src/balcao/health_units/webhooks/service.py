"""Telling webhooks of the public changes by a signed call (rules: health_units 2.5)."""

from uuid import UUID

from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.telemetry import telemetry
from balcao.core.values.clock import format_rfc3339_seconds, utc_now
from balcao.core.webhooks.declaration import Words
from balcao.core.webhooks.service import WebhooksOfService
from balcao.health_units.feed import service as feed
from balcao.health_units.units import service as units
from balcao.health_units.webhooks.schemas import Message, TrialEvent, Webhook, WebhookBody, WebhookWithSecret


async def _make_message(platform: Platform, connection: Connection, id: UUID, sequence: int | None) -> Message | None:
    if sequence is None:
        return Message("teste", format_rfc3339_seconds(utc_now(), platform.zone), TrialEvent(str(id)))
    published = await feed.read_event(connection, sequence)
    if published is None:
        return None
    return Message(published.kind, format_rfc3339_seconds(published.at, platform.zone), published.event)


def _require_right(call: Call) -> None:
    """Raise Forbidden for a right that is limited to areas: a webhook is told of all."""
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
    _make_message,
    _require_right,
)
