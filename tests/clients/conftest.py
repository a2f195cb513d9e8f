"""Fixtures: the sandbox that the generated clients call, and our sync and async Python clients."""

import asyncio
import importlib
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from balcao.settings import Settings
from tests.clients import client_builds
from tests.clients.layer import CALLER, Calling
from tests.support.http_receiver import Receiver
from tests.support.issuer import Issuer
from tests.support.sandbox import IndependentTokens, Sandbox, running
from tests.support.server import UNLIMITED, free_port


@pytest.fixture(scope="module")
def sandbox(issuer: Issuer, database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"), port=free_port(), auth_issuer=issuer.address, refused_rate=UNLIMITED
    )
    with running(settings, database_url, IndependentTokens(issuer)) as opened:
        yield opened


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """Yield the client package, imported from its wheel."""
    wheel = str(client_builds.build_python_once())
    sys.path.insert(0, wheel)
    yield importlib.import_module("balcao_client")
    sys.path.remove(wheel)


@pytest.fixture
def platform() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def waits(client: Any, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a list of the client's waits in seconds. The client records them there instead of waiting."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("balcao_client.transport.time", SimpleNamespace(sleep=waited.append))
    monkeypatch.setattr("balcao_client.transport.asyncio", SimpleNamespace(sleep=sleep))
    return waited


@pytest.fixture(params=["sync", "awaited"])
def call(request: pytest.FixtureRequest, client: Any, platform: Receiver) -> Calling:
    def call_sync(*acts: Callable[[Any], Any], token: Any = CALLER, at: str = platform.url) -> list[Any]:
        with client.Balcao(at, token) as balcao:
            found = [act(balcao) for act in acts]
            return [list(each) if isinstance(each, Iterator) else each for each in found]

    async def run(acts: tuple[Callable[[Any], Any], ...], token: Any, at: str) -> list[Any]:
        async with client.AsyncBalcao(at, token) as balcao:
            return [await settle(act(balcao)) for act in acts]

    async def settle(found: Any) -> Any:
        return [each async for each in found] if isinstance(found, AsyncIterator) else await found

    def call_awaited(*acts: Callable[[Any], Any], token: Any = CALLER, at: str = platform.url) -> list[Any]:
        # Use another thread, because browser tests may have left a running event loop in this thread.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, run(acts, token, at)).result()

    return call_sync if request.param == "sync" else call_awaited
