"""Identifiers: new ones, which sort by the moment of their creation, and the form in which callers send them."""

import re
from uuid import UUID

import uuid_utils
from uuid_utils.compat import uuid7

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
