"""A gateway never forwards a request that is hidden in another one, and never mixes up responses."""

import contextlib
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from balcao import app
from balcao.operate.deploy.answers import Server
from balcao.operate.deploy.gateways import Plan
from balcao.settings import Settings
from tests.http import smuggling
from tests.http.application import Echo
from tests.http.requests import Case
from tests.support.gateways import Certificate, running
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer, free_port

# The number of ordinary requests after each case. They reveal a wrong response on a reused connection to the platform.
INNOCENT = 3
HIDDEN = smuggling.HIDDEN_PATH.encode()
_LAST = re.compile(rb"HTTP/1\.1 [45]|GET /next 0")


@pytest.mark.long
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("haproxy", marks=pytest.mark.haproxy),
        pytest.param("nginx", marks=pytest.mark.nginx),
        pytest.param("envoy", marks=pytest.mark.validators),
    ],
)
def test_nothing_is_smuggled_past_it(kind: str, tmp_path: Path) -> None:
    """If a gateway parses the hidden request itself, the gateway refuses it because its path is not public."""
    tmp_path.chmod(0o755)
    certificate, echo = Certificate(tmp_path), Echo()
    faults: list[str] = []
    with RunningServer(echo) as server:
        front = certificate.frontend(free_port())
        plan = Plan(Settings(), app.SERVICES, [Server("127.0.0.1", server.port)], front)
        with running(kind, plan, tmp_path, certificate) as client:
            for case in smuggling.ALL:
                _attack(front.https_port, certificate, case)
                faults += _find_mixed_up(client, case.name)
                faults += [f"{case.name}: served"] if HIDDEN in echo.seen else []
                echo.seen.clear()
    assert faults == []


def _attack(port: int, certificate: Certificate, case: Case) -> None:
    with (
        socket.create_connection(("127.0.0.1", port), PATIENCE) as connection,
        certificate.trust.wrap_socket(connection, server_hostname="127.0.0.1") as attacker,
    ):
        attacker.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        attacker.sendall(case.sent)
        if case.name not in smuggling.ENDLESS:
            _read(attacker)


def _read(attacker: socket.socket) -> None:
    """Read until a request is refused or the request after it gets its response. Then the case is over."""
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while not _LAST.search(received) and (more := attacker.recv(65_536)):
            received += more


def _find_mixed_up(client: httpx.Client, name: str) -> Iterator[str]:
    """Yield the responses that do not belong to the request."""
    for number in range(INNOCENT):
        answer = client.get(f"/registry/v1/innocent/{number}", params={"after": name})
        if (answer.status_code, answer.text) != (200, f"GET {answer.request.url.raw_path.decode()} 0"):
            yield f"{name}: {answer.status_code} {answer.text}"
