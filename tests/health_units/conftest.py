"""Fixtures with the demo's units, and a function that runs use cases as staff."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from balcao.settings import Settings
from balcao_sandbox.demo import health_units as demo
from tests.support.issuer import Issuer, bearer
from tests.support.operator_calls import Act, acting
from tests.support.terminal import Terminal


@pytest.fixture(scope="module")
def act(settings: Settings, database_url: str) -> Iterator[Act]:
    with acting(settings, database_url, "health_units.test") as run:
        yield run


@pytest.fixture(scope="module")
def loaded(act: Act) -> None:
    """Load the demo data, as the sandbox does."""
    act(lambda call: demo.load_demo_health_units(call.platform))


@pytest.fixture(scope="session")
def manager(issuer: Issuer) -> dict[str, str]:
    """Return the headers of a person who maintains the register of units."""
    return bearer(issuer.person("90000020524", name="Sílvia Duarte", realm_access={"roles": ["saude:unidades:admin"]}))


@pytest.fixture(scope="session")
def citizen(issuer: Issuer) -> dict[str, str]:
    return bearer(issuer.person("90000000175"))


@pytest.fixture
def terminal(issuer: Issuer, database_url: str, tmp_path: Path) -> Terminal:
    """Return the command line, which uses the module's own database."""
    return Terminal(tmp_path, database_url=database_url, auth_issuer=issuer.address)
