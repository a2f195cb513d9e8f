"""Fixtures for the panel's forty tasks.

Tests do the tasks in each mode of `tests/support/task_modes.py`. Each mode has its own platform.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from balcao.settings import Settings
from tests.panel.catalogue.conftest import alter, ask, make
from tests.panel.health_units.conftest import call, open_one
from tests.support import databases
from tests.support.panel_browser import Screen
from tests.support.panel_person import Person
from tests.support.proof_sizes import FULL
from tests.support.sandbox import Sandbox
from tests.support.server import UNLIMITED, free_port
from tests.support.task_modes import MODES, Mode

__all__ = ["alter", "ask", "call", "make", "open_one"]


# Shorter tests of each page find most of the same faults. In a proof, axe, which needs Node, also checks the pages.
_MARKS = [pytest.mark.long, pytest.mark.node] if FULL else [pytest.mark.long]


@pytest.fixture(scope="module", params=[pytest.param(way, id=way.name, marks=_MARKS) for way in MODES])
def way(request: pytest.FixtureRequest) -> Mode:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def database_url(way: Mode) -> Iterator[str]:
    """Yield a new database for each mode, because most tasks can be done only once with the demo data."""
    name = databases.new_name()
    yield databases.create(name)
    databases.drop(name)


@pytest.fixture(scope="module")
def settings(way: Mode, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(data_dir=tmp_path_factory.mktemp("data"), port=free_port(), refused_rate=UNLIMITED)


@pytest.fixture(scope="module")
def address(sandbox: Sandbox, sql: Any) -> str:
    """Return the panel's address.

    This fixture depends on `sql`, so that the event loop of `sql` starts before the browser's and ends after it.
    """
    return sandbox.url


@pytest.fixture
def person_of(way: Mode, screen_of: Callable[..., Screen]) -> Callable[..., Person]:
    """Return a function that logs a person in, in a new window, and opens a page."""

    def login(username: str, path: str = "/painel") -> Person:
        person = Person(screen_of(way.width, java_script_enabled=way.has_script), way)
        person.login(username, path)
        return person

    return login
