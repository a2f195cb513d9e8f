"""Types for string members of pydantic models: numbers, flags, lines.

Their errors are reported with all other errors.
"""

from collections.abc import Hashable
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator
from pydantic_core import PydanticKnownError

from balcao.core.values.flags import parse_flag
from balcao.core.values.text import has_control, has_nul

H = TypeVar("H", bound=Hashable)

# A number with this many digits is certainly out of bounds, and parsing so few digits costs nothing.
_DIGITS_READ = 18


def _check_number(sent: Any) -> Any:
    return _check_digits(sent, sent.removeprefix("-")) if isinstance(sent, str) else sent


def _check_natural(sent: Any) -> Any:
    return _check_digits(sent, sent) if isinstance(sent, str) else sent


def _check_digits(sent: str, digits: str) -> str:
    """Return the string for pydantic to parse. Pydantic's own parser would also accept `+1`, ` 1` and `1_0`."""
    if not (digits.isascii() and digits.isdigit()):
        raise PydanticKnownError("int_parsing")
    return sent[:_DIGITS_READ]


def _parse_flag(sent: Any) -> Any:
    if sent in (True, False):
        return sent
    flag = parse_flag(sent) if isinstance(sent, str) else None
    if flag is None:
        raise PydanticKnownError("enum", {"expected": "`true` ou `false`"})
    return flag


def refuse_nul(text: str) -> str:
    """Return the string. Raises ValueError if it contains NUL, which PostgreSQL cannot store."""
    if has_nul(text):
        raise ValueError("não pode conter o caractere nulo")
    return text


def refuse_control(text: str, allowed: str = "") -> str:
    """Return the string. Raises ValueError if it contains a control character that is not in `allowed`."""
    if has_control(text, allowed):
        raise ValueError("não pode conter caracteres de controle")
    return text


DIGITS = BeforeValidator(_check_number)
"""A number that is sent as a string."""
# A `WholeNumber` may be negative. A `NaturalNumber` has no sign.
WholeNumber = Annotated[int, DIGITS]
NaturalNumber = Annotated[int, BeforeValidator(_check_natural)]
Flag = Annotated[bool, BeforeValidator(_parse_flag)]
OneLine = AfterValidator(refuse_control)
"""A string without line breaks and other control characters."""
Storable = AfterValidator(refuse_nul)
"""A string with any number of lines, without NUL."""
