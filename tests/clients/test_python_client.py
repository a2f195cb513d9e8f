"""Our Python client, installed from its wheel where there is nothing else, runs the operations' examples."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.clients import built
from tests.clients.examples import check_outcomes, read_outcomes, write_calls
from tests.support.sandbox import Sandbox
from tests.support.sizes import report

pytestmark = [pytest.mark.node, pytest.mark.sdk, pytest.mark.long]

RUN = Path(__file__).with_name("run_examples.py")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("python-client")


@pytest.fixture(scope="module")
def wheel() -> Path:
    return built.build_python_once()


@pytest.fixture(scope="module")
def interpreter(wheel: Path, folder: Path) -> Path:
    return built.install_python(wheel, folder / "environment")


def test_what_is_shown_of_every_operation_runs(sandbox: Sandbox, interpreter: Path) -> None:
    done = subprocess.run(
        [interpreter, "-I", RUN, sandbox.url],
        input=write_calls(sandbox),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    outcomes = check_outcomes(read_outcomes(done.stdout), sandbox, kinds=2)
    report(f"operations x as shown and awaited: {Counter(outcome for _, _, outcome in outcomes)}")


def test_it_is_typed_strictly(wheel: Path, folder: Path) -> None:
    checked = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file=",
            f"--cache-dir={folder}/mypy",
            "-p",
            "balcao_client",
        ],
        cwd=wheel.parent / "python" / "src",
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
