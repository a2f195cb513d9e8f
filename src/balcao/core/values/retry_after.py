"""The header `Retry-After` in responses that we receive."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# The longest pause. A longer one is reduced to it, because a wrong header must not stop us for days.
LONGEST_RETRY_AFTER = 3_600.0


def parse_retry_after(retry_after: str | None) -> float | None:
    """Return the delay in seconds, at most an hour, from a number or a date. Return None for any other value."""
    if retry_after is None:
        return None
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:10]), LONGEST_RETRY_AFTER)
    try:
        instant = parsedate_to_datetime(text)
        seconds = (instant.replace(tzinfo=instant.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError):
        return None
    return min(max(0.0, seconds), LONGEST_RETRY_AFTER)
