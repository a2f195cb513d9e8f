"""Ends what a run of the tests left behind, however the run ended: the processes that work in its folder, then it.

Runs beside the tests and waits for the end of its input, which nobody but the process that controls the run holds
open: a run that is killed is followed as surely as one that passes.
"""

import contextlib
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from tests.support.polling import PATIENCE

PROJECT = Path(__file__).parents[2]
PASSED = b"passed"


class Leftovers:
    """Watches over the processes of this run, which are known by its folder."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "tests.support.run_cleanup", str(folder)]
        self._watching = subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, start_new_session=True)

    def end(self, *, passed: bool) -> None:
        """Nothing runs any more when this returns. Of a run that failed the folder stays, to look into."""
        self._watching.communicate(PASSED if passed else None)


def working_in(folder: str) -> Iterator[psutil.Process]:
    """Every process that names the folder: where it is, in its command or in its environment."""
    for process in psutil.process_iter():
        if process.pid != psutil.Process().pid and any(folder in place for place in _places(process)):
            yield process


def _places(process: psutil.Process) -> Iterator[str]:
    with contextlib.suppress(psutil.Error):
        yield from process.cmdline()
    with contextlib.suppress(psutil.Error):
        yield process.cwd()
    with contextlib.suppress(psutil.Error):
        yield from process.environ().values()


def kill_all(folder: str) -> None:
    """Also those that are started meanwhile."""
    deadline = time.monotonic() + PATIENCE
    while (found := list(working_in(folder))) and time.monotonic() < deadline:
        for process in found:
            with contextlib.suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(found, timeout=1)


if __name__ == "__main__":
    passed = sys.stdin.buffer.read() == PASSED
    kill_all(sys.argv[1])
    if passed:
        shutil.rmtree(sys.argv[1], ignore_errors=True)
