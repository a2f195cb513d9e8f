"""Fixtures for a registry without the other services, with a small catalogue of vehicles."""

from collections.abc import Iterator

import httpx
import pytest

from balcao import app
from balcao.registry import SERVICE
from balcao.settings import Settings
from tests.registry.mobility.garage import Garage
from tests.support.issuer import Issuer
from tests.support.server import RunningServer


@pytest.fixture(scope="module")
def server(settings: Settings, database_url: str) -> Iterator[RunningServer]:
    with RunningServer(app.build_application(settings, database_url, [SERVICE.name])) as running:
        yield running


@pytest.fixture(scope="module")
def garage(http: httpx.Client, issuer: Issuer) -> Garage:
    """Create the brand Brisa with the models Urbana (electric bicycle) and Mini (self-propelled)."""
    garage = Garage(http, issuer)
    assert garage.brand("Brisa").status_code == 201
    assert garage.model("brand_brisa", "Urbana").status_code == 201
    assert garage.model("brand_brisa", "Mini", "autopropelido").status_code == 201
    return garage
