"""The parameters `from` and `to` that limit a list: dates in the city's time zone or instants, both inclusive."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec

from balcao.core.errors import Invalid
from balcao.core.values.clock import in_utc

_Instant = Annotated[datetime, msgspec.Meta(tz=True)]
# The resolution of an instant: an inclusive upper bound ends this much later.
_SMALLEST = timedelta(microseconds=1)


@dataclass(frozen=True)
class Period:
    """The time from `start` up to but not including `end`. None means no bound."""

    start: datetime | None
    end: datetime | None


def parse_period(query: Mapping[str, str], zone: ZoneInfo) -> Period:
    """Parse both parameters, which are optional. Raises Invalid, with the parameter's name, if a bound is malformed."""
    start, end = query.get("from"), query.get("to")
    return Period(
        None if start is None else _parse_bound("from", start, zone, timedelta(0)),
        None if end is None else _parse_bound("to", end, zone, timedelta(days=1)),
    )


def parse_closed_period(query: Mapping[str, str], zone: ZoneInfo, longest: timedelta) -> Period:
    """Parse both parameters, which are required.

    Raises Invalid if a bound is missing or malformed, or if the period is empty, negative or longer than `longest`.
    """
    found = parse_period(query, zone)
    if found.start is None or found.end is None:
        name = "from" if found.start is None else "to"
        raise Invalid(f"O parâmetro `{name}` é obrigatório.", code=f"{name}-missing")
    if not timedelta(0) < found.end - found.start <= longest + _SMALLEST:
        text = f"Os parâmetros `from` e `to` devem formar um período de no máximo {longest.days} dias."
        raise Invalid(text, code="period-invalid")
    return found


def _parse_bound(name: str, text: str, zone: ZoneInfo, day: timedelta) -> datetime:
    """Return the instant of a bound.

    `day` is zero for the lower bound. For the upper bound it is one day, because the period includes the whole day or
    instant.
    """
    try:
        if len(text) == len("2026-01-31"):
            whole = msgspec.convert(text, date)
            found = datetime.combine(whole + day, time(), zone)
        else:
            found = msgspec.convert(text, _Instant) + (_SMALLEST if day else timedelta(0))
        if found.year >= 1970:
            return in_utc(found)
    except (ValueError, OverflowError):
        pass
    raise Invalid(
        f"O parâmetro `{name}` deve ser uma data (AAAA-MM-DD) ou uma data com hora e fuso (RFC 3339), "
        "em que `+` se escreve `%2B`.",
        code=f"{name}-invalid",
    )
