"""The folder of one run of the tests: its PostgreSQL, its logs, all temporary files, and the mark of its processes."""

import os
import tempfile
from pathlib import Path

VARIABLE = "TMPDIR"  # what `tempfile` of every process of the run obeys
SHARED = "BALCAO_TEST_SHARED_RUN"


def make() -> Path:
    """By the process that controls the run; its workers and all that they start inherit it."""
    folder = Path(tempfile.mkdtemp(prefix="balcao-run-")).resolve()
    folder.chmod(0o755)  # the account of an embedded PostgreSQL enters it, also when we are root
    os.environ[VARIABLE] = tempfile.tempdir = str(folder)
    return folder


def shared() -> bool:
    """Whether this run is one of many in the folder, with the PostgreSQL, of a process that outlives them."""
    return SHARED in os.environ


def path() -> Path:
    return Path(tempfile.gettempdir())
