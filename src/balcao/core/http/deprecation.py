"""Deprecated operations: callers are told a year before an operation is removed."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from email.utils import format_datetime

# The promise to portals: a deprecated operation works for at least this time.
NOTICE = timedelta(days=365)
_TEXT = {"type": "string"}
DESCRIBED_HEADERS = {
    "Deprecation": {"description": "Desde quando a operação é obsoleta (RFC 9745).", "schema": _TEXT},
    "Sunset": {"description": "Quando a operação deixa de existir (RFC 8594).", "schema": _TEXT},
}


@dataclass(frozen=True)
class Deprecation:
    """When an operation was deprecated, when it will be removed, and the path of the operation that replaces it.

    `replaced_by` is an absolute path on the gateway, or empty. Raises ValueError if the notice is too short.
    """

    since: date
    sunset: date
    replaced_by: str = ""

    def __post_init__(self) -> None:
        if self.sunset - self.since < NOTICE:
            raise ValueError(f"an operation is removed {NOTICE.days} days after its deprecation at the earliest")

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers of RFC 9745 (`Deprecation`), RFC 8594 (`Sunset`) and RFC 5829 (`successor-version`)."""
        since, sunset = (datetime.combine(day, time(), UTC) for day in (self.since, self.sunset))
        found = {"Deprecation": f"@{since.timestamp():.0f}", "Sunset": format_datetime(sunset, usegmt=True)}
        return found | ({"Link": f'<{self.replaced_by}>; rel="successor-version"'} if self.replaced_by else {})

    @property
    def members(self) -> dict[str, object]:
        """Return the members of the operation's API description. Tools that compare descriptions read `x-sunset`."""
        return {"deprecated": True, "x-sunset": self.sunset.isoformat()}

    @property
    def description(self) -> str:
        """Return the sentence for the API documentation."""
        successor = f" Use `{self.replaced_by}`." if self.replaced_by else ""
        return f"**Obsoleta** desde {self.since:%d/%m/%Y}: deixa de existir em {self.sunset:%d/%m/%Y}.{successor}"
