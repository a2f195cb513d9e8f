"""The sandbox that the generated clients call."""

from collections.abc import Iterator

import pytest

from balcao.settings import Settings
from tests.support.issuer import Issuer
from tests.support.sandbox import IndependentTokens, Sandbox, running
from tests.support.server import free_port


@pytest.fixture(scope="module")
def sandbox(issuer: Issuer, database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("data"), port=free_port(), auth_issuer=issuer.address)
    with running(settings, database_url, IndependentTokens(issuer)) as opened:
        yield opened
