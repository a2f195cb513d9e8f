"""Fixtures for a platform with demo data and its panel, used over HTTP or in a real Chromium.

`screen` is a window of 1280 pixels. `screen_of(360)` creates a window as wide as a phone.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser

from balcao.settings import Settings
from tests.pages.conftest import browser
from tests.support.panel import PanelClient
from tests.support.panel_browser import Screen, opened_screen
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.server import UNLIMITED, free_port

__all__ = ["browser"]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(data_dir=tmp_path_factory.mktemp("data"), port=free_port(), refused_rate=UNLIMITED)


@pytest.fixture(scope="module")
def sandbox(settings: Settings, database_url: str) -> Iterator[Sandbox]:
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
        yield opened


@pytest.fixture
def panel(sandbox: Sandbox) -> Iterator[PanelClient]:
    """Yield a client of the panel in which no person has logged in yet."""
    with PanelClient(sandbox.url) as opened:
        yield opened


@pytest.fixture(scope="module")
def address(sandbox: Sandbox) -> str:
    return sandbox.url


@pytest.fixture
def screen_of(browser: Browser, address: str) -> Iterator[Callable[..., Screen]]:
    with ExitStack() as stack:
        yield lambda width=1280, **options: stack.enter_context(opened_screen(browser, address, width, **options))


@pytest.fixture
def screen(screen_of: Callable[..., Screen]) -> Screen:
    return screen_of()


@pytest.fixture
def beside() -> Iterator[Callable[..., Any]]:
    """Yield a function that calls another one in a separate thread.

    The browser occupies the event loop of this thread.
    """
    with ThreadPoolExecutor(1) as thread:
        yield lambda call, *arguments: thread.submit(call, *arguments).result()
