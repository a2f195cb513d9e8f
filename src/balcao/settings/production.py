"""What the production profile requires of keys and addresses."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

KEY_BYTES = 32
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
# The minimum number of distinct characters in a key. The probability that the encoding of 32 random bytes has fewer is
# below one in a million.
_FEWEST_CHARACTERS = 9
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]+=*")


def is_weak_key(key: str) -> bool:
    """Return whether the key is too short or too regular to be 32 or more random bytes in hexadecimal or base64."""
    if not _ENCODED.fullmatch(key) or len(set(key)) < _FEWEST_CHARACTERS:
        return True
    encoded = key.rstrip("=")
    is_hexadecimal = re.fullmatch(r"[0-9a-fA-F]+", encoded) is not None
    return (len(encoded) // 2 if is_hexadecimal else len(encoded) * 3 // 4) < KEY_BYTES


def refuse_issuers(issuers: Sequence[str], *, allow_loopback: bool) -> list[str]:
    """Return a message for each issuer without https, because an attacker could replace its keys in transit."""
    return [
        f"BALCAO_AUTH_ISSUER: {issuer} não é https. Só um provedor nesta máquina pode ser http, com "
        "BALCAO_ALLOW_LOOPBACK_ISSUER=true."
        for issuer in issuers
        if not _is_secure(issuer, allow_loopback)
    ]


def refuse_sandbox_crm(address: str, sandbox_port: int) -> list[str]:
    """Return a message if the address is that of the sandbox CRM.

    A city's proxy on the same machine has another port.
    """
    own = {f"http://{host}:{sandbox_port}" for host in ("127.0.0.1", "localhost", "[::1]")}
    return ["BALCAO_CRM_URL é o endereço do CRM de demonstração, que não serve à produção."] * (address in own)


def _is_secure(issuer: str, allow_loopback: bool) -> bool:
    parts = urlsplit(issuer)
    return parts.scheme == "https" or (allow_loopback and parts.hostname in LOOPBACK)
