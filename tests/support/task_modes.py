"""The modes in which tests do a task in the panel: desktop, phone, keyboard only, and no scripts."""

from dataclasses import dataclass

from tests.support.proof_sizes import FULL


@dataclass(frozen=True)
class Mode:
    """A mode: the width of the window, whether scripts run, and whether the person uses only the keyboard."""

    name: str
    width: int = 1280
    has_script: bool = True
    by_keyboard: bool = False


DESK = Mode("desk")
ALL = [DESK, Mode("phone", width=360), Mode("keyboard", by_keyboard=True), Mode("without-script", has_script=False)]
# `make test` does each task in one mode, and `make prove` in every mode.
MODES = ALL if FULL else [DESK]
