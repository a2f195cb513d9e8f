"""Fixtures: a running provider for each module, and a new portal for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from balcao.settings import Settings
from tests.sandbox.identity.provider import Portal, RunningProvider
from tests.support.server import UNLIMITED, free_port


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory, database_url: str) -> Iterator[RunningProvider]:
    with RunningProvider(settings_in(tmp_path_factory.mktemp("identity")), database_url) as running:
        yield running


@pytest.fixture
def portal(provider: RunningProvider) -> Iterator[Portal]:
    with Portal(provider) as opened:
        yield opened


def settings_in(folder: Path) -> Settings:
    return Settings(port=free_port(), data_dir=folder, refused_rate=UNLIMITED)
