"""The operations on webhooks, and of their responses the members that the pages use."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import field

from balcao.panel.webhooks import model
from balcao.panel.webhooks.model import Secret
from balcao.web.api import Api, quoted

_BASE = "/agent/api/v1/webhooks"

Body = Mapping[str, Any]


class Webhook(model.Webhook):
    topics: list[str] = field(name="agent_types")
    is_active: bool = field(name="active")


class Webhooks(msgspec.Struct):
    items: list[Webhook]


class Delivery(model.Delivery):
    topic: str | None = field(name="agent_type")


class Deliveries(msgspec.Struct):
    items: list[Delivery]
    total: int


def _webhook(id: str) -> str:
    return f"{_BASE}/{quoted(id)}"


async def list_webhooks(api: Api) -> list[Webhook]:
    return (await api.get(_BASE, Webhooks)).items


async def read_webhook(api: Api, id: str) -> Webhook:
    return await api.get(_webhook(id), Webhook)


async def add_webhook(api: Api, body: Body, key: str) -> Secret:
    return await api.send("POST", _BASE, Secret, body, key=key)


async def replace_webhook(api: Api, id: str, body: Body) -> Webhook:
    return await api.send("PUT", _webhook(id), Webhook, body)


async def renew_secret(api: Api, id: str, key: str) -> Secret:
    return await api.send("POST", f"{_webhook(id)}/secret", Secret, key=key)


async def delete_webhook(api: Api, id: str) -> None:
    await api.send("DELETE", _webhook(id), type(None))


async def send_test(api: Api, id: str) -> None:
    await api.send("POST", f"{_webhook(id)}/test", type(None))


async def list_deliveries(api: Api, id: str, *, failed: bool, page: int, size: int) -> tuple[list[Delivery], int]:
    """Return a page of the deliveries and the number of all."""
    query = {"failed": failed, "page": page, "limit": size}
    found = await api.get(f"{_webhook(id)}/deliveries", Deliveries, query)
    return found.items, found.total


async def replay_delivery(api: Api, id: str, message: str) -> None:
    await api.send("POST", f"{_webhook(id)}/deliveries/{quoted(message)}/replay", type(None))
