"""Runs the contract tests twice: with tokens of the embedded provider, and with tokens of an independent provider.

Other tests run once.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from balcao.settings import Settings
from tests.support import databases
from tests.support.issuer import Issuer
from tests.support.sandbox import EmbeddedTokens, IndependentTokens, Sandbox, Tokens, running
from tests.support.server import UNLIMITED, free_port


@pytest.fixture(scope="module", params=["embedded", "independent"])
def sandbox(
    request: pytest.FixtureRequest, issuer: Issuer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Sandbox]:
    name = databases.new_name()
    database_url = databases.create(name)
    common: dict[str, Any] = {
        "data_dir": tmp_path_factory.mktemp("data"),
        "port": free_port(),
        "refused_rate": UNLIMITED,
    }
    if request.param == "embedded":
        settings = Settings(**common)
        tokens: Tokens = EmbeddedTokens(settings.issuers[0])
    else:
        settings = Settings(**common, auth_issuer=issuer.address)
        tokens = IndependentTokens(issuer)
    with running(settings, database_url, tokens) as opened:
        yield opened
    databases.drop(name)


@pytest.fixture(scope="module")
def independent(issuer: Issuer, database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """Yield a platform with the demo data. It trusts an independent provider."""
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"), port=free_port(), auth_issuer=issuer.address, refused_rate=UNLIMITED
    )
    with running(settings, database_url, IndependentTokens(issuer)) as opened:
        yield opened
