"""Measuring in turns, A B C A B C: what disturbs the machine for a while disturbs them all."""

import dataclasses
import statistics
from collections.abc import Callable, Mapping, Sequence

from bench.servers import Figures

WARM_UP_SECONDS = 1.0

Measure = Callable[[float], Figures]


def in_turns(
    contestants: Mapping[str, Measure], seconds: float, rounds: int, before_each: Callable[[], None] | None = None
) -> dict[str, Figures]:
    """The medians of each contestant's rounds."""
    for measure in contestants.values():
        measure(WARM_UP_SECONDS)
    taken: dict[str, list[Figures]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, measure in contestants.items():
            if before_each:
                before_each()
            taken[name].append(measure(seconds))
    return {name: _median(figures) for name, figures in taken.items()}


def _median(figures: Sequence[Figures]) -> Figures:
    return Figures(*(statistics.median(values) for values in zip(*map(dataclasses.astuple, figures), strict=True)))
