"""Fixtures for maintenance requests: departments, types, and callers who make and handle requests."""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from balcao import app
from balcao.core.context.platform import assemble
from balcao.core.jobs.worker import Worker
from balcao.core.values.cpf import Cpf
from balcao.registry.city.departments.imports import IMPORTS
from balcao.settings import Settings
from tests.registry.import_rows import load
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.open_platform import opened

DEPARTMENTS = [("1000", None), ("1500", "1000"), ("1510", "1500"), ("2000", "1000")]
LAMP: dict[str, Any] = {
    "id": "lampada",
    "name": "Lâmpada apagada",
    "category": "Iluminação pública",
    "fields": [
        {
            "id": "problema",
            "kind": "choice",
            "label": "O que há com a lâmpada?",
            "required": True,
            "options": [{"id": "apagada", "label": "Apagada"}, {"id": "acesa", "label": "Acesa de dia"}],
        },
        {"id": "local", "kind": "place", "label": "Onde fica?", "required": True},
        {"id": "quantas", "kind": "number", "label": "Quantas?", "minimum": 1, "maximum": 9},
        {"id": "desde", "kind": "date", "label": "Desde quando?", "earliest_days": -30, "latest_days": 0},
        {"id": "mais", "kind": "text", "label": "Algo mais?", "max_length": 100},
        {"id": "fotos", "kind": "file", "label": "Fotos?", "max_files": 4},
        {"id": "planta", "kind": "file", "label": "Planta?", "max_files": 3},
    ],
    "departments": ["1510"],
    "deadline_days": 5,
    "without_login": True,
}
VISIT: dict[str, Any] = {
    "id": "visita",
    "name": "Visita em casa",
    "category": "Assistência social",
    "fields": [{"id": "motivo", "kind": "text", "label": "Por quê?", "required": True, "personal": True}],
    "departments": ["2000"],
    "deadline_days": 30,
}
ANSWERS: dict[str, Any] = {"problema": "apagada", "local": {"address": "Rua das Acácias, 120", "district": "Centro"}}
DUE = """
UPDATE queue.pgqueuer SET execute_after = now()
WHERE entrypoint IN ('crm_request', 'crm_requests') AND status = 'queued' RETURNING id
"""
_numbers = itertools.count(1)


@pytest.fixture(scope="module", autouse=True)
def types(database_url: str, http: httpx.Client, issuer: Issuer) -> None:
    """Create the departments and two request types."""
    load(
        database_url,
        IMPORTS[0],
        *({"cd_ua": c, "sigla_ua": c, "nome_ua": f"Órgão {c}", "nivel": 2, "cd_ua_pai": p} for c, p in DEPARTMENTS),
    )
    for kind in (LAMP, VISIT):
        answer = http.post("/registry/v1/admin/request-types", json=kind, headers=bearer(issuer.admin()))
        assert answer.status_code == 201, answer.text


class Citizen:
    """A citizen without data, who makes requests."""

    def __init__(self, http: httpx.Client, token: str, cpf: str) -> None:
        self.cpf = cpf
        self.headers = bearer(token)
        self._http = http
        self._path = f"/registry/v1/citizen/{cpf}/maintenance-request"

    def open(
        self, type_: str = "lampada", version: int = 1, answers: Any = ANSWERS, key: str | None = None
    ) -> httpx.Response:
        """Make a request. `key` is its `Idempotency-Key`."""
        body = {"type": type_, "version": version, "answers": answers}
        headers = self.headers if key is None else {**self.headers, "Idempotency-Key": key}
        return self._http.post(self._path, json=body, headers=headers)

    def opened(self, **parts: Any) -> Any:
        answer = self.open(**parts)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def store(self, content: bytes) -> str:
        """Store a file and return its id."""
        path = f"/registry/v1/citizen/{self.cpf}/files"
        return str(self._http.post(path, content=content, headers=self.headers).raise_for_status().json()["id"])

    def list(self, **query: Any) -> Any:
        return self._http.get(self._path, params=query, headers=self.headers).raise_for_status().json()

    def read(self, number: str) -> httpx.Response:
        return self._http.get(f"{self._path}/{number}", headers=self.headers)

    def act(self, number: str, what: str, body: Any, **headers: str) -> httpx.Response:
        return self._http.post(f"{self._path}/{number}/{what}", json=body, headers=self.headers | headers)

    def state(self, number: str) -> str:
        return str(self.read(number).raise_for_status().json()["state"])


@pytest.fixture
def citizens(http: httpx.Client, issuer: Issuer) -> Callable[[], Citizen]:
    def make() -> Citizen:
        cpf = Cpf.with_stem(f"95{next(_numbers):07}").digits
        return Citizen(http, issuer.person(cpf), cpf)

    return make


@pytest.fixture
def citizen(citizens: Callable[[], Citizen]) -> Citizen:
    return citizens()


class Staff:
    """A member of staff who handles requests."""

    def __init__(self, http: httpx.Client, token: str) -> None:
        self.headers = bearer(token)
        self._http = http

    def list(self, **query: Any) -> httpx.Response:
        return self._http.get("/registry/v1/admin/maintenance-requests", params=query, headers=self.headers)

    def read(self, number: str) -> httpx.Response:
        return self._http.get(f"/registry/v1/admin/maintenance-requests/{number}", headers=self.headers)

    def download(self, number: str, file_id: str) -> httpx.Response:
        path = f"/registry/v1/admin/maintenance-requests/{number}/files/{file_id}"
        return self._http.get(path, headers=self.headers)

    def step(self, number: str, state: str | None = None, text: str | None = None, **headers: str) -> httpx.Response:
        body = {"state": state, "text": text}
        path = f"/registry/v1/admin/maintenance-requests/{number}/steps"
        return self._http.post(path, json=body, headers=self.headers | headers)

    def moved(self, number: str, state: str, text: str | None = "Texto para o cidadão.") -> Any:
        answer = self.step(number, state, text)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
def admin(http: httpx.Client, issuer: Issuer) -> Staff:
    return Staff(http, issuer.admin())


@pytest.fixture
def members(http: httpx.Client, issuer: Issuer, sql: Sql) -> Callable[..., Staff]:
    """Return a function that creates a member of staff of the given departments."""

    def make(*departments: str, role: str = "rmi:pedidos") -> Staff:
        cpf = Cpf.with_stem(f"94{next(_numbers):07}").digits
        for code in departments:
            sql("INSERT INTO registry.staff_department (cpf, cd_ua, id) VALUES ($1, $2, gen_random_uuid())", cpf, code)
        return Staff(http, issuer.person(cpf, realm_access={"roles": [role]}))

    return make


@pytest.fixture
def work(settings: Settings, database_url: str, sql: Sql) -> Callable[..., None]:
    """Return a function that makes all request jobs due and runs them, up to `rounds` times.

    On a busy machine a call to the CRM may time out, so one round is not always enough. Keyword arguments override
    settings.
    """

    def run(rounds: int = 3, **others: Any) -> None:
        for _ in range(rounds):
            if sql(DUE):
                asyncio.run(_drain(settings.model_copy(update=others), database_url))

    return run


async def _drain(settings: Settings, database_url: str) -> None:
    platform = assemble(settings, database_url)
    async with opened(platform):
        await Worker(platform.database, app.list_job_kinds(), platform).drain()
