"""If a test run is killed, all processes that it started end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.polling import until_now
from tests.support.run_cleanup import PROJECT, working_in
from tests.support.terminal import open_folder, remove


def running(name: str, folder: Path) -> bool:
    return any(process.name() == name for process in working_in(str(folder)))


@pytest.mark.long
def test_a_killed_run_leaves_no_process_behind() -> None:
    folder = open_folder()
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    words = [sys.executable, "-m", "pytest", "-n", "1", "-p", "no:cacheprovider", "tests/core/test_embedded.py"]
    with subprocess.Popen(
        words, cwd=PROJECT, env=ours | {"TMPDIR": str(folder)}, stdout=subprocess.DEVNULL, start_new_session=True
    ) as run:
        until_now(lambda: running("postgres", folder))
        run.kill()
    until_now(lambda: not list(working_in(str(folder))))
    remove(folder)
