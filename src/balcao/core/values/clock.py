"""Instants as they are written on the wire."""

from datetime import UTC, datetime, timezone
from zoneinfo import ZoneInfo


def utc_now() -> datetime:
    """Return the present instant."""
    return datetime.now(UTC)


def format_rfc3339(instant: datetime) -> str:
    """Return the instant in UTC with `Z`; a fraction only when there is one."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def format_rfc3339_offset(instant: datetime, zone: ZoneInfo | timezone = UTC) -> str:
    """Return the instant with the zone's offset and always six decimals."""
    return instant.astimezone(zone).isoformat(timespec="microseconds")


def format_rfc3339_seconds(instant: datetime, zone: ZoneInfo) -> str:
    """Return the instant with the zone's offset, in whole seconds."""
    return instant.astimezone(zone).isoformat(timespec="seconds")


def to_unix_seconds(instant: datetime | None) -> int:
    """Return whole seconds since 1970; 0 stands for "not set"."""
    return int(instant.timestamp()) if instant else 0
