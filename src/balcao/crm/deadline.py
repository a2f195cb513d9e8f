"""The time and the tries that a whole use case may spend on the CRM; all its calls share the time."""

import time
from dataclasses import dataclass
from typing import Self

# A little under the 8 s that a caller is promised, which include what comes before and after.
BUDGET_SECONDS = 7.5


@dataclass(frozen=True, slots=True)
class Deadline:
    """`at` is an instant of the monotonic clock; `tries` is how often each call is made at most."""

    at: float
    tries: int = 3

    @classmethod
    def within(cls, seconds: float, tries: int = 3) -> Self:
        """Return the deadline this many seconds from now."""
        return cls(time.monotonic() + seconds, tries)

    @property
    def remaining(self) -> float:
        """Return the seconds left; zero when over."""
        return max(0.0, self.at - time.monotonic())
