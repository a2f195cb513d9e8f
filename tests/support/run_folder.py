"""The folder of one run of the tests: its PostgreSQL, its logs, all temporary files, and the mark of its processes."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.support.proof_sizes import FULL

VARIABLE = "TMPDIR"  # what `tempfile` of every process of the run obeys
SHARED = "BALCAO_TEST_SHARED_RUN"
MEMORY = Path("/dev/shm")  # noqa: S108 - Linux's file system in memory; mkdtemp makes a folder of our own there
MEMORY_BYTES = 6 << 30  # a run uses less than 2 GiB


def make() -> Path:
    """By the process that controls the run; its workers and all that they start inherit it."""
    folder = Path(tempfile.mkdtemp(prefix="balcao-run-", dir=_choose_parent())).resolve()
    folder.chmod(0o755)  # the account of an embedded PostgreSQL enters it, also when we are root
    os.environ[VARIABLE] = tempfile.tempdir = str(folder)
    return folder


def _choose_parent() -> str | None:
    """Return the file system in memory where it has room, None for the usual place.

    Databases are made by the hundred, and a disk costs several times what the tests do with them. Killed processes lose
    nothing in either. Whoever sets TMPDIR has chosen, and a proof at full size may be larger than the memory.
    """
    if VARIABLE in os.environ or FULL or not os.access(MEMORY, os.W_OK | os.X_OK):
        return None
    runs_programs = not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC
    return str(MEMORY) if runs_programs and shutil.disk_usage(MEMORY).free >= MEMORY_BYTES else None


def shared() -> bool:
    """Whether this run is one of many in the folder, with the PostgreSQL, of a process that outlives them."""
    return SHARED in os.environ


def path() -> Path:
    return Path(tempfile.gettempdir())


def make_once(name: str, make: Callable[[Path], object]) -> Path:
    """Return the file or folder of this name in the run's, which `make`, given a path, made for whoever came first."""
    made = path() / name
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            fresh = made.with_suffix(".new")
            make(fresh)
            fresh.rename(made)
    return made
