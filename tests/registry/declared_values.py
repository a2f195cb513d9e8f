"""A new citizen for each test, who declares values and reads them."""

import itertools
from dataclasses import dataclass
from typing import Any

import httpx

from balcao.core.values.cpf import Cpf
from tests.support.issuer import Issuer, bearer

WEBHOOK = "/registry/v1/webhooks/crm/cidadao"
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Citizen:
    """A citizen. Calls use the citizen's own token unless another token is given."""

    http: httpx.Client
    issuer: Issuer
    cpf: str

    @classmethod
    def new(cls, http: httpx.Client, issuer: Issuer) -> "Citizen":
        """Return a new citizen without stored data."""
        return cls(http, issuer, Cpf.with_stem(f"7{next(_numbers):08}").digits)

    def put(self, what: str, body: Any, *, token: str | None = None, **headers: str) -> httpx.Response:
        return self.http.put(self._path(what), json=body, headers=self._headers(token) | headers)

    def post(self, what: str, body: Any, *, token: str | None = None) -> httpx.Response:
        return self.http.post(self._path(what), json=body, headers=self._headers(token))

    def declare(self, what: str, valor: Any) -> httpx.Response:
        return self.put(what, {"valor": valor})

    def read(self) -> httpx.Response:
        return self.http.get(f"/registry/v1/citizen/{self.cpf}", headers=self._headers(None))

    @property
    def record(self) -> dict[str, Any]:
        found: dict[str, Any] = self.read().json()
        return found

    def main(self, member: str) -> Any:
        return self.record[member]["principal"]

    def event(self, dados: Any, at: str | None = None, evento: str = "atualizacao") -> None:
        """Send an event from the CRM about the citizen. The caller of this function must then run the jobs."""
        body = {"cpf": self.cpf, "evento": evento, "updatedAt": at, "dados": dados}
        answer = self.http.post(WEBHOOK, json=body, headers=bearer(self.issuer.machine("crm-sandbox")))
        assert answer.status_code == 202, answer.text

    def _headers(self, token: str | None) -> dict[str, str]:
        return bearer(token or self.issuer.person(self.cpf))

    def _path(self, what: str) -> str:
        return f"/registry/v1/citizen/{self.cpf}/{what}"
