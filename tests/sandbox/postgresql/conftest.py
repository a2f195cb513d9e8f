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
    """Return a folder that every account reaches (pytest's own is closed to others), with a short path."""
    place = Path(tempfile.mkdtemp(prefix="balcao-")).resolve()
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)


@pytest.fixture(scope="package")
def created() -> Iterator[Path]:
    """Return a database as a first start makes it, at rest."""
    place = Path(tempfile.mkdtemp(prefix="balcao-")).resolve()
    place.chmod(0o755)
    start(place, durable=False).stop()
    yield place / "postgres"
    shutil.rmtree(place)


@pytest.fixture
def used(folder: Path, created: Path) -> None:
    """Return a folder that has had its first start, which takes longer than all that is asked of it afterwards."""
    subprocess.run(["cp", "-a", created, folder], check=True)
