"""People at the panel in a real Chromium: `screen` is a window of 1280 pixels, `screen_of(360)` one of a phone."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser

from tests.pages.conftest import browser
from tests.support.sandbox import Sandbox
from tests.support.screen import Screen, opened_screen

__all__ = ["browser"]


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
