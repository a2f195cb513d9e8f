"""The CPF as a value: checked, and masked wherever it could be printed."""

import functools
import re
from dataclasses import dataclass
from typing import Self

from stdnum.br import cpf as stdnum_cpf

_DIGITS = re.compile(r"[0-9]{11}")
_PUNCTUATED = re.compile(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}")
_SEPARATORS = str.maketrans("", "", ".- ")


# The rule and the use case of one call ask for the same CPF.
@functools.lru_cache(maxsize=1024)
def _issued(digits: str) -> bool:
    """The library accepts repeated digits, which the federal registry never issues."""
    return len(set(digits)) > 1 and bool(stdnum_cpf.is_valid(digits))


def _with_check_digit(digits: str) -> str:
    """The library makes no check digits, it only compares them."""
    weighed = sum(int(digit) * weight for weight, digit in enumerate(reversed(digits), 2))
    return f"{digits}{-weighed % 11 % 10}"


@dataclass(frozen=True, slots=True, repr=False)
class Cpf:
    """A valid CPF. `digits` is the eleven digits; `str` and `repr` show only the mask."""

    digits: str

    @classmethod
    def parse(cls, text: object) -> Self | None:
        """The CPF in `text` when it is exactly eleven digits with right check digits, else None."""
        if not isinstance(text, str) or not _DIGITS.fullmatch(text):
            return None
        return cls(text) if _issued(text) else None

    @classmethod
    def parse_path(cls, text: str) -> Self | None:
        """As `parse`, taking also the punctuated form, which portals copy from a token into a path."""
        if _PUNCTUATED.fullmatch(text):
            return cls.parse(text.translate(_SEPARATORS))
        return cls.parse(text)

    @classmethod
    def parse_claim(cls, text: object) -> Self | None:
        """As `parse`, dropping every `.`, `-` and blank, as identity providers write them."""
        return cls.parse(text.translate(_SEPARATORS)) if isinstance(text, str) else None

    @classmethod
    def with_stem(cls, stem: str) -> Self:
        """The CPF of these nine digits, completed by its check digits: for invented people."""
        digits = _with_check_digit(_with_check_digit(stem))
        if cls.parse(digits) is None:
            raise ValueError("no CPF has this stem")
        return cls(digits)

    @property
    def masked(self) -> str:
        return f"***.{self.digits[3:6]}.{self.digits[6:9]}-**"

    def __str__(self) -> str:
        return self.masked

    def __repr__(self) -> str:
        return f"Cpf({self.masked})"
