"""What webhooks are sent, in the same form by every service (rules: health_units 2.5)."""

from datetime import datetime
from typing import Literal, NamedTuple

import msgspec

from balcao.core.values.clock import format_rfc3339, utc_now

# The type of a message that a caller asks for, to try a receiver.
TEST: Literal["test"] = "test"


class Event(NamedTuple):
    """A type, `noun.verb` in English, when the event happened, and the members that the service sends about it."""

    type: str
    at: datetime
    data: msgspec.Struct


class _Test(msgspec.Struct):
    webhook: str


class _Message(msgspec.Struct):
    type: str
    timestamp: str
    data: msgspec.Struct


def make_test(webhook: str) -> Event:
    """Return the event that a test of this webhook sends."""
    return Event(TEST, utc_now(), _Test(webhook))


def encode_event(event: Event) -> bytes:
    """Return the body of a call. Its timestamp is in UTC with `Z`, as in most bodies of the platform."""
    return msgspec.json.encode(_Message(event.type, format_rfc3339(event.at), event.data))
