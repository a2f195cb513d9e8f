"""Days and instants: `YYYY-MM-DD` or RFC 3339 in records, but always with a time in responses (rules: registry 1.1)."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import msgspec

from balcao.core.values.clock import format_rfc3339, in_utc

_DAY_LENGTH = len("2026-01-31")
_Instant = Annotated[datetime, msgspec.Meta(tz=True)]


def parse_day(text: str) -> date | datetime:
    """Parse a day or an instant.

    Return the day, or the instant in UTC. Raises ValueError for any other string or a day that does not exist.
    """
    try:
        if len(text) == _DAY_LENGTH:
            return msgspec.convert(text, date)
        return in_utc(msgspec.convert(text, _Instant))
    except ValueError:
        raise ValueError("deve ser uma data `AAAA-MM-DD` ou um instante RFC 3339") from None


def require_day(record: msgspec.Struct, *names: str) -> None:
    """Check these members of an imported row. Raises ValueError with the name of the first that is not a day."""
    for name in names:
        text = getattr(record, name)
        try:
            if text is not None:
                parse_day(text)
        except ValueError as fault:
            raise ValueError(f"O campo `{name}` {fault}.") from None


def format_day(text: str | None, zone: ZoneInfo) -> str | None:
    """Format a day as midnight in the city's zone, or an instant in UTC. Both results are in RFC 3339."""
    if text is None:
        return None
    if len(text) == _DAY_LENGTH:
        return _format_midnight(text, zone)
    return format_rfc3339(msgspec.convert(text, _Instant).astimezone(UTC))


@lru_cache(maxsize=4096)
def _format_midnight(day: str, zone: ZoneInfo) -> str:
    """Format a day. The cache helps because lists repeat the same few days."""
    return _find_midnight(msgspec.convert(day, date), zone).isoformat(timespec="seconds")


def _find_midnight(day: date, zone: ZoneInfo) -> datetime:
    """Return the first instant of the day, with an offset in whole minutes, as RFC 3339 requires.

    Before time zones existed, local time followed the sun, and offsets had odd seconds. They are rounded so that the
    result is still on that day in the zone, at most a minute after midnight.
    """
    local = datetime.combine(day, time(), zone)
    minutes = (local.utcoffset() or timedelta()) // timedelta(minutes=1)
    return local.replace(tzinfo=timezone(timedelta(minutes=minutes)))


def format_days(record: Any, names: tuple[str, ...], zone: ZoneInfo) -> Any:
    """Return a copy of the record with these members formatted by `format_day`."""
    changes: Mapping[str, Any] = {name: format_day(getattr(record, name), zone) for name in names}
    return msgspec.structs.replace(record, **changes)
