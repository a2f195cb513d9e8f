"""Identifiers: create new ids, which sort by creation time, and check the ids that callers send."""

import re
from uuid import UUID

import uuid_utils
from uuid_utils.compat import uuid7

MAX_INT64 = 2**63 - 1
# Five groups of hexadecimal digits, upper or lower case.
UUID_PATTERN = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_UUID = re.compile(UUID_PATTERN)


def new_id() -> str:
    """Create a UUID of version 7 as a canonical string."""
    return str(uuid_utils.uuid7())


def new_uuid() -> UUID:
    """Create a UUID of version 7 as an object, without parsing a string."""
    return uuid7()


def is_uuid(text: str) -> bool:
    """Return whether the string is a UUID in the form that callers must send: five groups and nothing else."""
    return _UUID.fullmatch(text) is not None


def parse_uuid(text: str) -> UUID | None:
    """Parse a UUID. Return None if the string is not a UUID and therefore cannot be the id of a record."""
    return UUID(text) if is_uuid(text) else None


def parse_int64(text: str) -> int | None:
    """Parse a number of ASCII digits. Return None for any other string and for numbers above `MAX_INT64`."""
    return int(text) if re.fullmatch("[0-9]{1,19}", text) and int(text) <= MAX_INT64 else None
