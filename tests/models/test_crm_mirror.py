"""Tests for the CRM mirror's model (docs/models): its properties hold, and each deliberate mistake is found."""

from pathlib import Path

import pytest

from tests.models.spin import MODELS, describe_size, explore_runs, explore_states, list_mistakes
from tests.support.proof_sizes import FULL, report, size

pytestmark = [pytest.mark.spin, pytest.mark.long]

MODEL = MODELS / "crm_mirror.pml"
NOTHING = {"CHANGES": 0, "LOGINS": 0, "KILLS": 0, "LOSSES": 0, "REPETITIONS": 0, "RECONCILIATIONS": 0}
# All bounds together would need more memory than a machine has, so each set of bounds leaves some out.
SMALL = (
    {"DECLARATIONS": 1, "CHANGES": 1, "LOGINS": 1},
    {"DECLARATIONS": 2, "CHANGES": 1, "KILLS": 1},
)
LARGE = (
    {"DECLARATIONS": 2, "CHANGES": 1, "LOGINS": 1, "KILLS": 1},
    {"DECLARATIONS": 1, "CHANGES": 1, "LOGINS": 1, "KILLS": 1, "LOSSES": 1, "REPETITIONS": 1},
    {"DECLARATIONS": 2, "CHANGES": 1, "KILLS": 1, "LOSSES": 1, "REPETITIONS": 1, "RECONCILIATIONS": 1},
)
MISTAKES = list_mistakes(MODEL)


def bounds(chosen: dict[str, int]) -> list[str]:
    return [f"-D{name}={value}" for name, value in (NOTHING | chosen).items()]


@pytest.mark.parametrize("chosen", [*SMALL, *(LARGE if FULL else ())], ids=str)
def test_the_citizens_word_stands_and_registry_and_crm_end_alike(tmp_path: Path, chosen: dict[str, int]) -> None:
    printed = explore_states(tmp_path, MODEL, *bounds(chosen))
    assert "errors: 0" in printed, printed
    report(f"CRM mirror, {chosen}: {describe_size(printed)}")


@pytest.mark.parametrize("promise", ["every_word_reaches_the_crm", "every_login_ends"][: size(1, 2)])
def test_nobody_waits_for_ever(tmp_path: Path, promise: str) -> None:
    chosen = {"DECLARATIONS": 1, "CHANGES": size(0, 1), "LOGINS": 1, "KILLS": size(0, 1)}
    printed = explore_runs(tmp_path, MODEL, promise, *bounds(chosen))
    assert "errors: 0" in printed, printed
    report(f"CRM mirror, {promise}: {describe_size(printed)}")


def test_the_model_has_nine_deliberate_mistakes() -> None:
    assert len(MISTAKES) == 9


@pytest.mark.parametrize("mistake", MISTAKES[: size(1, len(MISTAKES))])
def test_a_deliberate_mistake_is_found(tmp_path: Path, mistake: str) -> None:
    chosen = {"DECLARATIONS": 2, "CHANGES": 1, "LOGINS": 1, "KILLS": 1}
    printed = explore_states(tmp_path, MODEL, *bounds(chosen), f"-D{mistake}")
    assert "assertion violated" in printed, printed
    report(f"CRM mirror, {mistake}: found after {describe_size(printed)}")
