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
# CI does each task in one mode, and `make prove` in every mode.
MODES = ALL if FULL else [DESK]
# The widths of the window in tests with citizens and staff. Ordinary runs use the width of a phone, proofs both widths.
TASK_WIDTHS = [360, 1280] if FULL else [360]
