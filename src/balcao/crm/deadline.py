"""Limits for the CRM calls in one use case: the time that all calls share, and the attempts for each call."""

import time
from dataclasses import dataclass
from typing import Self

# The time for all CRM calls in a use case. It is shorter than the 8 s promised to callers, because those include the
# work before and after the CRM calls.
BUDGET_SECONDS = 7.5


@dataclass(frozen=True, slots=True)
class Deadline:
    """A deadline. `at` is a time of the monotonic clock. `tries` is the maximum number of attempts for each call."""

    at: float
    tries: int = 3

    @classmethod
    def within(cls, seconds: float, tries: int = 3) -> Self:
        """Return a deadline that is this many seconds from now."""
        return cls(time.monotonic() + seconds, tries)

    @property
    def remaining(self) -> float:
        """Return the remaining seconds, or zero after the deadline."""
        return max(0.0, self.at - time.monotonic())
