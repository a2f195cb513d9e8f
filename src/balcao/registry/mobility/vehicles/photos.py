"""Validate photo URLs. The files are hosted outside the platform (rules: registry 3.6)."""

import re
from collections.abc import Collection

from balcao.core.errors import Invalid
from balcao.core.values.text import has_control

LONGEST_URL = 2048

# A pattern must match the whole URL. The URL is not parsed, because browsers and parsers disagree on user parts,
# backslashes and hosts in other alphabets. The pattern rejects such URLs. It also rejects ports other than 443,
# characters that must be escaped in a URL, and characters that would end an HTML attribute.
_URL = re.compile(r"https://(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::443)?(?:[/?#][^\s\\<>\"`]*)?", re.IGNORECASE)


def parse_url(field: str, url: str, hosts: Collection[str]) -> str:
    """Return the trimmed URL.

    Raises Invalid unless it is an https URL on one of the allowed hosts or their subdomains.
    """
    text = url.strip()
    found = _URL.fullmatch(text)
    if found is None or len(text) > LONGEST_URL or has_control(text) or not _is_allowed(found["host"].lower(), hosts):
        raise Invalid(
            f"O campo `{field}` deve ser um endereço https de até {LONGEST_URL} caracteres em um destes servidores: "
            f"{', '.join(sorted(hosts))}.",
            code=f"{field}-invalid",
        )
    return text


def _is_allowed(host: str, hosts: Collection[str]) -> bool:
    return any(host == allowed or host.endswith(f".{allowed}") for allowed in hosts)
