"""Types for settings. Each type validates a variable's value and raises a Portuguese error message."""

import re
from datetime import UTC, datetime
from ipaddress import ip_network
from typing import Annotated
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, SecretStr

from balcao.settings import fixed_tokens
from balcao.zones import load_zone

_ORIGIN = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_HOST = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")


def split_list(csv: str) -> tuple[str, ...]:
    """Split a comma-separated list into its entries."""
    return tuple(entry.strip() for entry in csv.split(",") if entry.strip())


def split_clients(csv: str) -> frozenset[str] | None:
    """Return the clients in a comma-separated list, or None if the list is empty. The entry `none` means no client."""
    names = frozenset(split_list(csv))
    return names - {"none"} if names else None


def _check_zone(name: str) -> str:
    load_zone(name)
    return name


def _split_address(address: str) -> SplitResult:
    """Split an address into its parts. Raises ValueError with a Portuguese message if the address is invalid."""
    try:
        parts = urlsplit(address)
        _ = parts.hostname, parts.port
    except ValueError:
        raise ValueError("não é um endereço válido: confira servidor e porta") from None
    if any(char.isspace() for char in parts.netloc):
        raise ValueError("não é um endereço válido: há espaço no servidor")
    return parts


def _check_addresses(text: str) -> str:
    for address in split_list(text):
        if not address.startswith(("http://", "https://")):
            raise ValueError("cada endereço começa com http:// ou https://")
        _split_address(address)
    return text


# One host in a database address, with an optional port. An IPv6 address is in brackets.
_DATABASE_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.%a-z]+\]|[^\s\[\]:,]*)(?::[0-9]{1,5})?")


def _check_database(address: str) -> str:
    """Check only the format. The driver checks the rest when it connects."""
    place = address.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2]
    if not all(_DATABASE_HOST.fullmatch(host) for host in place.split(",")):
        raise ValueError("não é um endereço de PostgreSQL: use postgresql://usuario:senha@servidor:5432/banco")
    return address


def _check_redis(address: str) -> str:
    if address and _split_address(address).scheme not in {"redis", "rediss", "unix"}:
        raise ValueError("use redis://usuario:senha@servidor:6379/0, ou rediss://")
    return address


def _check_bucket_server(address: str) -> str:
    parts = _split_address(address)
    if address and not (parts.scheme in {"http", "https"} and parts.hostname and parts.path in {"", "/"}):
        raise ValueError("use só https://servidor:porta, sem o nome do bucket")
    if parts.username or parts.query or parts.fragment:
        raise ValueError("use só https://servidor:porta; a chave tem variáveis próprias")
    return address.rstrip("/")


def _check_mail_server(address: SecretStr) -> SecretStr:
    parts = _split_address(address.get_secret_value())
    if any(parts) and not (parts.scheme in {"smtp", "smtps"} and parts.hostname and parts.path in {"", "/"}):
        raise ValueError("use smtp://usuario:senha@servidor:porta, ou smtps://")
    return address


def _check_fixed_tokens(text: str) -> str:
    fixed_tokens.parse_setting(text, datetime.now(UTC).date())
    return text


def _check_rate(text: str) -> str:
    import limits  # slow to import, and most configurations use the defaults

    try:
        limits.parse(text)
    except ValueError:
        raise ValueError("use, por exemplo, 60/hour ou 300/5 minutes") from None
    return text


def _check_networks(text: str) -> str:
    for network in split_list(text):
        try:
            ip_network(network, strict=False)
        except ValueError:
            raise ValueError("use endereços IP ou redes, como 10.0.0.0/8, separados por vírgula") from None
    return text


def _check_origins(text: str) -> str:
    if not all(_ORIGIN.fullmatch(origin) for origin in split_list(text)):
        raise ValueError("cada origem é esquema, servidor e porta, sem caminho: https://portal.cidade.gov.br")
    return text


def _check_hosts(text: str) -> str:
    if not all(_HOST.fullmatch(host) for host in split_list(text)):
        raise ValueError("cada servidor é só um nome, sem esquema nem porta")
    return text


# A comma-separated list, not yet split.
Csv = str
Zone = Annotated[str, AfterValidator(_check_zone)]
Addresses = Annotated[str, AfterValidator(_check_addresses)]
DatabaseAddress = Annotated[str, AfterValidator(_check_database)]
RedisServer = Annotated[str, AfterValidator(_check_redis)]
BucketServer = Annotated[str, AfterValidator(_check_bucket_server)]
MailServer = Annotated[SecretStr, AfterValidator(_check_mail_server)]
# A rate limit: `60/hour`, `300/5 minutes`.
Rate = Annotated[str, AfterValidator(_check_rate)]
FixedTokens = Annotated[Csv, AfterValidator(_check_fixed_tokens)]
# Comma-separated lists: IP addresses and networks, browser origins, host names.
Networks = Annotated[str, AfterValidator(_check_networks)]
Origins = Annotated[str, AfterValidator(_check_origins)]
Hosts = Annotated[str, AfterValidator(_check_hosts)]
