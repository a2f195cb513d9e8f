"""The API operations on webhooks. The types contain only the members that the pages use."""

from collections.abc import Sequence

from msgspec import field

from balcao.panel.webhooks import model
from balcao.panel.webhooks.client import WebhookClient


class Webhook(model.Webhook):
    topics: list[str] = field(name="agent_types")
    is_active: bool = field(name="active")


class Webhooks(model.Webhooks):
    items: Sequence[Webhook]


class Delivery(model.Delivery):
    topic: str | None = field(name="agent_type")


class Deliveries(model.Deliveries):
    items: Sequence[Delivery]


CLIENT = WebhookClient("/agent/api/v1/webhooks", Webhooks, Webhook, model.Secret, Deliveries)
