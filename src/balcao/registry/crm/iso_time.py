"""Parse the time of a CRM event, in the ISO 8601 variants that CRMs use (rules: registry 4.1 row 8)."""

import re
from datetime import UTC, datetime, timedelta, timezone

_PATTERN = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})[T ](?P<hour>\d{2}):(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:\.(?P<fraction>\d{1,9}))?)?"
    r"(?P<zone>Z|[+-]\d{2}(?::?\d{2})?)?",
    re.ASCII,
)

# Replaces any later time, because asyncpg encodes `datetime.max` as "infinity".
LATEST = datetime(9999, 12, 31, tzinfo=UTC)


def parse_iso_time(text: str) -> datetime | None:
    """Return the time in UTC, truncated to microseconds.

    Return None unless `text` is a date and time from 1970 to 9999.
    """
    found = _PATTERN.fullmatch(text)
    if found is None:
        return None
    try:
        day = datetime.fromisoformat(found["date"])
        local = day.replace(
            hour=int(found["hour"]),
            minute=int(found["minute"]),
            second=int(found["second"] or 0),
            microsecond=int((found["fraction"] or "0")[:6].ljust(6, "0")),
            tzinfo=_parse_zone(found["zone"]),
        )
        return min(local.astimezone(UTC), LATEST) if day.year >= 1970 else None
    except (ValueError, OverflowError):
        return None


def _parse_zone(text: str | None) -> timezone:
    """Return the offset (default: UTC). Raises ValueError for minutes above 59 or offsets of a day or more."""
    if text is None or text == "Z":
        return UTC
    minutes = text[3:].removeprefix(":") or "0"
    if int(minutes) > 59:
        raise ValueError
    offset = timedelta(hours=int(text[1:3]), minutes=int(minutes))
    return timezone(-offset if text[0] == "-" else offset)
