"""Ways to do a task in the panel: on a desktop, on a phone, with only a keyboard, and without scripts."""

from dataclasses import dataclass

from tests.support.proof_sizes import FULL


@dataclass(frozen=True)
class Mode:
    """A way of working: the width of the window, whether scripts run, and whether the person uses only the keyboard."""

    name: str
    width: int = 1280
    has_script: bool = True
    by_keyboard: bool = False


DESK = Mode("desk")
ALL = [DESK, Mode("phone", width=360), Mode("keyboard", by_keyboard=True), Mode("without-script", has_script=False)]
# `make test` does each task in one way, `make prove` in every way.
MODES = ALL if FULL else [DESK]
