"""Signed calls to other systems, according to Standard Webhooks version 1 (https://www.standardwebhooks.com).

The service decides which receiver to call about which event, and what happens after a failed call.
"""

import base64
import hashlib
import hmac
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Annotated, NamedTuple
from urllib.parse import urlsplit

import httpx
from pydantic import AfterValidator

from balcao.core import guarded
from balcao.core.context.platform import Platform
from balcao.core.errors import Fault, Unprocessable
from balcao.core.jobs.worker import Retry
from balcao.core.values.addresses import is_web_address
from balcao.core.values.retry_after import parse_retry_after

MOST_WEBHOOKS = 20
SECRET_BYTES = 32  # Standard Webhooks requires 24 to 64 bytes
# The delays between attempts are the first ones that the specification recommends: short at first, more than a day in
# total.
DELAYS = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
)
# The maximum number of concurrent calls, so that receivers that hang do not occupy all of the workers' jobs.
MOST_CONCURRENT = 5
PATIENCE_SECONDS = 10.0
_PREFIX = "whsec_"
_GONE = "status-410"


def _check_address(url: str) -> str:
    if not is_web_address(url):
        raise ValueError("deve ser um endereço https completo, sem usuário nem senha")
    if not (urlsplit(url).hostname or "").isascii():
        raise ValueError("deve ter o nome do servidor sem acentos, na forma `xn--`")
    return url


WebhookAddress = Annotated[str, AfterValidator(_check_address)]


class Delivery(NamedTuple):
    """The result of a call: the code of the error (None for a 2xx), and how long to wait before the next call."""

    error: str | None
    pause: timedelta = timedelta(0)

    @property
    def is_gone(self) -> bool:
        """Whether the receiver wants no further calls."""
        return self.error == _GONE

    @property
    def outcome(self) -> str:
        """The label under which calls are counted: `delivered`, `gone` or `failed`."""
        return "delivered" if self.error is None else "gone" if self.is_gone else "failed"

    def require_taken(self) -> None:
        """Raise Retry if the call must be repeated."""
        if self.error is not None and not self.is_gone:
            raise Retry(self.error, self.pause)


def require_allowed(platform: Platform, url: str) -> None:
    """Raise Unprocessable for an address without TLS, unless private addresses are allowed for trials."""
    if not url.startswith("https://") and not platform.settings.webhook_private_addresses:
        item = Fault(loc=["body", "url"], msg="deve começar com https://", type="value_error")
        raise Unprocessable(code="webhook-address-refused", faults=[item])


async def send_message(
    platform: Platform, url: str, secrets: Sequence[bytes], message: str, content: bytes
) -> Delivery:
    """Send a message, signed with each of the secrets, and return the result.

    `message` is the id by which the receiver recognises a repetition.
    """
    signature = sign_message(message, int(time.time()), content, secrets)
    headers = {"Content-Type": "application/json", "User-Agent": "Balcao-Webhooks/1", **signature}
    try:
        answered = await guarded.post_guarded(
            platform.http, url, content, headers,
            seconds=PATIENCE_SECONDS, allow_private=platform.settings.webhook_private_addresses,
        )  # fmt: skip
    except guarded.AddressRefused:
        return Delivery("address-refused")
    except TimeoutError:
        return Delivery("timeout")
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):  # the last two: a stored address that cannot be called
        return Delivery("not-reached")
    if 200 <= answered.status < 300:
        return Delivery(None)
    return Delivery(f"status-{answered.status}", timedelta(seconds=parse_retry_after(answered.retry_after) or 0))


def format_secret(secret: bytes) -> str:
    """Format the secret as Standard Webhooks requires: `whsec_` and base64."""
    return _PREFIX + base64.b64encode(secret).decode()


def sign_message(message: str, timestamp: int, content: bytes, secrets: Iterable[bytes]) -> Mapping[str, str]:
    """Return the three headers of a message: its id, its time (Unix seconds), and a signature with each secret."""
    signed = b"%s.%d.%s" % (message.encode(), timestamp, content)
    digests = [hmac.digest(secret, signed, hashlib.sha256) for secret in secrets]
    return {
        "webhook-id": message,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{base64.b64encode(digest).decode()}" for digest in digests),
    }
