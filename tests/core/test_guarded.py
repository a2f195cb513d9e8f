"""The addresses to which guarded outgoing calls may connect."""

from ipaddress import ip_address

import httpx
import pytest

from balcao.core import guarded
from tests.support.inner_server import listening
from tests.support.polling import PATIENCE


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True), ("2606:2800:220:1::1", True), ("127.0.0.1", False), ("10.1.2.3", False),
        ("172.16.0.1", False), ("192.168.1.1", False), ("169.254.169.254", False), ("100.64.0.1", False),
        ("0.0.0.0", False),  # noqa: S104
        ("224.0.0.1", False), ("255.255.255.255", False), ("::1", False), ("fe80::1", False),
        ("fc00::1", False), ("::ffff:127.0.0.1", False), ("::ffff:93.184.216.34", True), ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False), ("::", False), ("::127.0.0.1", False), ("::93.184.216.34", False),
        ("::ffff:0:7f00:1", False), ("::ffff:0:5db8:d822", False), ("64:ff9b:1::7f00:1", False),
        ("2001:0:7f00:1::", False), ("2001:10::1", False), ("2001:db8::1", False), ("3fff::1", False),
        ("fec0::1", False), ("fed0::1", False), ("fd00:ec2::254", False), ("100::1", False), ("5f00::1", False),
        ("ff0e::1", False), ("4000::1", False), ("192.88.99.1", False), ("::ffff:192.88.99.1", False),
        ("192.88.98.1", True), ("168.63.129.16", False), ("::ffff:168.63.129.16", False), ("168.63.129.17", True),
        ("192.0.0.192", False), ("100.100.100.200", False), ("198.18.0.1", False), ("240.0.0.1", False),
    ],
)  # fmt: skip
def test_only_addresses_of_the_internet_are_public(address: str, public: bool) -> None:
    assert guarded.is_public(ip_address(address)) is public


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0", "[::ffff:127.0.0.1]"]
)
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_no_spelling_of_an_inner_address_is_called(scheme: str, host: str) -> None:
    with listening() as inner:
        async with httpx.AsyncClient() as http:
            with pytest.raises((guarded.AddressRefused, httpx.ConnectError)):
                await guarded.post_guarded(http, f"{scheme}://{host}:{inner.port}/", b"", {}, seconds=PATIENCE)
        inner.require_unused()
