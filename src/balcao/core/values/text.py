"""Text that people typed: one normal form, no control characters, bounds in characters."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from balcao.core.errors import Invalid

_BREAKS = str.maketrans("\r\n\t", "   ")
# The Unicode categories Cc and Cs, which are fixed.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def clean(field: str, value: str, *, longest: int, shortest: int = 1, one_line: bool = True) -> str:
    """Return the text in NFC and trimmed. With `one_line`, line breaks and tabs become a blank each.

    Raises Invalid naming the field for control characters and for fewer or more characters than allowed.
    """
    text = unicodedata.normalize("NFC", value.translate(_BREAKS) if one_line else value).strip()
    if has_control(text, allowed="" if one_line else "\n\t\r"):
        raise Invalid(f"O campo `{field}` contém caracteres de controle.", code=f"{field}-control")
    if not shortest <= len(text) <= longest or (shortest and is_invisible(text)):
        raise Invalid(f"O campo `{field}` deve ter de {shortest} a {longest} caracteres.", code=f"{field}-length")
    return text


def clean_optional(field: str, value: str | None, *, longest: int, one_line: bool = True) -> str | None:
    """Clean as `clean` does; return None for a text that is absent, null or blank."""
    return clean(field, value, longest=longest, one_line=one_line) if value is not None and value.strip() else None


def is_invisible(text: str) -> bool:
    """Return whether nothing of it can be seen: only blanks, joiners and marks of direction."""
    return all(unicodedata.category(char) in {"Cf", "Zs"} for char in text)


def has_control(text: str, allowed: str = "") -> bool:
    """Return whether a character of the categories control or surrogate stands in the text."""
    return any(char not in allowed for char in _CONTROLS.findall(text))


def iterate_texts(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, the names of members included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from iterate_texts(member)
    elif isinstance(value, list):
        for item in value:
            yield from iterate_texts(item)


def has_nul(value: Any) -> bool:
    """Return whether a JSON value holds the one character that PostgreSQL cannot store."""
    return any("\0" in text for text in iterate_texts(value))
