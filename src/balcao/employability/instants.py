"""Instants in requests (rules: employability 3, 3.3)."""

import re
from datetime import datetime, time
from zoneinfo import ZoneInfo

from balcao.core.errors import Invalid

_DATE = r"(?:19|20|21)\d\d-\d\d-\d\d"
_TIME = r"\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[zZ]|[+-]\d\d:?\d\d)?"
_INSTANT = re.compile(rf"{_DATE}(?:[Tt ]{_TIME})?", re.ASCII)
_DAY_LENGTH = 10
LAST_SECOND = time(23, 59, 59)


def parse_instant(field: str, text: str, zone: ZoneInfo, *, of_day: time = LAST_SECOND) -> datetime:
    """Parse an instant. An instant without an offset is in `zone`. A date without a time means `of_day` on that day.

    Raises Invalid, which names the field, if the string is malformed or the year is not between 1900 and 2199.
    """
    text = text.strip()
    try:
        if not _INSTANT.fullmatch(text):
            raise ValueError
        given = datetime.fromisoformat(text.upper())
    except ValueError:
        raise Invalid(
            f"O campo `{field}` deve ser um instante (RFC 3339) ou uma data.", code=f"{field}-invalid"
        ) from None
    if len(text) == _DAY_LENGTH:
        return datetime.combine(given, of_day, zone)
    return given.replace(tzinfo=zone) if given.tzinfo is None else given
