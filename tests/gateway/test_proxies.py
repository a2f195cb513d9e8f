"""A caller's address is the one that trusted proxies report. Headers that the caller writes have no effect."""

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.gateway.proxies import Proxies
from balcao.settings import Settings, SettingsError
from tests.support.issuer import Issuer

PROXIES = Proxies(["10.0.0.0/8", "192.0.2.7", "2001:db8:1::/48"], ["198.51.100.7", "2001:db8:2::7"])
FORWARDED_FOR, FORWARDED = b"x-forwarded-for", b"forwarded"


@pytest.mark.parametrize(
    ("peer", "headers", "caller"),
    [
        ("198.51.100.1", [], "198.51.100.1"),
        ("198.51.100.1", [(FORWARDED_FOR, b"203.0.113.9")], "198.51.100.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", [(FORWARDED_FOR, b"203.0.113.9")], "203.0.113.9"),
        ("10.0.0.1", [(FORWARDED_FOR, b"1.1.1.1, 203.0.113.9")], "203.0.113.9"),
        ("10.0.0.1", [(FORWARDED_FOR, b"1.1.1.1, 203.0.113.9, 192.0.2.7,10.9.9.9")], "203.0.113.9"),
        ("10.0.0.1", [(FORWARDED_FOR, b"1.1.1.1"), (FORWARDED_FOR, b"203.0.113.9")], "203.0.113.9"),
        ("10.0.0.1", [(FORWARDED_FOR, b"203.0.113.9:4711")], "203.0.113.9"),
        ("::ffff:10.0.0.1", [(FORWARDED_FOR, b"::ffff:203.0.113.9")], "203.0.113.9"),
        ("10.0.0.1", [(FORWARDED_FOR, b"1.1.1.1, unknown")], "10.0.0.1"),
        ("10.0.0.1", [(FORWARDED_FOR, b"1.1.1.1, , 192.0.2.7")], "192.0.2.7"),
        ("10.0.0.1", [(FORWARDED_FOR, b"10.0.0.3, 10.0.0.2")], "10.0.0.3"),
        ("10.0.0.1", [(FORWARDED, b'for=1.1.1.1;proto=http, for="203.0.113.9:80";by=10.0.0.1')], "203.0.113.9"),
        ("10.0.0.1", [(FORWARDED, b'For="[2001:db8:2::5]:4711"')], "2001:db8:2::/64"),
        ("10.0.0.1", [(FORWARDED, b"for=_hidden")], "10.0.0.1"),
        ("10.0.0.1", [(FORWARDED, b"for=1.1.1.1"), (FORWARDED_FOR, b"203.0.113.9")], "203.0.113.9"),
        ("2001:db8:1::1", [(FORWARDED_FOR, b"2001:db8:2::5")], "2001:db8:2::/64"),
        ("2001:db8:2::6", [], "2001:db8:2::/64"),
    ],
)
def test_headers_are_read_from_the_right_and_only_from_trusted_addresses(
    peer: str, headers: list[tuple[bytes, bytes]], caller: str
) -> None:
    assert PROXIES.find_caller(peer, headers) == caller


@pytest.mark.parametrize(
    ("peer", "headers", "is_trusted"),
    [
        pytest.param("198.51.100.7", [], True, id="a portal's server"),
        pytest.param("::ffff:198.51.100.7", [], True, id="a portal's server on a socket of both kinds"),
        pytest.param("2001:db8:2::7", [], True, id="a portal's server with IPv6"),
        pytest.param("2001:db8:2::8", [], False, id="its neighbour"),
        pytest.param("10.0.0.1", [], True, id="a proxy"),
        pytest.param("127.0.0.1", [], True, id="this machine"),
        pytest.param("::1", [], True, id="this machine with IPv6"),
        pytest.param("127.0.0.2", [], False, id="another address of this machine"),
        pytest.param("203.0.113.9", [], False, id="a stranger"),
        pytest.param("203.0.113.9", [(FORWARDED_FOR, b"198.51.100.7")], False, id="a stranger who names a portal"),
        pytest.param("198.51.100.7", [(FORWARDED_FOR, b"10.0.0.1")], True, id="a portal that names another address"),
        pytest.param("10.0.0.1", [(FORWARDED_FOR, b"203.0.113.9")], False, id="a stranger behind a proxy"),
        pytest.param("10.0.0.1", [(FORWARDED_FOR, b"198.51.100.7")], True, id="a portal behind a proxy"),
        pytest.param("10.0.0.1", [(FORWARDED_FOR, b"198.51.100.7, 203.0.113.9")], False, id="a liar behind a proxy"),
    ],
)
def test_only_proxies_portals_and_this_machine_are_trusted_to_call_for_many(
    peer: str, headers: list[tuple[bytes, bytes]], is_trusted: bool
) -> None:
    assert PROXIES.is_trusted(PROXIES.find_caller(peer, headers)) is is_trusted


def test_without_a_trusted_proxy_no_header_is_read() -> None:
    assert Proxies().find_caller("127.0.0.1", [(FORWARDED_FOR, b"203.0.113.9")]) == "127.0.0.1"


@given(st.binary(max_size=200), st.sampled_from([FORWARDED_FOR, FORWARDED]))
def test_whatever_a_caller_sends_the_proxys_own_entry_counts(sent: bytes, name: bytes) -> None:
    own = b"203.0.113.9" if name == FORWARDED_FOR else b"for=203.0.113.9"
    assert PROXIES.find_caller("10.0.0.1", [(name, sent + b"," + own)]) == "203.0.113.9"


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(
        auth_issuer=issuer.address,
        data_dir=tmp_path_factory.mktemp("data"),
        trusted_proxies_csv="127.0.0.1",
        read_rate="10/hour",
    )


def test_anonymous_callers_behind_a_proxy_have_a_rate_each(http: httpx.Client) -> None:
    def read(forwarded: str) -> int:
        headers = {"X-Forwarded-For": forwarded}
        return http.get("/registry/v1/citizen/gender/options", headers=headers).status_code

    # The caller wrote the leftmost entry, so the platform ignores it.
    assert [read(f"203.0.113.{number}, 198.51.100.7") for number in range(11)] == [200] * 10 + [429]
    assert read("198.51.100.8") == 200


@pytest.mark.parametrize("networks", ["proxy.local", "10.0.0.0/33", "10.0.0.1-10.0.0.9"])
def test_what_is_no_network_is_refused_by_name(networks: str) -> None:
    with pytest.raises(SettingsError, match="BALCAO_TRUSTED_PROXIES"):
        Settings.load({"BALCAO_TRUSTED_PROXIES": networks})
