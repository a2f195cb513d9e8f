"""Identifiers: new ones, which sort by the moment of their creation, and the form in which callers send them."""

import re
from uuid import UUID

import uuid_utils
from uuid_utils.compat import uuid7

MAX_INT64 = 2**63 - 1
# Five groups of hexadecimal digits, in any case.
UUID_PATTERN = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_UUID = re.compile(UUID_PATTERN)


def new_id() -> str:
    """Return a UUID of version 7 in its canonical text form."""
    return str(uuid_utils.uuid7())


def new_uuid() -> UUID:
    """Return a UUID of version 7, without the way through its text."""
    return uuid7()


def is_uuid(text: str) -> bool:
    """Tell whether the text is a UUID as callers write it: five groups, nothing around them."""
    return _UUID.fullmatch(text) is not None


def parse_uuid(text: str) -> UUID | None:
    """Return the UUID that the text is; None for a text that is none, and so the id of nothing."""
    return UUID(text) if is_uuid(text) else None


def parse_int64(text: str) -> int | None:
    """Return the number that the text is in ASCII digits; None for one that no column of 64 bits holds."""
    return int(text) if re.fullmatch("[0-9]{1,19}", text) and int(text) <= MAX_INT64 else None
