"""What a service says of its webhooks: its words for them, and the type that one is sent as."""

from typing import Any, NamedTuple, Protocol


class Words(NamedTuple):
    """What a service calls the parts of a webhook, as columns of its table and as members on the wire.

    `topics` are what a webhook is told of; without any, of everything. `key` is its secret. In a job's payload `number`
    is that of the event, `test` the id of a test.
    """

    table: str
    description: str
    topics: str
    active: str
    created_at: str
    last_delivery_at: str
    last_failure_at: str
    last_error: str
    key: str
    previous_key: str
    previous_until: str
    number: str
    test: str


class SentWebhook(Protocol):
    """What every service takes of a webhook: where to send."""

    @property
    def url(self) -> str:
        """Return the address."""

    @property
    def model_fields_set(self) -> set[str]:
        """Return the members that were sent."""

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """Return the members; in the mode `json`, as JSON has them."""
