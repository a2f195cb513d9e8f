"""The API operations on sources and webhooks. The types contain only the members that the pages use."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from msgspec import field

from balcao.panel.health_units.client import Items
from balcao.panel.webhooks import model
from balcao.panel.webhooks.client import WebhookClient
from balcao.web.api import Api

_BASE = "/health-units"


class Source(msgspec.Struct):
    nome: str
    ouvida_em: datetime | None
    mudou_em: datetime | None
    linhas: int
    recusadas: int
    falhou_em: datetime | None
    erro: str | None


class Webhook(model.Webhook):
    description: str | None = field(name="descricao")
    topics: list[str] = field(name="unidades")
    is_active: bool = field(name="ativo")
    last_delivery_at: datetime | None = field(name="ultima_entrega_em")
    last_failure_at: datetime | None = field(name="ultima_falha_em")
    last_error: str | None = field(name="ultimo_erro")


class Webhooks(model.Webhooks):
    items: Sequence[Webhook] = field(name="itens")


class Secret(model.Secret):
    secret: str = field(name="segredo")


class Try(model.Try):
    at: datetime = field(name="em")
    error: str | None = field(name="erro")


class Delivery(model.Delivery):
    message: str = field(name="mensagem")
    type: str | None = field(name="tipo")
    topic: str | None = field(name="cnes")
    delivered_at: datetime | None = field(name="entregue_em")
    last_error: str | None = field(name="ultimo_erro")
    tries: Sequence[Try] = field(name="tentativas")
    may_be_replayed: bool = field(name="pode_reenviar")


class Deliveries(model.Deliveries):
    items: Sequence[Delivery] = field(name="itens")


CLIENT = WebhookClient(
    f"{_BASE}/avisos",
    Webhooks,
    Webhook,
    Secret,
    Deliveries,
    renewal_path="segredo",
    test_path="teste",
    deliveries_path="entregas",
    replay_path="reenvio",
    failed="falhas",
)


async def list_sources(api: Api) -> list[Source]:
    return (await api.get(f"{_BASE}/fontes", Items[Source])).itens
