"""The CNES, the national code of a health facility."""

import re
from dataclasses import dataclass
from typing import Self

PATTERN = r"^[0-9]{7}$"
_DIGITS = re.compile(r"[0-9]{7}")


@dataclass(frozen=True, slots=True)
class Cnes:
    """Seven ASCII digits, including leading zeros. There is no public rule for check digits."""

    digits: str

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the CNES, or None if the string is not a CNES."""
        return cls(text) if _DIGITS.fullmatch(text) else None

    def __str__(self) -> str:
        return self.digits
