"""The time that a whole use case may spend on the CRM, shared by all its calls."""

import time
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Deadline:
    """An instant of the monotonic clock."""

    at: float

    @classmethod
    def within(cls, seconds: float) -> Self:
        return cls(time.monotonic() + seconds)

    @property
    def remaining(self) -> float:
        """Seconds left; zero when over."""
        return max(0.0, self.at - time.monotonic())
