"""Cursors of a unit's notifications: opaque, URL-safe, good only for the unit they were made for."""

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from datetime import UTC, datetime

from balcao.core.errors import Fault, Unprocessable
from balcao.core.values.cnes import Cnes

_INSTANT_BYTES = 8


def encode_cursor(cnes: Cnes, opened: datetime) -> str:
    """Return the cursor of the notification opened at this instant: 24 URL-safe characters."""
    raw = int(opened.timestamp()).to_bytes(_INSTANT_BYTES)
    return urlsafe_b64encode(raw + _seal(cnes, raw)).decode()


def decode_cursor(cnes: Cnes, text: str) -> datetime:
    """Return the instant a cursor stands for. Raises Unprocessable for one not ours, altered, or of another unit."""
    try:
        raw = urlsafe_b64decode(text.encode("ascii"))
    except (UnicodeEncodeError, Base64Error):
        raw = b""
    instant, seal = raw[:_INSTANT_BYTES], raw[_INSTANT_BYTES:]
    if seal != _seal(cnes, instant) or urlsafe_b64encode(raw).decode() != text:
        item = Fault(loc=["query", "after"], msg="não é um cursor desta lista", type="value_error")
        raise Unprocessable(faults=[item])
    return datetime.fromtimestamp(int.from_bytes(instant), UTC)


def _seal(cnes: Cnes, instant: bytes) -> bytes:
    return hashlib.blake2b(instant + cnes.digits.encode(), digest_size=10, person=b"notifications").digest()
