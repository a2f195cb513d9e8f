"""A real Chromium for tests of pages. Each module defines the fixture `address`, which returns the pages' address."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.pages.window import DESKTOP, Window, opened

MISSING = (
    "Os testes de páginas precisam de um Chromium: ponha o caminho dele em BALCAO_CHROMIUM "
    '(`tools/chromium` o mostra), ou deixe-os de fora com -m "not page".'
)

# The timeout, in milliseconds, only keeps failing tests from hanging. It is long, because the machine may be busy.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Browser]:
    """Run the browser. Start the server of `address` first: this thread cannot start an event loop afterwards."""
    path = os.environ.get("BALCAO_CHROMIUM")
    if not path:
        pytest.fail(MISSING, pytrace=False)
    alone = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=path, args=alone) as running:
        yield running


@pytest.fixture
def window_of(browser: Browser, address: str) -> Iterator[Callable[[int], Window]]:
    with ExitStack() as stack:
        yield lambda width: stack.enter_context(opened(browser, address, width))


@pytest.fixture
def window(window_of: Callable[[int], Window]) -> Window:
    return window_of(DESKTOP)
