"""The CNES as a value: the national code of a health facility."""

import re
from dataclasses import dataclass
from typing import Self

PATTERN = r"^[0-9]{7}$"
_DIGITS = re.compile(r"[0-9]{7}")


@dataclass(frozen=True, slots=True)
class Cnes:
    """Seven ASCII digits; leading zeros count. There is no public check-digit rule."""

    digits: str

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the CNES, or None when the text is none."""
        return cls(text) if _DIGITS.fullmatch(text) else None

    def __str__(self) -> str:
        return self.digits
