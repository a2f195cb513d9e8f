"""Days and instants as records hold them: `YYYY-MM-DD` or RFC 3339, shown with a time (rules: registry 1.1)."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import msgspec

from balcao.core.values.clock import rfc3339

_Instant = Annotated[datetime, msgspec.Meta(tz=True)]


def parse(text: str) -> date | datetime:
    """A day, or an instant in UTC. Raises ValueError for any other form and for days that are not in the calendar."""
    try:
        return msgspec.convert(text, date)
    except msgspec.ValidationError:
        pass
    try:
        return msgspec.convert(text, _Instant).astimezone(UTC)
    except (msgspec.ValidationError, OverflowError):
        raise ValueError("deve ser uma data `AAAA-MM-DD` ou um instante RFC 3339") from None


def require(record: msgspec.Struct, *names: str) -> None:
    """For lines of a load: raises ValueError naming the member that holds no day."""
    for name in names:
        text = getattr(record, name)
        try:
            if text is not None:
                parse(text)
        except ValueError as fault:
            raise ValueError(f"O campo `{name}` {fault}.") from None


def shown(text: str | None, zone: ZoneInfo) -> str | None:
    """A day as midnight in the city's zone, an instant in UTC."""
    if text is None:
        return None
    found = parse(text)
    return rfc3339(found) if isinstance(found, datetime) else _midnight(found, zone).isoformat(timespec="seconds")


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    """With an offset of whole minutes, as RFC 3339 wants it: before there were time zones, clocks went by the sun.

    Rounded so that seen in the zone it is still that day, at most a minute past midnight.
    """
    local = datetime.combine(day, time(), zone)
    minutes = (local.utcoffset() or timedelta()) // timedelta(minutes=1)
    return local.replace(tzinfo=timezone(timedelta(minutes=minutes)))


def with_times(record: Any, names: tuple[str, ...], zone: ZoneInfo) -> Any:
    """The record with these members shown."""
    changes: Mapping[str, Any] = {name: shown(getattr(record, name), zone) for name in names}
    return msgspec.structs.replace(record, **changes)
