"""Fixtures that create services over HTTP."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.search.support import REQUIRED
from tests.support.issuer import bearer
from tests.support.owner_connection import Owner
from tests.support.sandbox import Sandbox

GESTOR = "90000020281"
# A function that runs a statement as the owner of the database.
Alter = Callable[[str], object]
Ask = Callable[..., httpx.Response]
Make = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(sandbox: Sandbox) -> Ask:
    """Return a function that calls paths under `/search/api/v1` as Jorge Valente."""

    def call(method: str, path: str, **options: Any) -> httpx.Response:
        headers = bearer(sandbox.tokens.person(GESTOR))
        return sandbox.http.request(method, f"/search/api/v1{path}", headers=headers, **options)

    return call


@pytest.fixture
def make(ask: Ask) -> Make:
    """Return a function that creates a service. Its name is unique unless the caller sets one."""

    def create(**members: Any) -> dict[str, Any]:
        body = REQUIRED | {"nome_servico": f"Serviço {uuid4().hex[:12]}"} | members
        made = ask("POST", "/admin/services", json=body)
        assert made.status_code == 201, made.text
        return made.json()  # type: ignore[no-any-return]

    return create


@pytest.fixture
def alter(database_url: str) -> Iterator[Alter]:
    """Yield an `Alter` that runs in a separate thread, because the browser occupies the event loop of this thread."""
    with ThreadPoolExecutor(1) as pool:
        owner = pool.submit(Owner, database_url).result()
        yield lambda statement: pool.submit(owner.run, statement).result()
        pool.submit(owner.close).result()
