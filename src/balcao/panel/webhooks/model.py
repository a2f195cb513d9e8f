"""Response types for webhooks. They contain only the members that the pages use.

Each area's client derives its own types from these, with the member names of its service.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec


class Webhook(msgspec.Struct):
    """A receiver. It gets only messages about its `topics`, or all messages if the list is empty."""

    id: str
    url: str
    description: str | None
    topics: list[str]
    is_active: bool
    last_delivery_at: datetime | None
    last_failure_at: datetime | None
    last_error: str | None

    @property
    def name(self) -> str:
        """Return the description, or the address if there is no description."""
        return self.description or self.url


class Webhooks(msgspec.Struct):
    """All receivers."""

    items: Sequence[Webhook]


class Secret(msgspec.Struct):
    """A new secret, with which messages are signed. The service returns it only once."""

    id: str
    secret: str


class Try(msgspec.Struct):
    """One call to a receiver. `error` is None if the receiver accepted the message."""

    at: datetime
    error: str | None


class Delivery(msgspec.Struct):
    """A message that was enqueued for a receiver. Test messages have no topic."""

    message: str
    type: str | None
    topic: str | None
    delivered_at: datetime | None
    last_error: str | None
    tries: Sequence[Try]
    may_be_replayed: bool = True


class Deliveries(msgspec.Struct):
    """One page of a receiver's deliveries, and the total number of deliveries."""

    items: Sequence[Delivery]
    total: int
