"""Read the clock, and convert instants to their wire format."""

from datetime import UTC, datetime, timezone
from zoneinfo import ZoneInfo

# The accepted instants. Inside these bounds, an instant has a year from 1 to 9999 in every time zone.
EARLIEST, LATEST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)


def in_utc(instant: datetime) -> datetime:
    """Return the instant in UTC. Raises ValueError if it is not between EARLIEST and LATEST."""
    try:
        found = instant.astimezone(UTC)
    except OverflowError:
        found = None
    if found is None or not EARLIEST <= found <= LATEST:
        raise ValueError("deve ser um instante entre os anos 1 e 9999")
    return found


def utc_now() -> datetime:
    """Return the current instant."""
    return datetime.now(UTC)


def format_rfc3339(instant: datetime) -> str:
    """Return the instant in UTC with `Z`. The fraction is written only if it is not zero."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def format_rfc3339_offset(instant: datetime, zone: ZoneInfo | timezone = UTC) -> str:
    """Return the instant with the zone's offset and always six decimals."""
    return instant.astimezone(zone).isoformat(timespec="microseconds")


def format_rfc3339_seconds(instant: datetime, zone: ZoneInfo) -> str:
    """Return the instant with the zone's offset, in whole seconds."""
    return instant.astimezone(zone).isoformat(timespec="seconds")


def to_unix_seconds(instant: datetime | None) -> int:
    """Return the whole seconds since 1970. 0 represents "not set"."""
    return int(instant.timestamp()) if instant else 0
