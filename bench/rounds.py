"""Measures the sides alternately (A B C A B C), so that a temporary disturbance of the machine affects all of them."""

import dataclasses
import statistics
from collections.abc import Callable, Mapping, Sequence

WARM_UP_SECONDS = 1.0


@dataclasses.dataclass(frozen=True)
class Figures:
    """One round: responses per second, latencies in ms, CPU time in µs per response, memory in MB.

    The CPU times are those of the server, of PostgreSQL and of the load generator.
    """

    rate: float
    p50: float
    p99: float
    cpu: float
    database_cpu: float
    load_cpu: float
    memory: float


Measure = Callable[[float], Figures]
# The rounds of each measured side, by its name.
Taken = Mapping[str, Sequence[Figures]]


def in_turns(
    contestants: Mapping[str, Measure], seconds: float, rounds: int, before_each: Callable[[], None] | None = None
) -> Taken:
    """Return each contestant's rounds, without the first round, which only warms up."""
    taken: dict[str, list[Figures]] = {name: [] for name in contestants}
    for length in [WARM_UP_SECONDS] + [seconds] * rounds:
        for name, measure in contestants.items():
            if before_each:
                before_each()
            taken[name].append(measure(length))
    return {name: figures[1:] for name, figures in taken.items()}


def median(rounds: Sequence[Figures]) -> Figures:
    return Figures(*(statistics.median(values) for values in zip(*map(dataclasses.astuple, rounds), strict=True)))


@dataclasses.dataclass(frozen=True)
class Ratio:
    """The ratio of two sides within the same round, so that a slowdown that affects both sides has no effect."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, above: Sequence[float], below: Sequence[float]) -> "Ratio":
        ratios = [one / other for one, other in zip(above, below, strict=True)]
        return cls(statistics.median(ratios), min(ratios), max(ratios))

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.least:.2f}-{self.most:.2f})"
