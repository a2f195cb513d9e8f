"""Flags as callers write them in a query."""

_WORDS = {"true": True, "false": False}
_DIGITS = {"1": True, "0": False}


def parse_flag(text: str, *, or_digit: bool = False) -> bool | None:
    """Return what `true` or `false` says, or a digit where one may stand for it; None for any other text."""
    found = _WORDS.get(text)
    return _DIGITS.get(text) if found is None and or_digit else found
