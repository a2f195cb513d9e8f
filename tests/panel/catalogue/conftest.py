"""Services of this test's own, made over HTTP."""

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
# A statement, as the owner runs it.
Alter = Callable[[str], object]
Ask = Callable[..., httpx.Response]
Make = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(sandbox: Sandbox) -> Ask:
    """Call the search as Jorge Valente, below `/search/api/v1`."""

    def call(method: str, path: str, **options: Any) -> httpx.Response:
        headers = bearer(sandbox.tokens.person(GESTOR))
        return sandbox.http.request(method, f"/search/api/v1{path}", headers=headers, **options)

    return call


@pytest.fixture
def make(ask: Ask) -> Make:
    """Make a service, of a name that no other has unless one is given."""

    def create(**members: Any) -> dict[str, Any]:
        body = REQUIRED | {"nome_servico": f"Serviço {uuid4().hex[:12]}"} | members
        made = ask("POST", "/admin/services", json=body)
        assert made.status_code == 201, made.text
        return made.json()  # type: ignore[no-any-return]

    return create


@pytest.fixture
def alter(database_url: str) -> Iterator[Alter]:
    """Run a statement as the owner, in a thread of its own: the browser's loop runs in this one."""
    with ThreadPoolExecutor(1) as pool:
        owner = pool.submit(Owner, database_url).result()
        yield lambda statement: pool.submit(owner.run, statement).result()
        pool.submit(owner.close).result()
