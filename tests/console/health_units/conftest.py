"""The services as the demo's staff call them beside the panel, and the windows in which a task is tried."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.console.browser.conftest import browser, screen_of
from tests.support.sandbox import Sandbox
from tests.support.screen import Screen, opened_screen
from tests.support.sizes import FULL

__all__ = ["browser", "screen_of"]

SILVIA = "90000020524"
# Width, and whether scripts run: `make prove` tries each task in all of them.
WINDOWS = [(1280, True), (360, True), (1280, False)] if FULL else [(1280, True)]


@pytest.fixture(scope="module")
def address(sandbox: Sandbox, sql: Any) -> str:
    """Where the panel is; the loop of `sql` begins before that of the browser, and ends after it."""
    return sandbox.url


@pytest.fixture
def call(sandbox: Sandbox) -> Callable[..., Any]:
    """Call the health units as Sílvia, who keeps their register and may act anywhere; return the JSON."""
    headers = {"Authorization": f"Bearer {sandbox.tokens.person(SILVIA)}"}

    def call(method: str, path: str, body: Any = None) -> Any:
        answer = sandbox.http.request(method, f"/health-units{path}", json=body, headers=headers)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    return call


@pytest.fixture
def open_one(call: Callable[..., Any]) -> Callable[..., str]:
    """Open a notification for a unit in place of one that is open, and return its id."""

    def open_one(cnes: str, color: str) -> str:
        calm(call, cnes)
        return str(call("POST", f"/unidade/{cnes}/notificacoes", {"risco": color, "motivo": "tiros na rua"})["id"])

    return open_one


def calm(call: Callable[..., Any], cnes: str) -> None:
    """Close what is open at a unit."""
    for each in call("GET", f"/unidade/{cnes}/notificacoes?status=Ativo")["itens"]:
        call("POST", f"/unidade/{cnes}/notificacoes/{each['id']}/encerramento", {"risco": "Verde"})


@pytest.fixture(params=WINDOWS, ids=lambda window: f"{window[0]}{'' if window[1] else '-without-script'}")
def screen(request: pytest.FixtureRequest, browser: Browser, address: str) -> Iterator[Screen]:
    width, has_script = request.param
    with opened_screen(browser, address, width, java_script_enabled=has_script) as opened:
        yield opened
