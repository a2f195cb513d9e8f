"""A browser's `EventSource` reads the stream of a health unit's changes with a ticket (rules: health_units 4.3)."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from tests.pages.window import Window
from tests.support.issuer import Issuer, bearer
from tests.support.polling import until_now
from tests.support.server import RunningServer

pytestmark = pytest.mark.page

UNIT = "4900001"
# A portal's page requests a ticket with the person's token, and opens the stream with the ticket.
LISTEN = """async ([base, token, query]) => {
    const asked = await fetch(`${base}/health-units/unidades/eventos/bilhetes?${query}`, {
        method: "POST", headers: {Authorization: `Bearer ${token}`},
    });
    const {bilhete} = await asked.json();
    window.told = [];
    window.source = new EventSource(`${base}/health-units/unidades/eventos/ao-vivo?bilhete=${bilhete}`);
    window.source.addEventListener("unidade", (event) => window.told.push([event.lastEventId, event.data]));
    await new Promise((resolve, reject) => {
        window.source.onopen = resolve;
        window.source.onerror = reject;
    });
    return bilhete;
}"""
# When the connection has broken, an `EventSource` requests the same address again.
ASK_AGAIN = """([base, ticket]) => new Promise((resolve) => {
    const again = new EventSource(`${base}/health-units/unidades/eventos/ao-vivo?bilhete=${ticket}`);
    again.onerror = () => resolve(again.readyState);
})"""
CLOSED = 2


class PortalPage(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<!doctype html><title>Portal</title>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.fixture
def portal() -> Iterator[str]:
    """Yield the address of a portal's page. Its origin differs from the platform's."""
    with ThreadingHTTPServer(("127.0.0.1", 0), PortalPage) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_port}/"
        serving.shutdown()


@pytest.fixture(scope="module")
def address(server: RunningServer) -> str:
    return server.url


@pytest.fixture(scope="module")
def manager(issuer: Issuer) -> dict[str, str]:
    return bearer(issuer.person("90000020524", realm_access={"roles": ["saude:unidades:admin"]}))


def change(http: httpx.Client, manager: dict[str, str], name: str) -> None:
    body = {"nome": name, "tipo": "CF"}
    answer = http.put(f"/health-units/unidade/{UNIT}", json=body, headers=manager)
    assert answer.status_code in {200, 201}, answer.text


@pytest.mark.long
@pytest.mark.cases("health_units", "25a")
def test_a_page_hears_of_a_change_and_after_a_break_of_what_it_missed(
    window: Window, portal: str, address: str, http: httpx.Client, issuer: Issuer, manager: dict[str, str]
) -> None:
    token, page = issuer.person("90000000175"), window.page
    change(http, manager, "Unidade de teste")
    page.goto(portal)
    ticket = page.evaluate(LISTEN, [address, token, f"cnes={UNIT}"])
    change(http, manager, "Outro nome")

    def told() -> list[Any]:
        return list(page.evaluate("() => window.told"))

    until_now(lambda: told() != [])
    last = told()[-1][0]
    assert f'"cnes":"{UNIT}"' in told()[-1][1]
    page.evaluate("() => window.source.close()")
    assert page.evaluate(ASK_AGAIN, [address, ticket]) == CLOSED
    change(http, manager, "Nome que a página perdeu")
    page.evaluate(LISTEN, [address, token, f"cnes={UNIT}&desde={last}"])
    until_now(lambda: told() != [])
    assert int(told()[0][0]) > int(last)
