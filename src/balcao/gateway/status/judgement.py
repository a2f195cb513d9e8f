"""How a service stands, by what is known of it: pure rules over counts, incidents and maintenance."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from balcao.core.live.response_counts import ResponseCount

DAYS = 90
# The share of good answers that a service owes (docs/operate/monitoring.md), and the one below which a day was bad.
OWED, BAD = 0.999, 0.99
RECENT = timedelta(minutes=15)
# Shares of the last minutes: half of the answers are faults; the budget of a month burns in two days.
DOWN_SHARE, DEGRADED_SHARE = 0.5, 0.0144
# Fewer than these say nothing about a service that is hardly called.
LEAST_FAULTS = 5


class State(StrEnum):
    """How a service stands now, on the wire."""

    OPERATIONAL = "operational"
    DEGRADED = "degraded"
    DOWN = "down"
    MAINTENANCE = "maintenance"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Day:
    """A day of a service: the share of good answers, None where nobody called."""

    day: date
    availability: float | None

    @property
    def mark(self) -> str:
        """Return how the day is shown: `none`, `good`, `low` (less than is owed) or `bad`."""
        if self.availability is None:
            return "none"
        return "good" if self.availability >= OWED else "low" if self.availability >= BAD else "bad"


def measure_share(counts: Iterable[ResponseCount]) -> float | None:
    """Return the share of good answers, None where there was none; a 4xx is a good answer."""
    listed = list(counts)
    responses = sum(count.responses for count in listed)
    return None if responses == 0 else 1 - sum(count.faults for count in listed) / responses


def list_days(counts: Sequence[ResponseCount], today: date) -> list[Day]:
    """Return the ninety days until today of a service whose days these are; `starts_at` are in the city's zone."""
    by_day = {count.starts_at.date(): measure_share([count]) for count in counts}
    days = (today - timedelta(days=back) for back in reversed(range(DAYS)))
    return [Day(day, by_day.get(day)) for day in days]


def judge(counts: Sequence[ResponseCount], severities: Iterable[str], *, is_closed: bool) -> State:
    """Return how a service stands: what operators say goes before what was counted in the last minutes."""
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
    """Return whether the five minutes belong to those that are judged."""
    return count.starts_at > now - RECENT
