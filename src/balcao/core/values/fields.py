"""Members of pydantic models that come as text: numbers, flags, lines. Every fault is one of the listed faults."""

from collections.abc import Hashable
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator
from pydantic_core import PydanticKnownError

from balcao.core.values.flags import parse_flag
from balcao.core.values.text import has_control, has_nul

H = TypeVar("H", bound=Hashable)

# So many digits already show a number to be out of bounds, and cost nothing to read.
_DIGITS_READ = 18


def _check_number(sent: Any) -> Any:
    return _check_digits(sent, sent.removeprefix("-")) if isinstance(sent, str) else sent


def _check_natural(sent: Any) -> Any:
    return _check_digits(sent, sent) if isinstance(sent, str) else sent


def _check_digits(sent: str, digits: str) -> str:
    """Return the text for pydantic to parse, which alone would also take `+1`, ` 1` and `1_0`."""
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
    """Return the text. Raises ValueError for the one character that PostgreSQL cannot store."""
    if has_nul(text):
        raise ValueError("não pode conter o caractere nulo")
    return text


def refuse_control(text: str, allowed: str = "") -> str:
    """Return the text. Raises ValueError for a control character that is not one of those allowed."""
    if has_control(text, allowed):
        raise ValueError("não pode conter caracteres de controle")
    return text


DIGITS = BeforeValidator(_check_number)
"""Marks a number that comes as text."""
# A number whose bounds speak of negative ones, and one that has no sign at all.
WholeNumber = Annotated[int, DIGITS]
NaturalNumber = Annotated[int, BeforeValidator(_check_natural)]
Flag = Annotated[bool, BeforeValidator(_parse_flag)]
OneLine = AfterValidator(refuse_control)
"""Marks a text without line breaks and other control characters."""
Storable = AfterValidator(refuse_nul)
"""Marks a text of any number of lines."""
