"""A client for each demo citizen. The citizen is logged in to Minha página."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.support.panel import CitizenClient
from tests.support.sandbox import Sandbox

Enter = Callable[[str], CitizenClient]


@pytest.fixture
def enter(sandbox: Sandbox) -> Iterator[Enter]:
    with ExitStack() as stack:

        def start(username: str) -> CitizenClient:
            client = stack.enter_context(CitizenClient(sandbox.url))
            client.login(username)
            return client

        yield start
