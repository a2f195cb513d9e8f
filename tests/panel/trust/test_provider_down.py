"""While the identity provider is down, logins, renewals and logouts report this or work without it. Nothing is lost."""

import time
from collections.abc import Iterator
from types import SimpleNamespace
from urllib.parse import urljoin

import httpx
import pytest

from balcao.core.context.processes import SINGLE_PROCESS
from balcao.panel import standalone
from balcao.settings import Settings
from balcao.web.sessions import service as sessions
from balcao_sandbox.identity.demo import people_by_login
from tests.support.cuttable_connection import Line
from tests.support.panel import PageContent, PanelClient
from tests.support.sandbox import Sandbox
from tests.support.server import UNLIMITED, RunningServer, free_port

GROUP = "/painel/acessos/grupos/novo"
AWAY = "O login não respondeu"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, line: Line, sandbox_port: int) -> Settings:
    """Return settings with which only calls to the provider use the connection that the tests cut."""
    here = f"http://127.0.0.1:{sandbox_port}"
    return Settings(
        data_dir=tmp_path_factory.mktemp("data"),
        port=sandbox_port,
        public_url=f"http://127.0.0.1:{line.port}",
        panel_url=here,
        panel_api_url=here,
        refused_rate=UNLIMITED,
    )


@pytest.fixture
def panel(sandbox: Sandbox) -> Iterator[PanelClient]:
    with PanelClient(f"http://127.0.0.1:{sandbox.settings.port}") as opened:
        yield opened


@pytest.fixture(autouse=True)
def mended(line: Line) -> Iterator[None]:
    yield
    line.mend()


def log_in_at_provider(panel: PanelClient) -> str:
    """Log in at the provider, and return the address to which it redirects."""
    asked = panel.http.get("/painel", follow_redirects=True)
    (form,) = PageContent(asked.text).forms
    filled = form.values | {"username": "kleber", "password": people_by_login()["kleber"].password}
    return panel.http.post(urljoin(str(asked.url), form.action), data=filled).headers["location"]


def test_a_login_cannot_begin_before_the_provider_was_heard_and_begins_afterwards(
    sandbox: Sandbox, line: Line, database_url: str
) -> None:
    port = free_port()
    own = {"panel_port": port, "panel_url": f"http://127.0.0.1:{port}", "database_url": database_url}
    settings = sandbox.settings.model_copy(update=own)
    line.cut()
    with RunningServer(standalone.build(settings, database_url, SINGLE_PROCESS), port) as server:
        answer = httpx.get(f"{server.url}/painel/entrar")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert PageContent(answer.text).heading == AWAY
        line.mend()
        assert httpx.get(f"{server.url}/painel/entrar").status_code == 303


def test_who_comes_back_from_a_provider_that_is_gone_then_comes_in_by_the_same_address(
    panel: PanelClient, line: Line
) -> None:
    back = log_in_at_provider(panel)
    line.cut()
    assert (panel.get(back).status_code, panel.page.heading) == (503, AWAY)
    line.mend()
    assert panel.get(back).url.path == "/painel"
    assert "Kleber" in panel.page.text


def test_a_session_goes_on_while_its_token_lasts_then_keeps_what_was_typed_until_it_is_renewed(
    panel: PanelClient, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel.login("kleber")
    panel.get(GROUP)
    form = panel.find_form(GROUP)
    line.cut()
    assert panel.get("/painel/servicos").status_code == 200
    monkeypatch.setattr(sessions, "time", SimpleNamespace(time=lambda: time.time() + 600))
    answer = panel.post(GROUP, form.values | {"name": "prova:provedor", "description": "Longo “texto”"})
    assert (answer.status_code, panel.page.heading) == (503, AWAY)
    kept = panel.find_form(GROUP)
    assert kept.values["description"] == "Longo “texto”"
    line.mend()
    assert panel.post(GROUP, kept.values).status_code == 200
    assert "prova:provedor" in panel.page.text


def test_who_leaves_meanwhile_is_out_here_and_told_that_the_provider_may_not_know(
    panel: PanelClient, line: Line
) -> None:
    panel.login("kleber")
    secret = panel.read_secret()
    line.cut()
    answer = panel.post("/painel/sair", {"_csrf": secret})
    assert (answer.status_code, answer.url.path, panel.page.heading) == (200, "/painel/saiu", "Você saiu")
    assert "pode continuar aberta" in panel.page.text
    assert panel.http.get("/painel").status_code == 303
    line.mend()
    assert "pode continuar aberta" not in PageContent(panel.http.get("/painel/saiu").text).text


def test_the_providers_word_that_somebody_left_is_taken_by_the_keys_that_are_known(
    panel: PanelClient, sandbox: Sandbox, line: Line
) -> None:
    panel.login("kleber")
    issuer = sandbox.settings.issuers[0]
    asked = panel.http.get(f"{issuer}/protocol/openid-connect/logout")
    (form,) = PageContent(asked.text).forms
    address = urljoin(issuer, form.action).replace(f":{line.port}", f":{sandbox.settings.port}")
    line.cut()
    panel.http.post(address, data=form.values)
    assert panel.http.get("/painel").status_code == 303
