"""Signing what is sent by the Standard Webhooks specification (https://www.standardwebhooks.com), version 1."""

import base64
import hashlib
import hmac
from collections.abc import Iterable, Mapping

SECRET_BYTES = 32
_PREFIX = "whsec_"


def format_secret(secret: bytes) -> str:
    """Return the secret as receivers' libraries take it."""
    return _PREFIX + base64.b64encode(secret).decode()


def sign(message: str, timestamp: int, content: bytes, secrets: Iterable[bytes]) -> Mapping[str, str]:
    """Return the three headers of a message: its id, when it is sent (Unix seconds), a signature by each secret."""
    signed = b"%s.%d.%s" % (message.encode(), timestamp, content)
    digests = [hmac.digest(secret, signed, hashlib.sha256) for secret in secrets]
    return {
        "webhook-id": message,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{base64.b64encode(digest).decode()}" for digest in digests),
    }
