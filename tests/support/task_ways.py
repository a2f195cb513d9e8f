"""The ways in which a task of the panel is tried: at a desk, on a phone, by keyboard alone, without a script."""

from dataclasses import dataclass

from tests.support.proof_sizes import FULL


@dataclass(frozen=True)
class Way:
    """How somebody works: how wide the window is, with what they act, and whether scripts run."""

    name: str
    width: int = 1280
    has_script: bool = True
    by_keyboard: bool = False


DESK = Way("desk")
ALL = [DESK, Way("phone", width=360), Way("keyboard", by_keyboard=True), Way("without-script", has_script=False)]
# `make test` tries each task once, `make prove` in every way.
WAYS = ALL if FULL else [DESK]
