"""The model of the schema migration (docs/models): what is asked of it holds, and each deliberate mistake is found."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.sizes import report, size

pytestmark = pytest.mark.spin

MODEL = Path(__file__).parents[2] / "docs" / "models" / "schema_migration.pml"
MISSING = "Estes testes precisam do Spin: ponha o caminho dele em BALCAO_SPIN (`tools/spin` o mostra)"
BOUNDS = ("-DSTARTS=1", f"-DLOSSES={size(0, 1)}", "-DREFUSALS=1")
# Fairness multiplies the states by the processes: no write is refused by the target here, and no worker loses the run.
BOUNDS_OF_PROGRESS = ("-DSTARTS=1", "-DLOSSES=0", "-DREFUSALS=0", f"-DCLAIMS={size(1, 2)}")
MISTAKES = sorted(set(re.findall(r"^#ifn?def ([A-Z_]+) +/\* a mistake", MODEL.read_text("utf-8"), re.MULTILINE)))


def explore(folder: Path, *bounds: str, compiled: tuple[str, ...], searched: tuple[str, ...]) -> str:
    """Explore all states of the model within these bounds; return what the checker printed."""
    spin = os.environ.get("BALCAO_SPIN")
    assert spin, MISSING
    for command in (
        [spin, *bounds, "-a", str(MODEL)],
        ["cc", "-O2", "-w", "-DCOLLAPSE", *compiled, "-o", "pan", "pan.c"],
        ["./pan", "-m400000", "-w22", *searched],
    ):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "Search not completed" not in done.stdout or "errors: 1" in done.stdout, done.stdout
    assert "max search depth too small" not in done.stdout, done.stdout
    return done.stdout


def explore_states(folder: Path, *bounds: str) -> str:
    return explore(folder, *bounds, compiled=("-DSAFETY", "-DNOCLAIM"), searched=())


def describe_size(printed: str) -> str:
    states = re.search(r"(\d+) states, stored", printed)
    assert states, printed
    return f"{int(states[1]):,} states"


def test_no_acknowledged_write_is_ever_missing(tmp_path: Path) -> None:
    printed = explore_states(tmp_path, *BOUNDS)
    assert "errors: 0" in printed, printed
    report(f"schema migration, nothing is lost: {describe_size(printed)}")


@pytest.mark.parametrize("promise", ["every_writer_gets_on", "every_run_ends"])
def test_nobody_waits_for_ever(tmp_path: Path, promise: str) -> None:
    printed = explore(tmp_path, *BOUNDS_OF_PROGRESS, compiled=("-DNFAIR=3",), searched=("-a", "-f", "-N", promise))
    assert "errors: 0" in printed, printed
    report(f"schema migration, {promise}: {describe_size(printed)}")


def test_the_model_has_six_deliberate_mistakes() -> None:
    assert len(MISTAKES) == 6


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_deliberate_mistake_is_found(tmp_path: Path, mistake: str) -> None:
    printed = explore_states(tmp_path, "-DSTARTS=1", "-DLOSSES=0", "-DREFUSALS=1", f"-D{mistake}")
    assert "assertion violated" in printed, printed
    report(f"schema migration, {mistake}: found after {describe_size(printed)}")
