"""Instants as they are written on the wire."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo


def utc_now() -> datetime:
    return datetime.now(UTC)


def rfc3339(instant: datetime) -> str:
    """UTC with `Z`; a fraction only when there is one."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def rfc3339_offset(instant: datetime, zone: ZoneInfo | timezone = UTC) -> str:
    """With the zone's offset, microseconds always shown."""
    return instant.astimezone(zone).isoformat(timespec="microseconds")


def rfc3339_seconds(instant: datetime, zone: ZoneInfo) -> str:
    """With the zone's offset, whole seconds."""
    return instant.astimezone(zone).isoformat(timespec="seconds")


def unix_seconds(instant: datetime | None) -> int:
    """Whole seconds since 1970; 0 stands for "not set"."""
    return int(instant.timestamp()) if instant else 0


def seconds(count: float) -> timedelta:
    return timedelta(seconds=count)
