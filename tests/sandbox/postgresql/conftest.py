"""Folders for an embedded PostgreSQL."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from balcao_sandbox.postgresql.supervisor import start


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yield a folder with a short path, which every account can enter. The folders of pytest are private."""
    place = Path(tempfile.mkdtemp(prefix="balcao-")).resolve()
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)


@pytest.fixture(scope="package")
def created() -> Iterator[Path]:
    """Yield the data folder of a database that was started for the first time and then stopped."""
    place = Path(tempfile.mkdtemp(prefix="balcao-")).resolve()
    place.chmod(0o755)
    start(place, durable=False).stop()
    yield place / "postgres"
    shutil.rmtree(place)


@pytest.fixture
def used(folder: Path, created: Path) -> None:
    """Copy an initialised database into the folder, because initialising one takes longer than the tests."""
    subprocess.run(["cp", "-a", created, folder], check=True)
