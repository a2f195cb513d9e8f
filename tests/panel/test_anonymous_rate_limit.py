"""Requests without a session are counted by client address. Above `BALCAO_REFUSED_RATE`, the panel returns 429."""

from collections.abc import Iterator

import pytest

from balcao.settings import Settings
from tests.support.panel import PanelClient
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.server import free_port

RATE = 5
ANONYMOUS = [
    ("GET", "/painel"),
    ("GET", "/painel/nada"),
    ("GET", "/painel/entrar"),
    ("GET", "/painel/retorno?code=x&state=y"),
    ("GET", "/painel/saiu"),
    ("POST", "/painel/conta/sessoes/encerrar"),
    ("POST", "/painel/sair"),
    ("POST", "/painel/backchannel-logout"),
]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("data")
    return Settings(data_dir=folder, port=free_port(), refused_rate=f"{RATE}/minute", trusted_proxies_csv="127.0.0.1")


@pytest.fixture(scope="module")
def sandbox(settings: Settings, database_url: str) -> Iterator[Sandbox]:
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
        yield opened


def at(panel: PanelClient, address: str) -> None:
    """Set the client address that a proxy in front of the panel would report."""
    panel.http.headers["X-Forwarded-For"] = address


@pytest.mark.parametrize(("number", "method", "path"), [(number, *one) for number, one in enumerate(ANONYMOUS)])
def test_a_flood_of_pages_without_a_session_is_answered_429(
    panel: PanelClient, number: int, method: str, path: str
) -> None:
    at(panel, f"198.51.100.{number}")
    form = {"Origin": panel.url, "Content-Type": "application/x-www-form-urlencoded"}
    statuses = [panel.http.request(method, path, headers=form).status_code for _ in range(RATE)]
    assert 429 not in statuses
    refused = panel.http.request(method, path, headers=form)
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0
    at(panel, f"198.51.200.{number}")
    assert panel.http.request(method, path, headers=form).status_code == statuses[0]


def test_a_flood_neither_ends_a_session_nor_keeps_a_neighbour_from_logging_in(
    panel: PanelClient, sandbox: Sandbox
) -> None:
    for client in (panel,):
        at(client, "203.0.113.1")
        client.login("kleber")
    with PanelClient(sandbox.url) as flooder, PanelClient(sandbox.url) as neighbour:
        at(flooder, "203.0.113.1")
        assert [flooder.http.get("/painel/conta").status_code for _ in range(3 * RATE)][-1] == 429
        assert "Muitos pedidos em pouco tempo" in flooder.get("/painel/conta").text
        assert panel.get("/painel/conta").status_code == 200
        at(neighbour, "203.0.113.1")
        assert neighbour.login("ana", "/painel/entrar").url.path == "/painel"
