"""Opaque, URL-safe cursors. A cursor for examples is valid only for the data set for which it was created."""

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

START = 0
_POSITION_BYTES = 8
_SEAL_BYTES = 10
_TEXT_LENGTH = 24
_FOREIGN = "não é um cursor desta API"


def encode_example_cursor(dataset_id: str, position: int) -> str:
    """Encode a position as a cursor of 24 URL-safe characters."""
    raw = position.to_bytes(_POSITION_BYTES)
    return urlsafe_b64encode(raw + _seal(dataset_id, raw)).decode().rstrip("=")


def decode_example_cursor(dataset_id: str | None, text: str) -> int:
    """Decode the position in a cursor.

    Raises ValueError if the cursor is malformed or belongs to another data set. If `dataset_id` is None, only the
    format is checked.
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
        raise ValueError(_FOREIGN)
    return raw


class ListPlace(NamedTuple):
    """The position of a data set in the list of all data sets, newest first."""

    created_at: datetime
    id: str


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def encode_list_cursor(place: ListPlace) -> str:
    """Encode a data set's position in the list of all data sets as a cursor."""
    raw = ((place.created_at - _EPOCH) // _MICROSECOND).to_bytes(_POSITION_BYTES) + place.id.encode()
    return urlsafe_b64encode(_seal("", raw) + raw).decode().rstrip("=")


def decode_list_cursor(text: str) -> ListPlace:
    """Decode the position in a list cursor. Raises ValueError if the cursor is not one that this API issued."""
    try:
        sealed = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except (UnicodeEncodeError, Base64Error):
        sealed = b""
    seal, raw = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
    if len(raw) <= _POSITION_BYTES or seal != _seal("", raw):
        raise ValueError(_FOREIGN)
    return ListPlace(
        _EPOCH + int.from_bytes(raw[:_POSITION_BYTES]) * _MICROSECOND, raw[_POSITION_BYTES:].decode("ascii")
    )


def _seal(dataset_id: str, position: bytes) -> bytes:
    return hashlib.blake2b(position + dataset_id.encode(), digest_size=_SEAL_BYTES, person=b"examples").digest()
