"""Cursors for continuing a list: opaque, URL-safe, and valid only for their own list."""

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error

_POSITION_BYTES = 8
_SEAL_BYTES = 10


def encode_cursor(list_name: str, position: int) -> str:
    """Return the cursor for a position in a list: 24 URL-safe characters."""
    raw = position.to_bytes(_POSITION_BYTES, signed=True)
    return urlsafe_b64encode(raw + _seal(list_name, raw)).decode()


def decode_cursor(list_name: str, text: str) -> int:
    """Return the position of a cursor.

    Raises ValueError if it was altered, belongs to another list, or is not a cursor.
    """
    try:
        raw = urlsafe_b64decode(text.encode("ascii"))
    except (UnicodeEncodeError, Base64Error):
        raw = b""
    position, seal = raw[:_POSITION_BYTES], raw[_POSITION_BYTES:]
    if seal != _seal(list_name, position) or urlsafe_b64encode(raw).decode() != text:
        raise ValueError("not a cursor of this list")
    return int.from_bytes(position, signed=True)


def _seal(list_name: str, position: bytes) -> bytes:
    return hashlib.blake2b(position + list_name.encode(), digest_size=_SEAL_BYTES, person=b"cursors").digest()
