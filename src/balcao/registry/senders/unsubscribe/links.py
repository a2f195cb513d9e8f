"""The sealed unsubscribe address in an e-mail, for one-click opt-out (RFC 8058; rules: registry 4.17).

The address contains no readable personal data. Until the address expires, it allows opting out of one category and
nothing else.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from balcao.core.context.audit import Audit
from balcao.core.context.platform import Platform
from balcao.core.context.sealing import seal_briefly, unseal_briefly
from balcao.core.values.cpf import Cpf

PATH = "/unsubscribe"
_PURPOSE = "unsubscribe"


class Link(msgspec.Struct, frozen=True, array_like=True):
    """The content of an unsubscribe address. `sender` is the client whose message contained it."""

    cpf: str
    category: str
    sender: str


class _Sealed(msgspec.Struct, frozen=True, array_like=True):
    link: Link
    until: int  # Unix seconds


def make_addresses(platform: Platform, links: Sequence[Link], now: datetime) -> list[str]:
    """Return an unsubscribe address for each link. The addresses expire after `BALCAO_UNSUBSCRIBE_DAYS`."""
    until = int((now + timedelta(days=platform.settings.unsubscribe_days)).timestamp())
    contents = [msgspec.json.encode(_Sealed(link, until)).decode() for link in links]
    base = f"{platform.settings.base_url}/registry/v1{PATH}"
    return [f"{base}/{sealed}" for sealed in seal_briefly(platform.audit.key, _PURPOSE, contents)]


def open_link(audit: Audit, sealed: str, now: datetime) -> Link | None:
    """Parse the link in an address. Return None if it is not valid or has expired."""
    text = unseal_briefly(audit.keys, _PURPOSE, sealed)
    if text is None:
        return None
    content = msgspec.json.decode(text, type=_Sealed)
    is_valid = now.timestamp() < content.until and Cpf.parse(content.link.cpf) is not None
    return content.link if is_valid else None
