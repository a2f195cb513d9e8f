"""Check web addresses that callers send, and that pages of the city will show."""

import re
from collections.abc import Container
from urllib.parse import urlsplit

# Characters that could end the attribute or the style into which a page writes the address.
_UNSAFE = re.compile(r"[\s\x00-\x20\x7f\\<>\"'`]")


def is_https_address(text: str) -> bool:
    """Return whether the string is a complete https address with a host, without a user name or unsafe characters."""
    return is_web_address(text, {"https"})


def is_web_address(text: str, schemes: Container[str] = frozenset({"https", "http"})) -> bool:
    """Return whether the string is an address as `is_https_address` accepts it, but with one of these schemes."""
    try:
        parts = urlsplit(text)
        whole = parts.scheme in schemes and bool(parts.hostname) and parts.username is None and parts.port != 0
    except ValueError:
        return False
    return whole and not _UNSAFE.search(text)


def is_link(text: str) -> bool:
    """Return whether a page of the city may link to the text: a web address, an e-mail address or a phone number."""
    scheme, _, target = text.partition(":")
    if scheme.lower() in {"mailto", "tel"}:
        return bool(target) and not _UNSAFE.search(target)
    return is_web_address(text)
