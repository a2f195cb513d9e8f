"""Clean pasted values, which may contain no-break blanks, all kinds of dashes, and invisible characters."""

import unicodedata

_GROUPING = str.maketrans("", "", " -./()")
_OTHER_HYPHENS = "\u2043\u2212"  # the hyphen bullet and the minus, which are not dashes in Unicode


def clean_pasted(text: str) -> str:
    """Return the string trimmed, with only ordinary blanks and hyphens, and without invisible characters."""
    return text.strip() if text.isascii() else "".join(map(_clean_character, text)).strip()


def compact_pasted(text: str) -> str:
    """Clean as `clean_pasted` does, and also remove the signs that group the characters of a code or number."""
    return clean_pasted(text).translate(_GROUPING)


def _clean_character(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Cf":
        return ""
    if category == "Pd" or char in _OTHER_HYPHENS:
        return "-"
    return " " if category == "Zs" else char
