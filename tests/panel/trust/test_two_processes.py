"""Several processes share one session. It starts in one process, works in another, and a logout ends it in all."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from balcao import app
from balcao.settings import Settings
from tests.support.panel import PageContent, PanelClient
from tests.support.sandbox import Sandbox
from tests.support.server import RunningServer


@pytest.fixture(scope="module")
def other_url(sandbox: Sandbox, settings: Settings, database_url: str) -> Iterator[str]:
    """Yield the address of a second server of the same installation, with the same public address."""
    with RunningServer(app.build_application(settings, database_url)) as running:
        yield running.url


@pytest.fixture
def ana(sandbox: Sandbox) -> Iterator[PanelClient]:
    with PanelClient(sandbox.url) as panel:
        panel.login("ana")
        yield panel


@pytest.fixture
def at_other(ana: PanelClient, other_url: str, sandbox: Sandbox) -> Iterator[PanelClient]:
    """Yield Ana's browser as a client of the second server, as if the gateway forwarded its requests there."""
    with PanelClient(other_url) as panel:
        panel.http.headers["Host"] = f"127.0.0.1:{sandbox.settings.port}"
        panel.http.cookies.update(ana.http.cookies)
        yield panel


@pytest.mark.long
def test_who_logs_in_at_one_is_known_at_the_other_until_they_leave_at_the_first(
    ana: PanelClient, at_other: PanelClient
) -> None:
    assert at_other.get("/painel/conta").status_code == 200
    ana.submit("/painel/conta", action="/painel/sair")
    assert at_other.http.get("/painel/conta").status_code == 303
    assert ana.http.get("/painel/conta").status_code == 303


def test_who_leaves_at_the_provider_is_out_at_both(ana: PanelClient, at_other: PanelClient, sandbox: Sandbox) -> None:
    ended = ana.http.get(f"{sandbox.settings.issuers[0]}/protocol/openid-connect/logout")
    (form,) = PageContent(ended.text).forms
    ana.http.post(form.action, data=form.values)
    assert [panel.http.get("/painel/conta").status_code for panel in (at_other, ana)] == [303, 303]


def test_tokens_that_have_grown_old_are_renewed_once_by_both_together(
    ana: PanelClient, at_other: PanelClient, sql: Callable[..., list[dict[str, int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refresh token can be used only once. A second use would end the session."""
    monkeypatch.setattr("balcao.web.sessions.service.FRESH_SECONDS", 400.0)
    living = "SELECT generation FROM panel.session WHERE ended_at IS NULL ORDER BY begun_at DESC LIMIT 1"
    (before,) = sql(living)
    with ThreadPoolExecutor(8) as threads:
        asked = [(panel, "/painel/conta") for panel in (ana, at_other)] * 8
        answers = list(threads.map(lambda each: each[0].http.get(each[1]).status_code, asked))
    assert answers == [200] * 16
    (after,) = sql(living)
    assert after["generation"] > before["generation"]
    assert ana.get("/painel/conta").status_code == 200
