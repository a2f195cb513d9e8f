"""Fixtures for calls to the health units by the demo's staff, outside the panel."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.sandbox import Sandbox

SILVIA = "90000020524"


@pytest.fixture(scope="module")
def address(sandbox: Sandbox, sql: Any) -> str:
    """The address of the panel.

    Depending on `sql` starts its event loop before that of the browser, and ends it after.
    """
    return sandbox.url


@pytest.fixture
def call(sandbox: Sandbox) -> Callable[..., Any]:
    """Call the health units as Sílvia, who manages the units and may act in every area, and return the JSON."""
    headers = {"Authorization": f"Bearer {sandbox.tokens.person(SILVIA)}"}

    def call(method: str, path: str, body: Any = None) -> Any:
        answer = sandbox.http.request(method, f"/health-units{path}", json=body, headers=headers)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    return call


@pytest.fixture
def open_one(call: Callable[..., Any]) -> Callable[..., str]:
    """Open a notification for a unit, after closing the open ones, and return its id."""

    def open_one(cnes: str, color: str) -> str:
        calm(call, cnes)
        return str(call("POST", f"/unidade/{cnes}/notificacoes", {"risco": color, "motivo": "tiros na rua"})["id"])

    return open_one


def calm(call: Callable[..., Any], cnes: str) -> None:
    """Close the open notifications of a unit."""
    for each in call("GET", f"/unidade/{cnes}/notificacoes?status=Ativo")["itens"]:
        call("POST", f"/unidade/{cnes}/notificacoes/{each['id']}/encerramento", {"risco": "Verde"})
