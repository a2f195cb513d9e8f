"""Calls to addresses that a caller of ours gave: none that leads into our own networks is reached.

The name is resolved here, every address it has is looked at, and the connection goes to the one that was looked at: a
name that answers otherwise a moment later leads nowhere else. Redirects are not followed.
"""

import asyncio
import socket
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx

# Public addresses of version 6 that stand for one of version 4, which may be private: NAT64, 6to4, Teredo.
_TRANSLATED = tuple(map(ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")))
_PORTS = {"https": 443, "http": 80}


class AddressRefused(Exception):
    """The name stands for an address that must not be called."""


class Answered(NamedTuple):
    """What came back; the body is not read."""

    status: int
    retry_after: str | None


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address is one of the internet, and no private, local, reserved or translated one."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if any(address in network for network in _TRANSLATED):
            return False
    return address.is_global and not address.is_multicast


async def post(
    http: httpx.AsyncClient,
    url: str,
    content: bytes,
    headers: Mapping[str, str],
    *,
    seconds: float,
    allow_private: bool = False,
) -> Answered:
    """Send a POST and return its status. Raises AddressRefused, TimeoutError and httpx.HTTPError.

    `allow_private` is for a machine on which somebody tries things out.
    """
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    async with asyncio.timeout(seconds):
        address = await _resolve(host, port, allow_private=allow_private)
        place = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        request = http.build_request(
            "POST",
            parts._replace(netloc=place).geturl(),
            content=content,
            # Connections are kept by address: without the last one the next name at this address would share it.
            headers={**headers, "Host": parts.netloc, "Connection": "close"},
            extensions={"sni_hostname": host},  # the certificate is to be that of the name
        )
        response = await http.send(request, stream=True, follow_redirects=False)
        await response.aclose()
    return Answered(response.status_code, response.headers.get("Retry-After"))


async def _resolve(host: str, port: int, *, allow_private: bool) -> str:
    """Return an address of the host. Raises AddressRefused when one of them is not public, or it has none."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise httpx.ConnectError("the name has no address") from None
    addresses = [ip_address(str(sockaddr[0]).partition("%")[0]) for *_, sockaddr in found]
    if not allow_private and not all(map(is_public, addresses)):
        raise AddressRefused
    return str(addresses[0])
