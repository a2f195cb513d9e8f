"""Cleans up after a test run, even a killed one: kills the processes that use its folder, then removes the folder.

The cleanup runs as a separate process and waits for the end of its input. Only the run's controlling process holds this
input open, so the cleanup also happens if the run is killed.
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
    """The process that cleans up after this run. It finds the run's processes by the folder they use."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "tests.support.run_cleanup", str(folder)]
        self._watching = subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, start_new_session=True)

    def end(self, *, passed: bool) -> None:
        """End all processes of the run, and wait until they have ended. The folder of a failed run is not deleted."""
        self._watching.communicate(PASSED if passed else None)


def working_in(folder: str) -> Iterator[psutil.Process]:
    """Yield every process with the folder in its working directory, command or environment."""
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
    """Kill all processes that use the folder, including those that start in the meantime."""
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
