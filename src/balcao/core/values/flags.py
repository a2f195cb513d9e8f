"""Flags in query parameters."""

from collections.abc import Mapping

from balcao.core.errors import Invalid

_WORDS = {"true": True, "false": False}
_DIGITS = {"1": True, "0": False}


def parse_flag(text: str, *, or_digit: bool = False) -> bool | None:
    """Parse `true` or `false`, and `1` or `0` if digits are allowed. Return None for any other string."""
    found = _WORDS.get(text)
    return _DIGITS.get(text) if found is None and or_digit else found


def parse_flag_parameter(query: Mapping[str, str], name: str) -> bool | None:
    """Return the flag of a query parameter, or None if it is absent. Raises Invalid unless it is `true` or `false`."""
    if name not in query:
        return None
    flag = parse_flag(query[name])
    if flag is None:
        raise Invalid(f"O parâmetro `{name}` deve ser `true` ou `false`.", code=f"{name}-invalid")
    return flag
