"""What the production profile demands of keys and addresses."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

KEY_BYTES = 32
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
# A key of 32 random bytes shows more signs than this, in hexadecimal as in base64, but for one in a million.
_FEWEST_SIGNS = 9
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]+=*")


def is_weak_key(key: str) -> bool:
    """Tell whether this cannot be 32 random bytes or more, in hexadecimal or base64."""
    if not _ENCODED.fullmatch(key) or len(set(key)) < _FEWEST_SIGNS:
        return True
    encoded = key.rstrip("=")
    is_hexadecimal = re.fullmatch(r"[0-9a-fA-F]+", encoded) is not None
    return (len(encoded) // 2 if is_hexadecimal else len(encoded) * 3 // 4) < KEY_BYTES


def list_insecure_issuers(issuers: Sequence[str], *, allow_loopback: bool) -> list[str]:
    """Return the issuers whose keys could be replaced on the way here: all that are not https."""
    return [issuer for issuer in issuers if not _is_secure(issuer, allow_loopback)]


def _is_secure(issuer: str, allow_loopback: bool) -> bool:
    parts = urlsplit(issuer)
    return parts.scheme == "https" or (allow_loopback and parts.hostname in LOOPBACK)
