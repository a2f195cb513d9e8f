from collections.abc import Iterator

import pytest

from balcao.gateway.limits import Limits
from tests.http.application import Echo
from tests.support.server import RunningServer

LIMITS = Limits(settling_seconds=0, drain_seconds=5)


@pytest.fixture(scope="session")
def echo() -> Echo:
    return Echo()


@pytest.fixture(scope="session")
def server(echo: Echo) -> Iterator[RunningServer]:
    """Yield a server whose deadlines no test reaches."""
    with RunningServer(echo, limits=LIMITS) as running:
        yield running


@pytest.fixture(scope="session")
def hasty(echo: Echo) -> Iterator[RunningServer]:
    """Yield a server with very short deadlines."""
    with RunningServer(echo, limits=Limits(head_seconds=0.2, body_seconds=0.2, settling_seconds=0)) as running:
        yield running
