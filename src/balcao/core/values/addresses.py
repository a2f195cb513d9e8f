"""Addresses of the web that callers give, to be shown on a page of the city."""

import re
from collections.abc import Container
from urllib.parse import urlsplit

# What would end the attribute or the style in which a page puts the address.
_UNSAFE = re.compile(r"[\s\x00-\x20\x7f\\<>\"'`]")


def is_https_address(text: str) -> bool:
    """Tell whether the text is a whole address: https, a host, no user name, nothing that a page would misread."""
    return is_web_address(text, {"https"})


def is_web_address(text: str, schemes: Container[str] = frozenset({"https", "http"})) -> bool:
    """Tell the same of an address under one of these schemes."""
    try:
        parts = urlsplit(text)
        whole = parts.scheme in schemes and bool(parts.hostname) and parts.username is None and parts.port != 0
    except ValueError:
        return False
    return whole and not _UNSAFE.search(text)


def is_link(text: str) -> bool:
    """Tell whether a page of the city may link to the text: an address of the web, of e-mail or of a telephone."""
    scheme, _, target = text.partition(":")
    if scheme.lower() in {"mailto", "tel"}:
        return bool(target) and not _UNSAFE.search(target)
    return is_web_address(text)
