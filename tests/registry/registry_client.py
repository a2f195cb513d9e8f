"""Calls to the registry by one person or client, and new people's CPFs."""

from itertools import count
from typing import Any

import httpx

from balcao.core.values.cpf import Cpf
from tests.support.issuer import bearer

_numbers = count(1)


def new_cpf() -> str:
    """Return a new CPF for a citizen without stored data."""
    return Cpf.with_stem(f"91{next(_numbers):07}").digits


class RegistryClient:
    """Makes the calls of one caller.

    Paths are relative to the registry's base path. Without a token, calls are anonymous.
    """

    def __init__(self, http: httpx.Client, token: str | None = None) -> None:
        self._http = http
        self._headers = bearer(token) if token else {}

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """Make a call. Send `body` as JSON, or unchanged if it is bytes. In header names, write `_` for `-`."""
        content = {"content": body} if isinstance(body, bytes) else {"json": body} if body is not None else {}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._http.request(method, f"/registry/v1{path}", headers=self._headers | named, **content)

    def ok(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Make a call that must succeed, and return the response body."""
        answer = self(method, path, body, **headers)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None
