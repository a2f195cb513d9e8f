"""Fixtures that call the health units' API as a member of staff, without the panel."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.sandbox import Sandbox

SILVIA = "90000020524"


@pytest.fixture(scope="module")
def address(sandbox: Sandbox, sql: Any) -> str:
    """Return the panel's address.

    This fixture depends on `sql`, so that the event loop of `sql` starts before the browser's and ends after it.
    """
    return sandbox.url


@pytest.fixture
def call(sandbox: Sandbox) -> Callable[..., Any]:
    """Return a function that calls the API as Sílvia, who may act on all units, and returns the parsed JSON."""
    headers = {"Authorization": f"Bearer {sandbox.tokens.person(SILVIA)}"}

    def call(method: str, path: str, body: Any = None) -> Any:
        answer = sandbox.http.request(method, f"/health-units{path}", json=body, headers=headers)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    return call


@pytest.fixture
def open_one(call: Callable[..., Any]) -> Callable[..., str]:
    """Return a function that closes a unit's open notifications, opens a new one and returns its id."""

    def open_one(cnes: str, color: str) -> str:
        calm(call, cnes)
        return str(call("POST", f"/unidade/{cnes}/notificacoes", {"risco": color, "motivo": "tiros na rua"})["id"])

    return open_one


def calm(call: Callable[..., Any], cnes: str) -> None:
    """Close the unit's open notifications."""
    for each in call("GET", f"/unidade/{cnes}/notificacoes?status=Ativo")["itens"]:
        call("POST", f"/unidade/{cnes}/notificacoes/{each['id']}/encerramento", {"risco": "Verde"})
