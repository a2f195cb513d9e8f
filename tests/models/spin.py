"""Runs the model checker Spin over all reachable states of a model."""

import os
import re
import subprocess
from pathlib import Path

from tests.support.proof_sizes import size

MODELS = Path(__file__).parents[2] / "docs" / "models"
MISSING = "Estes testes precisam do Spin: ponha o caminho dele em BALCAO_SPIN (`tools/spin` o mostra)"


def explore(folder: Path, model: Path, *bounds: str, compiled: tuple[str, ...], searched: tuple[str, ...]) -> str:
    """Run the model checker on the model within these bounds, and return its output."""
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
    """Explore all states, and check the assertions in every state."""
    return explore(folder, model, *bounds, compiled=("-DSAFETY", "-DNOCLAIM"), searched=())


def explore_runs(folder: Path, model: Path, promise: str, *bounds: str) -> str:
    """Check a promise of the model in all infinite fair runs.

    In a fair run, no process that could continue waits forever.
    """
    return explore(folder, model, *bounds, compiled=("-DNFAIR=3",), searched=("-a", "-f", "-N", promise))


def list_mistakes(model: Path) -> list[str]:
    """Return the names of the deliberate mistakes that can be compiled into the model."""
    return sorted(set(re.findall(r"^#ifn?def ([A-Z_]+) +/\* a mistake", model.read_text("utf-8"), re.MULTILINE)))


def describe_size(printed: str) -> str:
    states = re.search(r"(\d+) states, stored", printed)
    assert states, printed
    return f"{int(states[1]):,} states"
