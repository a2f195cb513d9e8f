"""What the pages read of a service's responses on its webhooks.

An area's client derives its types from these, with the names that its service has for members.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec


class Webhook(msgspec.Struct):
    """A receiver; `topics` are what it is told of, none for everything."""

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
        """Return what people call it."""
        return self.description or self.url


class Webhooks(msgspec.Struct):
    """All receivers."""

    items: Sequence[Webhook]


class Secret(msgspec.Struct):
    """What messages are signed with, in the response that made it."""

    id: str
    secret: str


class Try(msgspec.Struct):
    """One call of a receiver; no error where it took the message."""

    at: datetime
    error: str | None


class Delivery(msgspec.Struct):
    """A message that was sent; a test has no topic."""

    message: str
    type: str | None
    topic: str | None
    delivered_at: datetime | None
    last_error: str | None
    tries: Sequence[Try]
    may_be_replayed: bool = True


class Deliveries(msgspec.Struct):
    """A page of the deliveries, and the number of all."""

    items: Sequence[Delivery]
    total: int
