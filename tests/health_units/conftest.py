"""The demo's units, and acts on them as staff would do them."""

from collections.abc import Iterator

import pytest

from balcao.health_units import demo
from balcao.settings import Settings
from tests.support.acting import Act, acting


@pytest.fixture(scope="module")
def act(settings: Settings, database_url: str) -> Iterator[Act]:
    with acting(settings, database_url, "health_units.test") as run:
        yield run


@pytest.fixture(scope="module")
def loaded(act: Act) -> None:
    """The demo data, loaded as the sandbox does."""
    act(lambda call: demo.load(call.platform))
