"""Functions that clean and compare strings and create slugs (rules: employability 2.0, 3.3)."""

import re
import string
import unicodedata
from uuid import UUID

from balcao.core.errors import Invalid
from balcao.core.values import ids
from balcao.core.values.text import clean_text, has_control, is_plain_line

_MARKS = re.compile("[\u0300-\u036f]+")
# Only ASCII letters are converted to lower case, as in the SQL function, which uses the collation "C".
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_BLANKS = re.compile("[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


def fold_line(text: str) -> str:
    """Fold a string for comparison: lower case, no accents, single blanks.

    `employability.folded` does the same in SQL.
    """
    return _BLANKS.sub(" ", _MARKS.sub("", unicodedata.normalize("NFD", text)).translate(_LOWER)).strip(" ")


def parse_uuid_field(field: str, text: str) -> UUID:
    """Parse a UUID in a body member. Raises Invalid if it is malformed."""
    found = ids.parse_uuid(text.strip())
    if found is None:
        raise Invalid(f"O campo `{field}` deve ser um UUID.", code=f"{field}-invalid")
    return found


def clean_line(field: str, value: str, longest: int) -> str:
    """Clean a "text n" of the rules: one line of 1 to n characters, trimmed and in NFC.

    Raises Invalid for any other string.
    """
    trimmed = value.strip()
    if 0 < len(trimmed) <= longest and is_plain_line(trimmed):  # fast path for nearly all texts
        return trimmed
    if has_control(trimmed):
        raise Invalid(f"O campo `{field}` contém caracteres de controle.", code=f"{field}-control")
    return clean_text(field, trimmed, longest=longest)


def clean_optional_line(field: str, value: str | None, longest: int) -> str | None:
    """Clean a line in the same way as `clean_line`. Return None for an absent or blank line."""
    return clean_line(field, value, longest) if value and value.strip() else None


def clean_prose(field: str, value: str, longest: int) -> str:
    """Clean a "long n" of the rules: 0 to n characters, which may include line breaks and tabs.

    Raises Invalid for any other string.
    """
    return clean_text(field, value, longest=longest, shortest=0, one_line=False) if value else ""


def clean_optional_prose(field: str, value: str | None, longest: int) -> str | None:
    """Clean a string in the same way as `clean_prose`. Return None if the string is absent or empty."""
    return clean_prose(field, value, longest) or None if value else None


LONGEST_SLUG = 80
_NOT_IN_SLUG = re.compile(r"[^a-z0-9]+")
_SLUG = re.compile(r"(?:[a-z0-9-]{1,200}-)?([0-9a-f]{12})")


def slugify(title: str) -> str:
    """Return a title's slug: lower-case words without accents, joined by hyphens and cut at LONGEST_SLUG.

    If no letters or digits remain, the slug is `vaga`.
    """
    plain = title
    if not title.isascii():
        plain = "".join(char for char in unicodedata.normalize("NFD", title) if not unicodedata.combining(char))
    words = _NOT_IN_SLUG.sub("-", plain.lower()).strip("-")
    if len(words) > LONGEST_SLUG:
        cut = words[: LONGEST_SLUG + 1].rpartition("-")[0]
        words = cut or words[:LONGEST_SLUG]
    return words or "vaga"


def parse_slug(text: str) -> str | None:
    """Return the twelve hexadecimal digits at the end of a slug. The job's id starts with these digits.

    Return None if the string is not a slug.
    """
    found = _SLUG.fullmatch(text.lower())
    return found[1] if found else None
