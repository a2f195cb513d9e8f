"""The CNPJ, including the form with letters: fourteen characters."""

import re
from functools import lru_cache

from stdnum.br import cnpj as stdnum_cnpj

_PATTERN = re.compile(r"[0-9A-Z]{12}[0-9]{2}")
_MARKS = str.maketrans("", "", "./-")
_LONGEST = 100


@lru_cache(1024)  # imports of jobs contain the same few companies many times
def is_cnpj(text: str) -> bool:
    """Return whether the string is a valid upper-case CNPJ without punctuation.

    The library would also accept other forms.
    """
    return bool(_PATTERN.fullmatch(text) and len(set(text)) > 1 and stdnum_cnpj.is_valid(text))


def strip_cnpj(text: str) -> str:
    """Return a CNPJ in upper case and without punctuation. The result may still be invalid.

    A text that is too long for any CNPJ is returned unchanged.
    """
    return text if len(text) > _LONGEST else text.strip().translate(_MARKS).upper()
