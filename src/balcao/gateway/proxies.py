"""Find the address of the caller behind trusted proxies.

Only entries that trusted proxies appended count. The header is read from the right, because the nearest proxy appends
its entry there. Entries that a caller wrote into the header are further left and are never reached.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

Pairs = Iterable[tuple[bytes, bytes]]

# An element of `Forwarded` (RFC 7239), such as `for=192.0.2.1` or `for="[2001:db8::1]:4711"`.
_FOR = re.compile(r"(?:^|;)\s*for\s*=\s*\"?([^\s\";]+)", re.IGNORECASE)
_PORT = re.compile(r"(?P<v6>\[[^\]]*\])(?::\d+)?|(?P<v4>[0-9.]+)(?::\d+)?")
_KNOWN_ADDRESSES = 4096
_THIS_MACHINE = ("127.0.0.1", "::1")
# A home or office connection usually gets an IPv6 network of this size, so one owner has many addresses. Count such a
# network as one address.
_V6_PREFIX = 64


class Proxies:
    """The addresses and networks of trusted proxies and other trusted `callers`.

    `X-Forwarded-For` and `Forwarded` count only if a proxy sends them. Proxies, these callers and the local machine
    have no individual quota.
    """

    def __init__(self, proxies: Sequence[str] = (), callers: Sequence[str] = ()) -> None:
        self._has_proxies = bool(proxies)
        self._is_proxy = _remember_members(proxies)
        self.is_trusted = _remember_members([*proxies, *callers, *_THIS_MACHINE])

    def find_caller(self, peer: str, headers: Pairs) -> str:
        """Return the address by which the caller's rate limits and quotas are counted.

        `peer` is the address that opened the connection.
        """
        if self._has_proxies and self._is_proxy(peer):
            for address in reversed(_list_hops(headers)):
                parsed = _parse(address)
                if parsed is None:  # hidden or malformed: use the proxy that wrote it
                    break
                peer = parsed
                if not self._is_proxy(peer):
                    break
        if ":" not in peer:
            return peer
        return _parse(peer) or peer if self.is_trusted(peer) else _to_network(peer)


def _remember_members(addresses: Sequence[str]) -> Callable[[str], bool]:
    networks = [ip_network(address, strict=False) for address in addresses]

    def is_member(address: str) -> bool:
        parsed = _parse(address)
        return parsed is not None and any(ip_address(parsed) in network for network in networks)

    return lru_cache(_KNOWN_ADDRESSES)(is_member)


def _list_hops(headers: Pairs) -> list[str]:
    """Return the addresses in the order of the header. If both headers exist, only `X-Forwarded-For` counts."""
    forwarded: list[str] = []
    standard: list[str] = []
    for name, value in headers:
        if name == b"x-forwarded-for":
            forwarded += value.decode("latin-1").split(",")
        elif name == b"forwarded":
            standard += value.decode("latin-1").split(",")
    return forwarded or [found[1] if (found := _FOR.search(element)) else "" for element in standard]


@lru_cache(_KNOWN_ADDRESSES)
def _parse(text: str) -> str | None:
    """Return the address in its normal form, without a port. Return None if the string is not an address."""
    text = text.strip()
    if found := _PORT.fullmatch(text):
        text = found["v4"] or found["v6"][1:-1]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)


@lru_cache(_KNOWN_ADDRESSES)
def _to_network(address: str) -> str:
    address = _parse(address) or address
    return str(ip_network(f"{address}/{_V6_PREFIX}", strict=False)) if ":" in address else address
