"""A person's panel sessions: they are listed, and the person or the provider can end them in every process."""

from collections.abc import Callable, Iterator

import pytest

from balcao.core.context.processes import SINGLE_PROCESS
from balcao.panel import standalone
from tests.support.panel import PageContent, PanelClient
from tests.support.sandbox import Sandbox
from tests.support.server import RunningServer, free_port

SESSIONS = "/painel/conta/sessoes"
END = f"{SESSIONS}/encerrar"


@pytest.fixture(scope="module")
def beside(sandbox: Sandbox) -> Iterator[str]:
    """Yield the address of a separate panel server that shares the sessions."""
    settings = sandbox.settings.model_copy(update={"panel_port": free_port(), "database_url": sandbox.database_url})
    with RunningServer(standalone.build(settings, sandbox.database_url, SINGLE_PROCESS), settings.panel_port) as server:
        yield server.url


def is_logged_in(panel: PanelClient) -> bool:
    return panel.http.get("/painel").status_code == 200


def end_of(sandbox: Sandbox, panel: PanelClient) -> None:
    """Log out at the provider itself, as a person does who logs out of a portal."""
    asked = panel.http.get(f"{sandbox.settings.issuers[0]}/protocol/openid-connect/logout")
    (form,) = PageContent(asked.text).forms
    panel.http.post(f"{sandbox.url}{form.action}", data=form.values)


def test_who_leaves_at_the_provider_is_out_of_the_panel_in_every_process_without_asking_a_service(
    sandbox: Sandbox, beside: str, sql: Callable[..., list[dict[str, object]]]
) -> None:
    with PanelClient(beside) as there:
        there.login("kleber")
        (before,) = sql("SELECT key FROM panel.session WHERE ended_at IS NULL AND tokens IS NOT NULL")
        end_of(sandbox, there)
        (after,) = sql("SELECT ended_at, tokens FROM panel.session WHERE key = $1", before["key"])
        assert after["ended_at"] is not None
        assert after["tokens"] is None
        assert not is_logged_in(there)


def test_a_person_sees_their_own_sessions_and_ends_another_one_which_has_to_log_in_with_the_password(
    panel: PanelClient, sandbox: Sandbox, beside: str
) -> None:
    panel.login("kleber")
    with PanelClient(beside) as there, PanelClient(sandbox.url) as others:
        there.login("kleber")
        others.login("ana")
        panel.get(SESSIONS)
        assert "2 sessões" in panel.page.text
        panel.submit(SESSIONS, action=END)
        assert "1 sessão encerrada" in panel.page.text
        assert is_logged_in(panel)
        assert is_logged_in(others)
        assert not is_logged_in(there)
        assert "Senha" in there.http.get("/painel", follow_redirects=True).text


def test_nobody_ends_the_session_of_somebody_else(panel: PanelClient, sandbox: Sandbox) -> None:
    with PanelClient(sandbox.url) as one, PanelClient(sandbox.url) as two:
        one.login("kleber")
        two.login("kleber")
        two.get(SESSIONS)
        name = two.find_form(END).values["sessao"]
        panel.login("ana")
        panel.get("/painel/conta")
        secret = panel.find_form("/painel/sair").values["_csrf"]
        for wanted in (name, "x"):
            panel.post(END, {"_csrf": secret, "sessao": wanted})
            assert "já tinha terminado" in panel.page.text
        assert is_logged_in(one)
        assert is_logged_in(two)
