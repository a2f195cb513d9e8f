"""Pure functions that derive the state of a service from counts, incidents and maintenance."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from balcao.core.live.response_counts import ResponseCount

DAYS = 90
# The share of good responses that a service must reach (docs/operate/monitoring.md), and the share below which a day is
# bad.
REQUIRED_SHARE, BAD = 0.999, 0.99
RECENT = timedelta(minutes=15)
# The shares of faults among recent responses from which a service is down (half of all responses) or degraded (the rate
# that uses up a month's error budget in two days).
DOWN_SHARE, DEGRADED_SHARE = 0.5, 0.0144
# Fewer faults than this are ignored, because with little traffic a few faults mean nothing.
LEAST_FAULTS = 5


class State(StrEnum):
    """The state of a service now, as the API returns it."""

    OPERATIONAL = "operational"
    DEGRADED = "degraded"
    DOWN = "down"
    MAINTENANCE = "maintenance"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Day:
    """A day of a service, and its share of good responses (None if there were no calls)."""

    day: date
    availability: float | None

    @property
    def mark(self) -> str:
        """The day's mark: `none`, `good`, `low` (below the required share) or `bad`."""
        if self.availability is None:
            return "none"
        return "good" if self.availability >= REQUIRED_SHARE else "low" if self.availability >= BAD else "bad"


def measure_share(counts: Iterable[ResponseCount]) -> float | None:
    """Return the share of good responses, or None without responses. A 4xx counts as a good response."""
    listed = list(counts)
    responses = sum(count.responses for count in listed)
    return None if responses == 0 else 1 - sum(count.faults for count in listed) / responses


def list_status_days(counts: Sequence[ResponseCount], today: date) -> list[Day]:
    """Return the last ninety days of one service, including today.

    The `starts_at` of each count is in the city's time zone.
    """
    by_day = {count.starts_at.date(): measure_share([count]) for count in counts}
    days = (today - timedelta(days=back) for back in reversed(range(DAYS)))
    return [Day(day, by_day.get(day)) for day in days]


def judge_service(counts: Sequence[ResponseCount], severities: Iterable[str], *, is_closed: bool) -> State:
    """Judge a service's state: maintenance, or else the worse of what open incidents and recent counts indicate."""
    if is_closed:
        return State.MAINTENANCE
    said = set(severities)
    if State.DOWN in said:
        return State.DOWN
    faults, share = sum(count.faults for count in counts), measure_share(counts)
    measured = State.OPERATIONAL
    if share is not None and faults >= LEAST_FAULTS:
        failing = 1 - share
        measured = State.DOWN if failing >= DOWN_SHARE else measured
        measured = State.DEGRADED if DEGRADED_SHARE <= failing < DOWN_SHARE else measured
    return State.DEGRADED if measured is State.OPERATIONAL and State.DEGRADED in said else measured


def is_recent(count: ResponseCount, now: datetime) -> bool:
    """Return whether this five-minute count is recent enough to determine the current state."""
    return count.starts_at > now - RECENT
