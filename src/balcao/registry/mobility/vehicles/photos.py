"""Which addresses of photos are accepted; the files themselves lie elsewhere (rules: registry 3.6)."""

import re
from collections.abc import Collection

from balcao.core.errors import Invalid
from balcao.core.values.text import has_control

LONGEST_URL = 2048

# Matched as a whole rather than parsed: browsers and parsers disagree on user parts, backslashes and other alphabets in
# a host, so nothing of the kind gets in. A port other than the default one, written or not, does not match. Nor does
# what no address has unescaped, and what would end the attribute in which a page puts it.
_URL = re.compile(r"https://(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::443)?(?:[/?#][^\s\\<>\"`]*)?", re.IGNORECASE)


def parse_url(field: str, url: str, hosts: Collection[str]) -> str:
    """Return the trimmed address. Raises Invalid unless it is https on one of the hosts or a subdomain of one."""
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
