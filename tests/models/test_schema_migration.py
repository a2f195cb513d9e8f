"""Tests for the schema migration's model (docs/models): its properties hold, and each deliberate mistake is found."""

from pathlib import Path

import pytest

from tests.models.spin import MODELS, describe_size, explore_runs, explore_states, list_mistakes
from tests.support.proof_sizes import report, size

pytestmark = [pytest.mark.spin, pytest.mark.long]

MODEL = MODELS / "schema_migration.pml"
BOUNDS = ("-DSTARTS=1", f"-DLOSSES={size(0, 1)}", "-DREFUSALS=1")
# Fairness multiplies the number of states by the number of processes. To limit them, here the target rejects no write
# and no worker loses the run.
BOUNDS_OF_PROGRESS = ("-DSTARTS=1", "-DLOSSES=0", "-DREFUSALS=0", f"-DCLAIMS={size(1, 2)}")
MISTAKES = list_mistakes(MODEL)


def test_no_acknowledged_write_is_ever_missing(tmp_path: Path) -> None:
    printed = explore_states(tmp_path, MODEL, *BOUNDS)
    assert "errors: 0" in printed, printed
    report(f"schema migration, nothing is lost: {describe_size(printed)}")


@pytest.mark.parametrize("promise", ["every_run_ends", "every_writer_gets_on"][: size(1, 2)])
def test_nobody_waits_for_ever(tmp_path: Path, promise: str) -> None:
    printed = explore_runs(tmp_path, MODEL, promise, *BOUNDS_OF_PROGRESS)
    assert "errors: 0" in printed, printed
    report(f"schema migration, {promise}: {describe_size(printed)}")


def test_the_model_has_six_deliberate_mistakes() -> None:
    assert len(MISTAKES) == 6


@pytest.mark.parametrize("mistake", MISTAKES[: size(1, len(MISTAKES))])
def test_a_deliberate_mistake_is_found(tmp_path: Path, mistake: str) -> None:
    printed = explore_states(tmp_path, MODEL, "-DSTARTS=1", "-DLOSSES=0", "-DREFUSALS=1", f"-D{mistake}")
    assert "assertion violated" in printed, printed
    report(f"schema migration, {mistake}: found after {describe_size(printed)}")
