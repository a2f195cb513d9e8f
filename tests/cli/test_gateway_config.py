"""`balcao gateway-config` overwrites files only with `--replace`, and explains each failure in one sentence."""

from pathlib import Path

import pytest

from tests.support.issuer import Issuer
from tests.support.terminal import Terminal


@pytest.fixture
def terminal(issuer: Issuer, tmp_path: Path) -> Terminal:
    return Terminal(tmp_path, auth_issuer=issuer.address)


def test_what_is_there_is_never_overwritten_unasked(terminal: Terminal, tmp_path: Path) -> None:
    written = tmp_path / "gateway" / "haproxy.cfg"
    terminal.run("gateway-config", "haproxy")
    first = written.read_bytes()
    assert b"server s1 127.0.0.1:8080" in first
    (key,) = (tmp_path / "gateway" / "keys").iterdir()
    assert key.read_bytes().startswith(b"-----BEGIN PUBLIC KEY-----")
    again = terminal.run("gateway-config", "haproxy")
    assert (again.returncode, again.stdout.split()[0]) == (0, "0")
    written.write_bytes(first + b"# ours\n")
    assert "haproxy.cfg" in terminal.refusal("gateway-config", "haproxy")
    assert written.read_bytes() == first + b"# ours\n"
    assert terminal.run("gateway-config", "haproxy", "--replace").returncode == 0
    assert written.read_bytes() == first


def test_an_ipv6_address_of_the_processes_is_written_in_brackets(issuer: Issuer, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, auth_issuer=issuer.address, host="::1")
    assert terminal.run("gateway-config", "nginx").returncode == 0
    assert "server [::1]:8080" in (tmp_path / "gateway/balcao.conf").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("haproxy", "--application", "/a=10.0.0.5:80"), "HAProxy"),
        (("nginx", "--application", "a=10.0.0.5:80"), "--application"),
        (("nginx", "--server", "10.0.0.5"), "10.0.0.5"),
        (("nginx", "--server", "buscas=10.0.0.5:80"), "buscas"),
        (("nginx", "--server", "search=10.0.0.5:80"), "registry"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    terminal: Terminal, tmp_path: Path, words: tuple[str, ...], named: str
) -> None:
    assert named in terminal.refusal("gateway-config", *words)
    assert not (tmp_path / "gateway").exists()


def test_without_the_providers_keys_haproxy_is_not_configured(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, auth_issuer="http://127.0.0.1:9/realms/none")
    assert "http://127.0.0.1:9/realms/none" in terminal.refusal("gateway-config", "haproxy")
