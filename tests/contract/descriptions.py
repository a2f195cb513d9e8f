"""Compares a response's headers and error code with the operation's description."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

# HTTP and browsers define these headers for every server, so operations do not describe them.
GENERAL = frozenset(
    {
        "allow",
        "cache-control",
        "connection",
        "content-encoding",
        "content-length",
        "content-security-policy",
        "content-type",
        "date",
        "server",
        "transfer-encoding",
        "vary",
        "www-authenticate",
        "x-accel-buffering",
        "x-content-type-options",
    }
)


def list_undescribed(response: Mapping[str, Any], sent: Iterable[str]) -> list[str]:
    """Return the names of the response's headers that its description lacks."""
    described = {name.lower() for name in response.get("headers", {})}
    return sorted({name.lower() for name in sent} - described - GENERAL)


def is_described(code: str, response: Mapping[str, Any]) -> bool:
    """Return whether the response's description lists the error code."""
    listed = re.findall(r"^- `(.*?)`", response["description"], re.MULTILINE)
    return any(re.fullmatch(re.escape(each).replace("<field>", r"[\w.\[\]]+"), code) for each in listed)
