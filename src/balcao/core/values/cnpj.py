"""The CNPJ, also with letters: fourteen characters."""

import re
from functools import lru_cache

from stdnum.br import cnpj as stdnum_cnpj

_PATTERN = re.compile(r"[0-9A-Z]{12}[0-9]{2}")
_MARKS = str.maketrans("", "", "./-")


@lru_cache(1024)  # a file of jobs names few companies many times
def is_cnpj(text: str) -> bool:
    """Return whether the text is a valid CNPJ in capitals without punctuation; the library alone would accept both."""
    return bool(_PATTERN.fullmatch(text) and len(set(text)) > 1 and stdnum_cnpj.is_valid(text))


def strip_cnpj(text: str) -> str:
    """Return a printed CNPJ in capitals without its marks; it may still be no valid one."""
    return text.strip().translate(_MARKS).upper()
