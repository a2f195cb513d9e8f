"""Asks the model checker whether an observed sequence of events is possible in a model.

The steps are compiled into an observer process (Spin calls it a *never claim*). The observer advances when the model
shows the next step, and waits while the model shows nothing new. The checker then searches for a run in which the
observer reaches its end. The checker uses the model whose properties are proved, so there is no second version to
maintain.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from tests.models.spin import explore

CAME_TO_ITS_END = "end state in claim reached"


def is_behaviour(folder: Path, model: Path, steps: Sequence[str], *bounds: str) -> bool:
    """Return whether a run of the model shows these steps in order. A step is a condition on the model's variables."""
    observed = folder / f"observed_{model.name}"
    observed.write_text(f"{model.read_text('utf-8')}\n{_observe(steps)}", "utf-8")
    # Without -A, the checker would stop at the model's assertions, which do not matter for a trace.
    printed = explore(folder, observed, *bounds, compiled=("-DSAFETY",), searched=("-A", "-E", "-N", "observer"))
    return CAME_TO_ITS_END in printed


def _observe(steps: Sequence[str]) -> str:
    stations = [
        f"step_{number}: do :: ({step}) :: ({following}) -> goto step_{number + 1} od;"
        for number, (step, following) in enumerate(pairwise(steps))
    ]
    return "\n".join(["never observer {", *stations, f"step_{len(steps) - 1}: skip", "}"])
