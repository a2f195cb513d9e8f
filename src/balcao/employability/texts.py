"""Texts of this service's bodies: which characters and lengths pass (rules: employability 2.0.6)."""

from balcao.core.errors import Invalid
from balcao.core.values.text import clean, has_control


def clean_line(field: str, value: str, longest: int) -> str:
    """Return a "text n": one line of 1 to n characters, trimmed and in NFC. Raises Invalid."""
    trimmed = value.strip()
    if has_control(trimmed):
        raise Invalid(f"O campo `{field}` contém caracteres de controle.", code=f"{field}-control")
    return clean(field, trimmed, longest=longest)


def clean_optional_line(field: str, value: str | None, longest: int) -> str | None:
    """Return as `clean_line`; an empty text counts as absent."""
    return clean_line(field, value, longest) if value and value.strip() else None


def clean_prose(field: str, value: str, longest: int) -> str:
    """Return a "long n": 0 to n characters, line breaks and tabs allowed. Raises Invalid."""
    return clean(field, value, longest=longest, shortest=0, one_line=False)


def clean_optional_prose(field: str, value: str | None, longest: int) -> str | None:
    """Return as `clean_prose`; an empty text counts as absent."""
    return clean_prose(field, value or "", longest) or None
