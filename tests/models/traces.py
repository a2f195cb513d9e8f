"""Asks the model checker whether what really happened is something that a model can do.

The steps become an observer (a *never claim*, in Spin's words), which goes on to the next one whenever the model shows
it, and stays where it is while the model shows nothing new. The checker then searches for a run of the model in which
the observer comes to its end. The model itself is the one that is proved, so that there is nothing to keep alike.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from tests.models.exploring import explore

CAME_TO_ITS_END = "end state in claim reached"


def is_behaviour(folder: Path, model: Path, steps: Sequence[str], *bounds: str) -> bool:
    """Tell whether the model has a run that shows these steps, each a condition on its variables, in this order."""
    observed = folder / f"observed_{model.name}"
    observed.write_text(f"{model.read_text('utf-8')}\n{_observe(steps)}", "utf-8")
    # Without -A the checker would stop at what the model asserts, which a trace does not ask.
    printed = explore(folder, observed, *bounds, compiled=("-DSAFETY",), searched=("-A", "-E", "-N", "observer"))
    return CAME_TO_ITS_END in printed


def _observe(steps: Sequence[str]) -> str:
    stations = [
        f"step_{number}: do :: ({step}) :: ({following}) -> goto step_{number + 1} od;"
        for number, (step, following) in enumerate(pairwise(steps))
    ]
    return "\n".join(["never observer {", *stations, f"step_{len(steps) - 1}: skip", "}"])
