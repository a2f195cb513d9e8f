"""Fixtures for a platform with a panel. A test can cut the connection over which the panel calls the services."""

from collections.abc import Iterator

import pytest

from balcao.settings import Settings
from tests.support.cuttable_connection import Line
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.server import UNLIMITED, free_port


@pytest.fixture(scope="module")
def line(sandbox_port: int) -> Iterator[Line]:
    with Line(free_port(), sandbox_port) as opened:
        yield opened


@pytest.fixture(scope="module")
def sandbox_port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, line: Line, sandbox_port: int) -> Settings:
    return Settings(
        data_dir=tmp_path_factory.mktemp("data"),
        port=sandbox_port,
        panel_api_url=f"http://127.0.0.1:{line.port}",
        refused_rate=UNLIMITED,
    )


@pytest.fixture(scope="module")
def sandbox(settings: Settings, database_url: str) -> Iterator[Sandbox]:
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
        yield opened
