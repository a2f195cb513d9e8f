"""Texts of this service's bodies: which characters and lengths pass (rules: employability 2.0.6)."""

from balcao.core.errors import Invalid
from balcao.core.values.text import clean, has_control


def line(field: str, value: str, longest: int) -> str:
    """A "text n": one line of 1 to n characters, trimmed and in NFC. Raises Invalid."""
    trimmed = value.strip()
    if has_control(trimmed):
        raise Invalid(f"O campo `{field}` contém caracteres de controle.", code=f"{field}-control")
    return clean(field, trimmed, longest=longest)


def optional_line(field: str, value: str | None, longest: int) -> str | None:
    """As `line`; an empty text counts as absent."""
    return line(field, value, longest) if value and value.strip() else None


def prose(field: str, value: str, longest: int) -> str:
    """A "long n": 0 to n characters, line breaks and tabs allowed. Raises Invalid."""
    return clean(field, value, longest=longest, shortest=0, one_line=False)


def optional_prose(field: str, value: str | None, longest: int) -> str | None:
    """As `prose`; an empty text counts as absent."""
    return prose(field, value or "", longest) or None
