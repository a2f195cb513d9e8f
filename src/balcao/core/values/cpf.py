"""The CPF: it is validated, and masked whenever it is printed."""

import functools
import re
from dataclasses import dataclass
from typing import Self

from stdnum.br import cpf as stdnum_cpf

_DIGITS = re.compile(r"[0-9]{11}")
_PUNCTUATED = re.compile(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}")
_SEPARATORS = str.maketrans("", "", ".- ")
# No longer text is a CPF. Checking the length first limits the cost of removing separators.
_LONGEST_CLAIM = 100


# Cached, because both the rule and the use case of a call parse the same CPF.
@functools.lru_cache(maxsize=1024)
def _is_issued(digits: str) -> bool:
    """Check the digits. Unlike the library, reject eleven equal digits, which the federal registry never issues."""
    return len(set(digits)) > 1 and bool(stdnum_cpf.is_valid(digits))


def _append_check_digit(digits: str) -> str:
    """Append the next check digit (modulo 11). The library can verify check digits, but not compute them."""
    weighed = sum(int(digit) * weight for weight, digit in enumerate(reversed(digits), 2))
    return f"{digits}{-weighed % 11 % 10}"


@dataclass(frozen=True, slots=True, repr=False)
class Cpf:
    """A valid CPF. `digits` contains the eleven digits. `str` and `repr` show only the masked form."""

    digits: str

    @classmethod
    def parse(cls, text: object) -> Self | None:
        """Return the CPF if `text` is exactly eleven digits with valid check digits, otherwise None."""
        if not isinstance(text, str) or not _DIGITS.fullmatch(text):
            return None
        return cls(text) if _is_issued(text) else None

    @classmethod
    def parse_path(cls, text: str) -> Self | None:
        """Parse as `parse` does, but also accept the formatted CPF, which portals copy from a token into a path."""
        if _PUNCTUATED.fullmatch(text):
            return cls.parse(text.translate(_SEPARATORS))
        return cls.parse(text)

    @classmethod
    def parse_claim(cls, text: object) -> Self | None:
        """Parse as `parse` does, but ignore every `.`, `-` and blank, which identity providers may add."""
        if not isinstance(text, str) or len(text) > _LONGEST_CLAIM:
            return None
        return cls.parse(text.translate(_SEPARATORS))

    @classmethod
    def with_stem(cls, stem: str) -> Self:
        """Return the CPF of an invented person from its first nine digits.

        Raises ValueError if all digits are equal.
        """
        digits = _append_check_digit(_append_check_digit(stem))
        if cls.parse(digits) is None:
            raise ValueError("no CPF has this stem")
        return cls(digits)

    @property
    def masked(self) -> str:
        """The CPF with its first three and last two digits hidden."""
        return f"***.{self.digits[3:6]}.{self.digits[6:9]}-**"

    def __str__(self) -> str:
        return self.masked

    def __repr__(self) -> str:
        return f"Cpf({self.masked})"
