"""Cursors of a data set's examples: opaque, URL-safe, good only for the set they were made for."""

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error

START = 0
_POSITION_BYTES = 8
_TEXT_LENGTH = 24


def encode_cursor(dataset_id: str, position: int) -> str:
    """Return the cursor of a position: 24 URL-safe characters."""
    raw = position.to_bytes(_POSITION_BYTES)
    return urlsafe_b64encode(raw + _seal(dataset_id, raw)).decode().rstrip("=")


def decode_cursor(dataset_id: str | None, text: str) -> int:
    """Return the position a cursor stands for. Raises ValueError for one not ours, altered, or of another set.

    Without a data set only its form is judged.
    """
    raw = _decode(text)
    position, seal = raw[:_POSITION_BYTES], raw[_POSITION_BYTES:]
    if dataset_id is not None and seal != _seal(dataset_id, position):
        raise ValueError("não é um cursor deste conjunto de dados")
    return int.from_bytes(position)


def _decode(text: str) -> bytes:
    try:
        raw = urlsafe_b64decode(text.encode("ascii"))
    except (UnicodeEncodeError, Base64Error):
        raw = b""
    if len(text) != _TEXT_LENGTH or urlsafe_b64encode(raw).decode() != text:
        raise ValueError("não é um cursor desta API")
    return raw


def _seal(dataset_id: str, position: bytes) -> bytes:
    return hashlib.blake2b(position + dataset_id.encode(), digest_size=10, person=b"examples").digest()
