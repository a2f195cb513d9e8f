"""The platform with its demo data and its panel, and people at it."""

from collections.abc import Iterator

import pytest

from balcao.settings import Settings
from tests.support.panel import PanelClient
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.server import free_port


@pytest.fixture(scope="module")
def sandbox(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("data"), port=free_port())
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
        yield opened


@pytest.fixture
def panel(sandbox: Sandbox) -> Iterator[PanelClient]:
    """A person at the panel who has not logged in yet."""
    with PanelClient(sandbox.url) as opened:
        yield opened
