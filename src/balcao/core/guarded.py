"""Calls to addresses that callers have given. They never reach an address inside our own networks.

This module resolves the name, checks all its addresses, and connects to a checked address. A name that resolves
differently a moment later therefore cannot redirect the call. Redirects are not followed.
"""

import asyncio
import socket
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx

# All addresses that registries assign on the internet (RFC 4291, 2.4). This range contains neither the IPv6 forms of
# IPv4 addresses (compatible, translated, NAT64) nor the former site-local addresses (`fec0::/10`).
_UNICAST = ip_network("2000::/3")
# Blocked parts of that range: addresses for documentation, and addresses of tunnels (Teredo and similar, 6to4) to IPv4
# addresses, which may be private.
_NOT_REACHED = tuple(map(ip_network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
# Blocked IPv4 addresses that look public but lead into the network of this machine: addresses reserved for protocols,
# the 6to4 relay, and the address of Azure's services for virtual machines.
_NEARBY = tuple(map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32")))
_PORTS = {"https": 443, "http": 80}


class AddressRefused(Exception):
    """The name resolves to an address that must not be called."""


class Answered(NamedTuple):
    """The response to a call. Its body is not read."""

    status: int
    retry_after: str | None


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether an address is on the internet, and not private, local, reserved or translated."""
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast and not any(address in network for network in _NEARBY)
    if address.ipv4_mapped is not None:  # the operating system would connect over IPv4
        return is_public(address.ipv4_mapped)
    return address.is_global and address in _UNICAST and not any(address in network for network in _NOT_REACHED)


async def post_guarded(
    http: httpx.AsyncClient,
    url: str,
    content: bytes,
    headers: Mapping[str, str],
    *,
    seconds: float,
    allow_private: bool = False,
) -> Answered:
    """Send a POST request and return the status of the response.

    Raises AddressRefused for an address in an internal network, TimeoutError after `seconds`, or httpx.HTTPError if the
    call fails. Set `allow_private` only on machines where developers try the platform.
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
            # Connections are pooled by address. Without `close`, a call to another name at this address would reuse
            # this connection.
            headers={**headers, "Host": parts.netloc, "Connection": "close"},
            extensions={"sni_hostname": host},  # verify the certificate against the name
        )
        response = await http.send(request, stream=True, follow_redirects=False)
        await response.aclose()
    return Answered(response.status_code, response.headers.get("Retry-After"))


async def _resolve(host: str, port: int, *, allow_private: bool) -> str:
    """Return an address of the host.

    Raises AddressRefused if one of its addresses is not public, or ConnectError if it has none.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise httpx.ConnectError("the name has no address") from None
    addresses = [ip_address(str(sockaddr[0]).partition("%")[0]) for *_, sockaddr in found]
    if not allow_private and not all(map(is_public, addresses)):
        raise AddressRefused
    return str(addresses[0])
