"""Text that people typed: one normal form, no control characters, a limited number of characters."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from balcao.core.errors import Invalid

_BREAKS = str.maketrans("\r\n\t", "   ")
# The Unicode categories Cc and Cs, which never change.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
# A line without combining marks, control or invisible characters. Such a line is already in NFC. This range covers
# Portuguese, so most texts need no further check.
_PLAIN_LINE = re.compile("[ -~\u00a1-\u00ac\u00ae-\u02ff]*")
_PLAIN = re.compile("[\n\r\t -~\u00a1-\u00ac\u00ae-\u02ff]*")


def is_plain_line(text: str) -> bool:
    """Return whether a line contains only ordinary letters and signs.

    It is then in NFC and has no control characters.
    """
    return _PLAIN_LINE.fullmatch(text) is not None


# The maximum number of combining marks on one letter. It is needed because sorting the marks takes quadratic time. The
# number comes from Unicode's stream-safe text format (UAX 15, 13). No language comes near it.
LONGEST_RUN_OF_MARKS = 30
# Marks that count as letters until they are decomposed.
_HIDDEN_MARKS = frozenset("\u0f73\u0f75\u0f81")
# At most this many characters become one letter when normalised, so a string that is this many times too long
# cannot become short enough.
_CHARACTERS_PER_LETTER = 4


def clean_text(field: str, value: str, *, longest: int, shortest: int = 1, one_line: bool = True) -> str:
    """Return the string in NFC and trimmed. With `one_line`, each line break or tab becomes a blank.

    Raises Invalid with the name of the field for control characters, for too many marks on one letter, and if the text
    is too short or too long.
    """
    text = value.strip()
    is_too_long = len(text) > longest * _CHARACTERS_PER_LETTER
    if not is_too_long and not (_PLAIN_LINE if one_line else _PLAIN).fullmatch(text):
        if one_line:
            text = text.translate(_BREAKS)
        if stacks_marks(text):
            raise Invalid(f"O campo `{field}` tem sinais demais sobre uma letra.", code=f"{field}-marks")
        text = unicodedata.normalize("NFC", text).strip()
        if has_control(text, allowed="" if one_line else "\n\t\r"):
            raise Invalid(f"O campo `{field}` contém caracteres de controle.", code=f"{field}-control")
        if shortest and is_invisible(text):
            text = ""
    if not shortest <= len(text) <= longest:
        raise Invalid(f"O campo `{field}` deve ter de {shortest} a {longest} caracteres.", code=f"{field}-length")
    return text


def clean_optional(field: str, value: str | None, *, longest: int, one_line: bool = True) -> str | None:
    """Clean as `clean_text` does, but return None for a string that is absent, null or blank."""
    return clean_text(field, value, longest=longest, one_line=one_line) if value is not None and value.strip() else None


def clean_parameter(query: Mapping[str, str], name: str, *, longest: int) -> str | None:
    """Clean a query parameter as `clean_text` does, but return None if it is absent."""
    return clean_text(name, query[name], longest=longest) if name in query else None


def split_list(text: str) -> list[str]:
    """Return the items of a comma-separated list, trimmed and without empty items."""
    return [item for item in map(str.strip, text.split(",")) if item]


def is_invisible(text: str) -> bool:
    """Return whether the string contains only blanks, joiners and direction marks."""
    return all(unicodedata.category(char) in {"Cf", "Zs"} for char in text)


def stacks_marks(text: str) -> bool:
    """Return whether a letter has more marks than any language uses. Such a string must not be normalised."""
    if text.isascii():
        return False
    # Check only every 31st character: a run that is too long has at least 31 marks, so it covers one of these
    # positions.
    return any(
        _run_of_marks(text, place) > LONGEST_RUN_OF_MARKS for place in range(0, len(text), LONGEST_RUN_OF_MARKS + 1)
    )


def _run_of_marks(text: str, place: int) -> int:
    """Count the consecutive marks around this position. Stop counting when there are too many."""
    end = start = place
    while end < len(text) and end - place <= LONGEST_RUN_OF_MARKS and _is_mark(text[end]):
        end += 1
    if end > place:
        while start > 0 and place - start <= LONGEST_RUN_OF_MARKS and _is_mark(text[start - 1]):
            start -= 1
    return end - start


def _is_mark(char: str) -> bool:
    return unicodedata.combining(char) != 0 or char in _HIDDEN_MARKS


def has_control(text: str, allowed: str = "") -> bool:
    """Return whether the string contains a control or surrogate character that is not in `allowed`."""
    if not allowed:
        return _CONTROLS.search(text) is not None
    return any(char not in allowed for char in _CONTROLS.findall(text))


def iterate_texts(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value, including the names of members."""
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
    """Return whether a JSON value contains NUL, the only character that PostgreSQL cannot store."""
    return any("\0" in text for text in iterate_texts(value))


def fold_text(text: str) -> str:
    """Return the text in lower case and without accents, for comparisons.

    Exclude texts for which `stacks_marks` is true.
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))
