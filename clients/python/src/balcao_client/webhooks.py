"""Verifies that the platform sent a webhook of health units or agents (Standard Webhooks, version 1)."""

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Mapping
from typing import Any, TypedDict

import msgspec

from balcao_client.faults import BalcaoError

# The largest accepted difference between the webhook's time and the local clock, in seconds. An older call may be a
# replay.
TOLERANCE = 300

# The shortest secret that Standard Webhooks allows, in bytes. The platform's secrets have 32.
MIN_SECRET_BYTES = 24


class InvalidSecret(BalcaoError, ValueError):
    """The configured secret cannot verify any webhook: it is missing, malformed or too short."""


class InvalidSignature(BalcaoError):
    """The call was not signed with one of the secrets, was changed in transit, or is too old."""


class WebhookEvent(TypedDict):
    """The body of a webhook: a `type` such as `agent.activated`, a time in UTC, and data that depend on the type."""

    type: str
    timestamp: str
    data: dict[str, Any]


def verify_webhook(
    body: bytes, headers: Mapping[str, str], *secrets: str, tolerance: int = TOLERANCE, now: float | None = None
) -> WebhookEvent:
    """Return the decoded event of a call that was signed with one of these secrets.

    `body` must be the received bytes. Pass the current secret and, during a replacement, the previous one. An event may
    arrive more than once, always with the same `webhook-id`.

    Raises:
        InvalidSignature: do not process it; answer 400 or 401.
        InvalidSecret: your own configuration is wrong; answer 500, so that the platform retries.
    """
    if not secrets:
        raise InvalidSecret("no secret was given")
    keys = [_read_secret(secret) for secret in secrets]
    sent = {name.lower(): value for name, value in headers.items()}
    try:
        id_, stamp, signatures = (sent[name] for name in ("webhook-id", "webhook-timestamp", "webhook-signature"))
        sent_at = float(int(stamp))
    except (KeyError, ValueError, OverflowError):
        raise InvalidSignature("a header is missing or malformed") from None
    if abs((time.time() if now is None else now) - sent_at) > tolerance:
        raise InvalidSignature("the call is too old, or a clock is wrong")
    signed = f"{id_}.{stamp}.".encode() + body
    expected = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    given = [_decode(text.removeprefix("v1,")) for text in signatures.split() if text.startswith("v1,")]
    # Compare every pair, so that the duration does not depend on the secrets.
    if not sum(hmac.compare_digest(one, other) for one in expected for other in given):
        raise InvalidSignature("no signature fits")
    event: WebhookEvent = msgspec.json.decode(body)
    return event


def _read_secret(secret: str) -> bytes:
    key = _decode(secret.strip().removeprefix("whsec_"))
    if len(key) < MIN_SECRET_BYTES:
        raise InvalidSecret(f"a secret is `whsec_` and the base64 of at least {MIN_SECRET_BYTES} bytes")
    return key


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
