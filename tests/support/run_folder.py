"""The folder of one run of the tests: its PostgreSQL server, its logs, all temporary files, and the processes' mark."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.support.proof_sizes import FULL

VARIABLE = "TMPDIR"  # used by `tempfile` in every process of the run
SHARED = "BALCAO_TEST_SHARED_RUN"
MEMORY = Path("/dev/shm")  # noqa: S108 - Linux's file system in memory; mkdtemp makes a folder of our own there
MEMORY_BYTES = 6 << 30  # a run uses less than 2 GiB


def make() -> Path:
    """Create the folder in the controlling process. Its workers and all processes that they start inherit it."""
    folder = Path(tempfile.mkdtemp(prefix="balcao-run-", dir=_choose_parent())).resolve()
    folder.chmod(0o755)  # for the account of an embedded PostgreSQL under root
    os.environ[VARIABLE] = tempfile.tempdir = str(folder)
    return folder


def _choose_parent() -> str | None:
    """Return the file system in memory if it has room, or None for the default.

    A run creates hundreds of databases, and a disk would cost several times as much as the tests themselves. Killed
    processes lose no data in memory either. A TMPDIR that is already set takes precedence, and a proof at full size may
    not fit into memory.
    """
    if VARIABLE in os.environ or FULL or not os.access(MEMORY, os.W_OK | os.X_OK):
        return None
    runs_programs = not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC
    return str(MEMORY) if runs_programs and shutil.disk_usage(MEMORY).free >= MEMORY_BYTES else None


def shared() -> bool:
    """Whether this run shares its folder and PostgreSQL server with other runs, under a process that outlives them."""
    return SHARED in os.environ


def path() -> Path:
    return Path(tempfile.gettempdir())


def make_once(name: str, make: Callable[[Path], object]) -> Path:
    """Return the file or folder with this name in the run's folder.

    `make` creates it at the given path, once in a run.
    """
    made = path() / name
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            fresh = made.with_suffix(".new")
            make(fresh)
            fresh.rename(made)
    return made
