"""A whole sandbox for a test module: demo data, a running gateway, a sandbox CRM, and tokens."""

import asyncio
import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import httpx

from balcao import app
from balcao.core.context.platform import assemble
from balcao.settings import Settings
from balcao_sandbox.demo.services import DEMOS
from balcao_sandbox.identity.demo import clients, people
from tests.support import databases, run_folder
from tests.support.crm import RunningCrm
from tests.support.demo_people import KLEBER
from tests.support.issuer import Issuer
from tests.support.login import client_token, log_in
from tests.support.open_platform import opened
from tests.support.polling import PATIENCE, until_now
from tests.support.server import RunningServer

ADMIN = KLEBER


class Tokens(Protocol):
    """A source of tokens for callers."""

    def person(self, cpf: str) -> str: ...

    def client(self, client_id: str) -> str: ...


class IndependentTokens:
    """Tokens from an independent identity provider, with the claims of the demo people."""

    def __init__(self, issuer: Issuer) -> None:
        self._issuer = issuer

    def person(self, cpf: str) -> str:
        return self._issuer.admin(cpf) if cpf == ADMIN else self._issuer.person(cpf)

    def client(self, client_id: str) -> str:
        found = next(client for client in clients() if client.client_id == client_id)
        return self._issuer.machine(client_id, *found.scopes)


class EmbeddedTokens:
    """Tokens from the embedded provider, fetched through both flows of the specification.

    Each token is fetched once.
    """

    def __init__(self, issuer: str) -> None:
        self._issuer = issuer
        self._kept: dict[str, str] = {}

    def person(self, cpf: str) -> str:
        if cpf not in self._kept:
            found = next(person for person in people() if person.cpf == cpf)
            self._kept[cpf] = str(log_in(self._issuer, found.username, found.password)["access_token"])
        return self._kept[cpf]

    def client(self, client_id: str) -> str:
        if client_id not in self._kept:
            found = next(client for client in clients() if client.client_id == client_id)
            self._kept[client_id] = client_token(self._issuer, client_id, found.secret)
        return self._kept[client_id]


@dataclass
class Sandbox:
    url: str
    settings: Settings
    database_url: str
    tokens: Tokens
    crm: RunningCrm

    @cached_property
    def http(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=PATIENCE)

    @cached_property
    def examples(self) -> dict[str, Any]:
        """Return the ids of example objects by the names in `balcao demo --json`.

        There is one for each kind of object that operations need.
        """
        return asyncio.run(_examples(self.settings, self.database_url))


@contextlib.contextmanager
def running(settings: Settings, database_url: str, tokens: Tokens) -> Iterator[Sandbox]:
    """Load the demo data into an unused database, run the sandbox on it, and yield it."""
    fill_with_demo(settings, database_url)
    with (
        RunningCrm(settings) as crm,
        RunningServer(app.build_application(settings, database_url), settings.port) as server,
    ):
        sandbox = Sandbox(server.url, settings, database_url, tokens, crm)
        until_now(lambda: sandbox.http.get("/search/readiness").is_success)  # the index is built only after the start
        yield sandbox
        sandbox.http.close()


def fill_with_demo(settings: Settings, database_url: str) -> None:
    """Load the demo data, which do not depend on the settings, into an unused database and into the data folder."""
    folder = run_folder.path() / "demo-data"
    loading = settings.model_copy(update={"data_dir": folder})
    databases.replace_by_copy(database_url, "template_demo", lambda url: asyncio.run(_load_demo(loading, url)))
    shutil.copytree(folder / "files", settings.data_dir / "files", dirs_exist_ok=True)


async def _load_demo(settings: Settings, database_url: str) -> None:
    platform = assemble(settings, database_url)
    async with opened(platform):
        for demos in DEMOS.values():
            for demo in demos:
                await demo.load(platform)


async def _examples(settings: Settings, database_url: str) -> dict[str, Any]:
    platform = assemble(settings, database_url)
    found: dict[str, Any] = {}
    async with opened(platform):
        for demos in DEMOS.values():
            for demo in demos:
                found |= await demo.examples(platform)
    return found
