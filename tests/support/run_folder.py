"""The folder of a test run: PostgreSQL data, logs and temporary files. Its path identifies the run's processes."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.support.proof_sizes import FULL

VARIABLE = "TMPDIR"  # `tempfile` reads this in every process of the run
SHARED = "BALCAO_TEST_SHARED_RUN"
MEMORY = Path("/dev/shm")  # noqa: S108 - Linux's file system in memory; mkdtemp makes a folder of our own there
MEMORY_BYTES = 6 << 30  # a run uses less than 2 GiB


def make() -> Path:
    """Create the folder in the controlling process. Workers and all other processes of the run inherit its path."""
    folder = Path(tempfile.mkdtemp(prefix="balcao-run-", dir=_choose_parent())).resolve()
    folder.chmod(0o755)  # if root runs the tests, PostgreSQL uses another account
    os.environ[VARIABLE] = tempfile.tempdir = str(folder)
    return folder


def _choose_parent() -> str | None:
    """Return the in-memory file system if it has enough space, otherwise None for the default folder.

    A run creates hundreds of databases. On a disk, this would take several times as long as the tests themselves. If a
    process is killed, its files in memory are not lost either. A TMPDIR that is already set takes precedence. A proof
    at full size uses the default, because it may not fit into memory.
    """
    if VARIABLE in os.environ or FULL or not os.access(MEMORY, os.W_OK | os.X_OK):
        return None
    runs_programs = not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC
    return str(MEMORY) if runs_programs and shutil.disk_usage(MEMORY).free >= MEMORY_BYTES else None


def shared() -> bool:
    """Return whether several runs share this folder and its PostgreSQL server.

    If so, a longer-lived process owns both.
    """
    return SHARED in os.environ


def path() -> Path:
    return Path(tempfile.gettempdir())


def make_once(name: str, make: Callable[[Path], object]) -> Path:
    """Return the path of a file or folder in the run's folder. `make` creates it at that path, once per run."""
    made = path() / name
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            fresh = made.with_suffix(".new")
            make(fresh)
            fresh.rename(made)
    return made
