"""How a service declares its webhooks: its names for their parts, and the type of the body that callers send."""

from typing import Any, NamedTuple, Protocol


class Words(NamedTuple):
    """A service's names for the parts of a webhook.

    The names are used as column names in the service's table and as member names in bodies. `topics` are the events
    that a webhook receives. A webhook without topics receives all events. `key` is the webhook's secret. In a job's
    payload, `number` is the number of the event and `test` the id of a test.
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
    """The interface that the webhook bodies of all services share."""

    @property
    def url(self) -> str:
        """The address to call."""

    @property
    def model_fields_set(self) -> set[str]:
        """The names of the members that the caller sent."""

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """Return the members by name. In the mode `json`, their values are JSON values."""
