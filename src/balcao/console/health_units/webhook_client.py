"""The operations on sources and webhooks that the area calls, and what its pages read of their responses."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from balcao.console.api import Api, quoted

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


class Webhook(msgspec.Struct):
    id: str
    url: str
    descricao: str | None
    unidades: list[str]
    ativo: bool
    ultima_entrega_em: datetime | None
    ultima_falha_em: datetime | None
    ultimo_erro: str | None


class NewSecret(msgspec.Struct):
    id: str
    segredo: str


class Webhooks(msgspec.Struct):
    itens: list[Webhook]


class Try(msgspec.Struct):
    em: datetime
    erro: str | None


class Delivery(msgspec.Struct):
    mensagem: str
    tipo: str | None
    cnes: str | None
    entregue_em: datetime | None
    ultimo_erro: str | None
    pode_reenviar: bool
    tentativas: list[Try]


class Deliveries(msgspec.Struct):
    itens: list[Delivery]


def _webhook(id: str) -> str:
    return f"{_BASE}/avisos/{quoted(id)}"


async def list_sources(api: Api) -> list[Source]:
    return (await api.get(f"{_BASE}/fontes", Sources)).itens


async def list_webhooks(api: Api) -> list[Webhook]:
    return (await api.get(f"{_BASE}/avisos", Webhooks)).itens


async def read_webhook(api: Api, id: str) -> Webhook:
    return await api.get(_webhook(id), Webhook)


async def add_webhook(api: Api, body: Body, key: str) -> NewSecret:
    return await api.send("POST", f"{_BASE}/avisos", NewSecret, body, key=key)


async def replace_webhook(api: Api, id: str, body: Body) -> Webhook:
    return await api.send("PUT", _webhook(id), Webhook, body)


async def delete_webhook(api: Api, id: str) -> None:
    await api.send("DELETE", _webhook(id), type(None))


async def send_test(api: Api, id: str) -> None:
    await api.send("POST", f"{_webhook(id)}/teste", type(None))


async def list_deliveries(api: Api, id: str, *, failed: bool) -> list[Delivery]:
    return (await api.get(f"{_webhook(id)}/entregas", Deliveries, {"falhas": failed})).itens


async def replay_delivery(api: Api, id: str, message: str) -> None:
    await api.send("POST", f"{_webhook(id)}/entregas/{quoted(message)}/reenvio", type(None))
