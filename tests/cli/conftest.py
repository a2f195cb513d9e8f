"""A fixture that runs commands on the module's migrated database."""

from pathlib import Path

import pytest

from tests.support.server import free_port
from tests.support.terminal import Terminal


@pytest.fixture
def terminal(database_url: str, tmp_path: Path) -> Terminal:
    return Terminal(tmp_path, database_url=database_url, port=free_port())
