"""The operations on sources and webhooks that the area calls, and what its pages read of their responses."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import field

from balcao.panel.webhooks import model
from balcao.web.api import Api, quoted

_BASE = "/health-units"

Body = Mapping[str, Any]


class Source(msgspec.Struct):
    nome: str
    ouvida_em: datetime | None
    mudou_em: datetime | None
    linhas: int
    recusadas: int
    falhou_em: datetime | None
    erro: str | None


class Sources(msgspec.Struct):
    itens: list[Source]


class Webhook(model.Webhook):
    description: str | None = field(name="descricao")
    topics: list[str] = field(name="unidades")
    is_active: bool = field(name="ativo")
    last_delivery_at: datetime | None = field(name="ultima_entrega_em")
    last_failure_at: datetime | None = field(name="ultima_falha_em")
    last_error: str | None = field(name="ultimo_erro")


class Secret(model.Secret):
    secret: str = field(name="segredo")


class Webhooks(msgspec.Struct):
    itens: list[Webhook]


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


class Deliveries(msgspec.Struct):
    itens: list[Delivery]
    total: int


def _webhook(id: str) -> str:
    return f"{_BASE}/avisos/{quoted(id)}"


async def list_sources(api: Api) -> list[Source]:
    return (await api.get(f"{_BASE}/fontes", Sources)).itens


async def list_webhooks(api: Api) -> list[Webhook]:
    return (await api.get(f"{_BASE}/avisos", Webhooks)).itens


async def read_webhook(api: Api, id: str) -> Webhook:
    return await api.get(_webhook(id), Webhook)


async def add_webhook(api: Api, body: Body, key: str) -> Secret:
    return await api.send("POST", f"{_BASE}/avisos", Secret, body, key=key)


async def replace_webhook(api: Api, id: str, body: Body) -> Webhook:
    return await api.send("PUT", _webhook(id), Webhook, body)


async def renew_secret(api: Api, id: str, key: str) -> Secret:
    return await api.send("POST", f"{_webhook(id)}/segredo", Secret, key=key)


async def delete_webhook(api: Api, id: str) -> None:
    await api.send("DELETE", _webhook(id), type(None))


async def send_test(api: Api, id: str) -> None:
    await api.send("POST", f"{_webhook(id)}/teste", type(None))


async def list_deliveries(api: Api, id: str, *, failed: bool, page: int, size: int) -> tuple[list[Delivery], int]:
    """Return a page of the deliveries and the number of all."""
    query = {"falhas": failed, "page": page, "limit": size}
    found = await api.get(f"{_webhook(id)}/entregas", Deliveries, query)
    return found.itens, found.total


async def replay_delivery(api: Api, id: str, message: str) -> None:
    await api.send("POST", f"{_webhook(id)}/entregas/{quoted(message)}/reenvio", type(None))
