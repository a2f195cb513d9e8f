"""Fixtures for the demo city and its site, used over HTTP or in a real Chromium without scripts.

`site` is a client of the site that the platform serves. `apart` is a site on a separate server. It calls the services
through a relay that tests can cut.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser

from balcao.core.context.processes import SINGLE_PROCESS
from balcao.settings import Settings
from balcao.site import standalone
from tests.pages.conftest import browser
from tests.support.keyboard import Keyboard
from tests.support.panel_browser import Screen, opened_screen
from tests.support.polling import PATIENCE
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.server import UNLIMITED, RunningServer, free_port
from tests.support.service_relay import ServiceRelay
from tests.support.site import SiteClient
from tests.support.task_modes import TASK_WIDTHS

__all__ = ["browser"]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(
        data_dir=tmp_path_factory.mktemp("data"), port=free_port(), refused_rate=UNLIMITED, site_request_rate=UNLIMITED
    )


@pytest.fixture(scope="module")
def sandbox(settings: Settings, database_url: str) -> Iterator[Sandbox]:
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
        yield opened


@pytest.fixture
def site(sandbox: Sandbox) -> Iterator[SiteClient]:
    with httpx.Client(base_url=sandbox.url, timeout=PATIENCE) as http:
        yield SiteClient(http)


@pytest.fixture(scope="module")
def relay(sandbox: Sandbox) -> Iterator[ServiceRelay]:
    with ServiceRelay(sandbox.url) as opened:
        yield opened


@pytest.fixture
def open_apart(sandbox: Sandbox, relay: ServiceRelay) -> Iterator[Callable[..., SiteClient]]:
    """Yield a function that starts a separate site behind the relay, with changed settings."""
    with ExitStack() as stack:

        def start(**changes: Any) -> SiteClient:
            changed = {"site_api_url": relay.url, "site_url": "http://site.example", **changes}
            settings = sandbox.settings.model_copy(update=changed)
            application = standalone.build(settings, sandbox.database_url, SINGLE_PROCESS)
            server = stack.enter_context(RunningServer(application))
            client = httpx.Client(base_url=server.url, timeout=PATIENCE)
            return SiteClient(stack.enter_context(client))

        yield start
        relay.restore()


@pytest.fixture
def apart(open_apart: Callable[..., SiteClient]) -> SiteClient:
    return open_apart()


@pytest.fixture
def pass_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Return a function that makes the site's cached responses older by some seconds."""
    passed = 0.0

    def make_older(seconds: float) -> None:
        nonlocal passed
        passed += seconds
        clock = SimpleNamespace(monotonic=lambda: time.monotonic() + passed)
        monkeypatch.setattr("balcao.site.reading.reader.time", clock)

    return make_older


@pytest.fixture(scope="module")
def address(sandbox: Sandbox) -> str:
    return sandbox.url


@pytest.fixture(params=TASK_WIDTHS)
def screen(request: pytest.FixtureRequest, screen_of: Callable[..., Screen]) -> Screen:
    """Return a window without scripts that shows the first page, in each width of the tasks."""
    opened = screen_of(request.param, java_script_enabled=False)
    opened.page.goto("/")
    return opened


@pytest.fixture
def keys(screen: Screen) -> Keyboard:
    return Keyboard(screen.page)


@pytest.fixture
def screen_of(browser: Browser, address: str) -> Iterator[Callable[..., Screen]]:
    with ExitStack() as stack:
        yield lambda width=1280, **options: stack.enter_context(opened_screen(browser, address, width, **options))
