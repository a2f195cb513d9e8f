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

# All that the internet's registries hand out (RFC 4291, 2.4). Whatever stands for an address of version 4 outside of it
# (compatible, translated, NAT64) and what sites once had for themselves (`fec0::/10`) is refused by that alone.
_UNICAST = ip_network("2000::/3")
# Within it: tunnels to an address of version 4, which may be private (Teredo and its kin, 6to4), and documentation.
_NOT_REACHED = tuple(map(ip_network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
# Protocols' own addresses, the relay of 6to4, and the one under which Azure serves the machines of its customers: they
# look like any other, and lead into the network where we stand.
_NEARBY = tuple(map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32")))
_PORTS = {"https": 443, "http": 80}


class AddressRefused(Exception):
    """The name stands for an address that must not be called."""


class Answered(NamedTuple):
    """What came back; the body is not read."""

    status: int
    retry_after: str | None


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address is one of the internet, and no private, local, reserved or translated one."""
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast and not any(address in network for network in _NEARBY)
    if address.ipv4_mapped is not None:  # the system itself connects by version 4
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
