"""The API operations on a service's webhooks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from balcao.panel.webhooks.model import Deliveries, Delivery, Secret, Webhook, Webhooks
from balcao.web.api import Api, quoted

Body = Mapping[str, Any]


@dataclass(frozen=True)
class WebhookClient:
    """The webhook operations of one service.

    The fields are its address, its response types, and its names for paths and query parameters.
    """

    base: str
    webhooks: type[Webhooks]
    webhook: type[Webhook]
    secret: type[Secret]
    deliveries: type[Deliveries]
    renewal_path: str = "secret"
    test_path: str = "test"
    deliveries_path: str = "deliveries"
    replay_path: str = "replay"
    failed: str = "failed"

    async def list_webhooks(self, api: Api) -> Sequence[Webhook]:
        """Return all receivers."""
        return (await api.get(self.base, self.webhooks)).items

    async def read_webhook(self, api: Api, id: str) -> Webhook:
        """Return one receiver."""
        return await api.get(self._address(id), self.webhook)

    async def add_webhook(self, api: Api, body: Body, key: str) -> Secret:
        """Add a receiver and return its secret."""
        return await api.send("POST", self.base, self.secret, body, key=key)

    async def replace_webhook(self, api: Api, id: str, body: Body) -> Webhook:
        """Replace a receiver's address, topics and other settings."""
        return await api.send("PUT", self._address(id), self.webhook, body)

    async def renew_secret(self, api: Api, id: str, key: str) -> Secret:
        """Create a new secret for a receiver, and return the secret."""
        return await api.send("POST", f"{self._address(id)}/{self.renewal_path}", self.secret, key=key)

    async def delete_webhook(self, api: Api, id: str) -> None:
        """Delete a receiver."""
        await api.send("DELETE", self._address(id), type(None))

    async def send_test(self, api: Api, id: str) -> None:
        """Enqueue a test message for a receiver."""
        await api.send("POST", f"{self._address(id)}/{self.test_path}", type(None))

    async def list_deliveries(
        self, api: Api, id: str, *, failed: bool, page: int, size: int
    ) -> tuple[Sequence[Delivery], int]:
        """Return one page of a receiver's deliveries, and the total number of deliveries."""
        query = {self.failed: failed, "page": page, "limit": size}
        found = await api.get(f"{self._address(id)}/{self.deliveries_path}", self.deliveries, query)
        return found.items, found.total

    async def replay_delivery(self, api: Api, id: str, message: str) -> None:
        """Enqueue a message for delivery again."""
        path = f"{self._address(id)}/{self.deliveries_path}/{quoted(message)}/{self.replay_path}"
        await api.send("POST", path, type(None))

    def _address(self, id: str) -> str:
        return f"{self.base}/{quoted(id)}"
