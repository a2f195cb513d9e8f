"""Staff who edit the catalogue over HTTP."""

from collections.abc import Callable
from typing import Any, TypeAlias
from uuid import uuid4

import httpx

from tests.search.support import REQUIRED
from tests.support.issuer import Issuer, bearer

Ask: TypeAlias = Callable[..., httpx.Response]
ADMIN, EDITOR = "busca:services:admin", "busca:services:editor"


def with_required(**members: Any) -> dict[str, Any]:
    """Return the required members and the given ones as JSON. Members that are `...` are left out."""
    return {name: value for name, value in (REQUIRED | members).items() if value is not ...}


class Staff:
    """Calls paths under `/search/api/v1/admin` as an administrator of the search, or as a person with `role`."""

    def __init__(self, http: httpx.Client, issuer: Issuer) -> None:
        self._http = http
        self._issuer = issuer

    def __call__(self, method: str, path: str, *, role: str = ADMIN, **options: Any) -> httpx.Response:
        token = self._issuer.person("90000020281", realm_access={"roles": [role]})
        headers = bearer(token) | options.pop("headers", {})
        return self._http.request(method, f"/search/api/v1/admin{path}", headers=headers, **options)

    def create(self, **members: Any) -> dict[str, Any]:
        """Create a service. Without `nome_servico`, it gets a unique name."""
        body = with_required(**{"nome_servico": f"Serviço {uuid4().hex[:12]}"} | members)
        made = self("POST", "/services", json=body)
        assert made.status_code == 201, made.text
        found: dict[str, Any] = made.json()
        return found

    def publish(self, **members: Any) -> dict[str, Any]:
        """Create a published service."""
        return self.create(status=1, **members)
