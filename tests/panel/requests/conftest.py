"""Fixtures that make requests of citizens over HTTP."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.support.demo_people import ANA
from tests.support.issuer import bearer
from tests.support.sandbox import Sandbox

VERA = "90000050350"
LAMP: dict[str, Any] = {"problema": "apagada", "local": {"address": "Rua das Acácias, 120", "district": "Centro"}}
Make = Callable[..., dict[str, Any]]
Ask = Callable[..., httpx.Response]


@pytest.fixture
def ask(sandbox: Sandbox) -> Ask:
    """Return a function that calls paths under `/registry/v1` as a given person."""

    def call(cpf: str, method: str, path: str, **options: Any) -> httpx.Response:
        headers = bearer(sandbox.tokens.person(cpf))
        return sandbox.http.request(method, f"/registry/v1{path}", headers=headers, **options)

    return call


@pytest.fixture
def make(ask: Ask) -> Make:
    """Return a function that makes a request as a citizen. By default, Ana makes a request about a lamp."""

    def create(cpf: str = ANA, type_: str = "lampada_apagada", answers: Any = LAMP, version: int = 1) -> dict[str, Any]:
        body = {"type": type_, "version": version, "answers": answers}
        made = ask(cpf, "POST", f"/citizen/{cpf}/maintenance-request", json=body)
        assert made.status_code == 201, made.text
        return made.json()  # type: ignore[no-any-return]

    return create


@pytest.fixture
def close_all(ask: Ask) -> Callable[[], None]:
    """Return a function that closes every open request that Vera may handle."""

    def close() -> None:
        for one in ask(VERA, "GET", "/admin/maintenance-requests?per_page=100").json()["data"]:
            path = f"/admin/maintenance-requests/{one['number']}/steps"
            assert ask(VERA, "POST", path, json={"state": "done"}).status_code == 200

    return close
