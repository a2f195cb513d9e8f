"""The programs that `make bench` compares with ours: the statements of the Go program, and the FastAPI program."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import asyncpg
import httpx
import pytest

from balcao.settings import Settings
from bench.cases import DADOS
from bench.framework.app import make_app
from bench.framework.serving import make_server
from bench.stage import WEBHOOK_CLIENT
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE, until_now
from tests.support.server import free_port

FILES = sorted(Path(__file__).parents[2].glob("bench/go/yardstick/sql/*.sql"))
ANA, BRUNO = "90000000175", "90000040126"
TOKEN, WEBHOOK = "/agent/api/v1/auth", "/registry/v1/webhooks/crm/cidadao"
# The values of these headers differ in every response.
OWN_HEADERS = {"date", "x-request-id"}


@pytest.mark.parametrize("statement", [file.read_text() for file in FILES], ids=[file.stem for file in FILES])
async def test_its_statements_fit_the_tables_of_today(database_url: str, statement: str) -> None:
    connection = await asyncpg.connect(database_url)
    try:
        await connection.prepare(statement)
    finally:
        await connection.close()


@pytest.fixture(scope="module", params=[False, True], ids=["own statements", "shared statements"])
def framework(request: pytest.FixtureRequest, settings: Settings, database_url: str) -> Iterator[httpx.Client]:
    port = free_port()
    server = make_server(make_app(settings, database_url, shares_statements=request.param), port)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until_now(lambda: server.started or not thread.is_alive())
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client:
        yield client
    server.should_exit = True
    thread.join(PATIENCE)


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""

    def by(self, client: httpx.Client) -> httpx.Response:
        return client.request(self.method, self.path, headers=self.headers, content=self.body)


def preferences(cpf: str) -> str:
    return f"/registry/v1/citizen/{cpf}/notification-preferences"


def event(**members: object) -> bytes:
    return json.dumps({"cpf": ANA, "updatedAt": "2026-01-02T03:04:05Z", "dados": DADOS} | members).encode()


def test_fastapi_gives_the_same_responses(http: httpx.Client, framework: httpx.Client, issuer: Issuer) -> None:
    ana, crm = bearer(issuer.person(ANA)), bearer(issuer.machine(WEBHOOK_CLIENT))
    for asked in (
        Asked("GET", TOKEN, ana),
        Asked("GET", preferences(ANA), ana),
        Asked("GET", preferences("900.000.001-75"), ana),
        Asked("GET", preferences(ANA), ana | {"If-None-Match": "*"}),
        Asked("GET", preferences(ANA), bearer(issuer.admin(BRUNO))),
        Asked("POST", WEBHOOK, crm, event()),
        Asked("POST", WEBHOOK, crm, event(evento="anonimizacao")),
    ):
        ours, theirs = (asked.by(client) for client in (http, framework))
        assert theirs.status_code in {200, 202, 304}
        assert (theirs.status_code, theirs.content) == (ours.status_code, ours.content)
        assert list_headers(theirs) == list_headers(ours)


def list_headers(response: httpx.Response) -> set[tuple[str, str]]:
    return {(name, value) for name, value in response.headers.items() if name not in OWN_HEADERS}


def test_fastapi_refuses_what_we_refuse(http: httpx.Client, framework: httpx.Client, issuer: Issuer) -> None:
    ana, crm = bearer(issuer.person(ANA)), bearer(issuer.machine(WEBHOOK_CLIENT))
    for asked in (
        Asked("GET", TOKEN, {}),
        Asked("GET", TOKEN, bearer(issuer.person(ANA, exp=1))),
        Asked("GET", TOKEN, bearer(issuer.person(ANA, aud="another"))),
        Asked("GET", TOKEN, bearer(issuer.person(ANA, nbf=4_000_000_000))),
        Asked("GET", TOKEN, bearer(issuer.person(ANA)[:-4] + "AAAA")),
        Asked("GET", preferences(BRUNO), ana),
        Asked("GET", preferences("90000000176"), bearer(issuer.admin(BRUNO))),
        Asked("POST", WEBHOOK, bearer(issuer.machine("another")), event()),
        Asked("POST", WEBHOOK, crm, event(cpf="90000000176")),
        Asked("POST", WEBHOOK, crm, event(dados={"idioma": "Português"})),
    ):
        ours, theirs = (asked.by(client) for client in (http, framework))
        assert ours.status_code >= 400
        assert theirs.status_code == ours.status_code
        assert theirs.headers["Error-Code"] == ours.headers["Error-Code"]
