"""Runs the model checker Spin through every reachable state of a model."""

import os
import re
import subprocess
from pathlib import Path

from tests.support.proof_sizes import size

MODELS = Path(__file__).parents[2] / "docs" / "models"
MISSING = "Estes testes precisam do Spin: ponha o caminho dele em BALCAO_SPIN (`tools/spin` o mostra)"


def explore(folder: Path, model: Path, *bounds: str, compiled: tuple[str, ...], searched: tuple[str, ...]) -> str:
    """Explore all states of the model within these bounds. Return the checker's output."""
    spin = os.environ.get("BALCAO_SPIN")
    assert spin, MISSING
    for command in (
        [spin, *bounds, "-a", str(model)],
        ["cc", f"-O{size(1, 2)}", "-w", "-DCOLLAPSE", *compiled, "-o", "pan", "pan.c"],
        ["./pan", "-m400000", "-w22", *searched],
    ):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "Search not completed" not in done.stdout or "errors: 1" in done.stdout, done.stdout
    assert "max search depth too small" not in done.stdout, done.stdout
    return done.stdout


def explore_states(folder: Path, model: Path, *bounds: str) -> str:
    """Explore all states and check the assertions in each."""
    return explore(folder, model, *bounds, compiled=("-DSAFETY", "-DNOCLAIM"), searched=())


def explore_runs(folder: Path, model: Path, promise: str, *bounds: str) -> str:
    """Explore all endless fair runs, in which no process waits forever, for a promise of the model."""
    return explore(folder, model, *bounds, compiled=("-DNFAIR=3",), searched=("-a", "-f", "-N", promise))


def list_mistakes(model: Path) -> list[str]:
    """Return the names of the deliberate mistakes with which the model can be compiled."""
    return sorted(set(re.findall(r"^#ifn?def ([A-Z_]+) +/\* a mistake", model.read_text("utf-8"), re.MULTILINE)))


def describe_size(printed: str) -> str:
    states = re.search(r"(\d+) states, stored", printed)
    assert states, printed
    return f"{int(states[1]):,} states"
