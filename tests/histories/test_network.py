"""The simulated network of tests/support/network.py and its faults."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx
import pytest

from tests.support.network import Network
from tests.support.polling import PATIENCE


class Answer(BaseHTTPRequestHandler):
    """A server that responds to every request with a 204."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with Network(dict.fromkeys(("one-0", "one-1", "two"), ("127.0.0.1", server.server_port))) as made:
            yield made
        server.shutdown()


def ask(http: httpx.Client, network: Network, wire: str, timeout: float = PATIENCE) -> int:
    return http.get(f"http://127.0.0.1:{network.ports[wire]}", timeout=timeout).status_code


@pytest.mark.parametrize("mode", ["pass", "delay", "lose"])
def test_what_comes_late_comes(network: Network, mode: str) -> None:
    network.set("one-", mode)
    with httpx.Client() as http:
        assert [ask(http, network, wire) for wire in ("one-0", "one-1", "two")] == [204] * 3
    network.set("one-", "pass")


def test_a_cut_ends_what_is_there_and_refuses_what_is_new_until_it_is_mended(network: Network) -> None:
    with httpx.Client() as http:
        assert ask(http, network, "one-0") == 204
        network.set("one-", "cut")
        for wire in ("one-0", "one-1"):
            with pytest.raises(httpx.TransportError):
                ask(http, network, wire)
        assert ask(http, network, "two") == 204
        network.set("one-", "pass")
        assert [ask(http, network, wire) for wire in ("one-0", "one-1")] == [204] * 2


def test_what_is_held_is_neither_refused_nor_answered(network: Network) -> None:
    with httpx.Client() as http:
        assert ask(http, network, "one-0") == 204
        network.set("one-0", "hold")
        with pytest.raises(httpx.ReadTimeout):
            ask(http, network, "one-0", timeout=0.5)
        assert ask(http, network, "one-1") == 204
        network.set("one-0", "pass")
        assert ask(http, network, "one-0") == 204
