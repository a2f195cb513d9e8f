"""The messages that webhooks receive, in the same form for every service (rules: health_units 2.5)."""

from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from balcao.core.http.described_webhooks import SentEvent
from balcao.core.values.clock import format_rfc3339, utc_now

# The type of a test message, which a caller requests to test a receiver.
TEST: Literal["test"] = "test"


class Event(NamedTuple):
    """An event: its type (`noun.verb` in English), the time when it happened, and the service's data about it."""

    type: str
    at: datetime
    data: msgspec.Struct


class WebhookTest(msgspec.Struct):
    """The data of a test message."""

    webhook: Annotated[
        str, Meta(description="Identificador do destino.", examples=["0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d91"])
    ]


class _Message(msgspec.Struct):
    type: str
    timestamp: str
    data: msgspec.Struct


def declare_event(name: str, type: str, summary: str, data: Any, tag: str = "avisos") -> SentEvent:
    """Return a kind of event for the API description. `name` is the name of its schema, `data` the type of its data."""
    instant = Meta(description="Quando aconteceu (RFC 3339), em UTC com `Z`.", examples=["2026-10-05T17:30:00.123456Z"])
    body = msgspec.defstruct(
        name,
        [
            ("type", Annotated[str, Meta(description=f"Sempre `{type}`.", extra_json_schema={"enum": [type]})]),
            ("timestamp", Annotated[str, instant]),
            ("data", Annotated[data, Meta(description=f"{summary}.")]),
        ],
    )
    return SentEvent(type, summary, tag, body)


def declare_test(tag: str = "avisos") -> SentEvent:
    """Return the kind of event that tests have, for the API description."""
    return declare_event("TestRequested", TEST, "Um teste do destino, pedido por quem cuida dele", WebhookTest, tag)


def make_test(webhook: str) -> Event:
    """Return the event that a test of this webhook sends."""
    return Event(TEST, utc_now(), WebhookTest(webhook))


def encode_event(event: Event) -> bytes:
    """Encode the body of a call. Its timestamp is in UTC with `Z`, as in most bodies of the platform."""
    return msgspec.json.encode(_Message(event.type, format_rfc3339(event.at), event.data))
