"""Groups accesses to a person's data by visit: one visitor's accesses for one reason, without a long pause.

Reads by a system are frequent and alike, so the accesses of one system on one day can count as one visit.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Generic, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

from balcao.web.person.client import Access

# A longer pause ends a visit. An attendance that is not used closes after the same time.
PAUSE = timedelta(minutes=15)
# The number of accesses on one page of a list, which is about ten visits. The service allows no larger pages.
SIZE = 100
A = TypeVar("A", bound=Access)
# The kinds of actors that access data automatically.
_AUTOMATIC = frozenset({"client", "worker"})


class AccessVisit(NamedTuple, Generic[A]):
    """The accesses during one visit, newest first."""

    accesses: list[A]

    @property
    def last(self) -> A:
        """Return the newest access. All accesses of a visit have the same visitor and reason."""
        return self.accesses[0]

    @property
    def begun_at(self) -> datetime:
        """Return when the visit started."""
        return self.accesses[-1].at

    @property
    def repeats(self) -> int:
        """Return the number of accesses if a system made several, and otherwise 0."""
        return len(self.accesses) if self.last.actor_kind in _AUTOMATIC and len(self.accesses) > 1 else 0


def group_by_visit(accesses: Sequence[A], zone: ZoneInfo | None = None) -> list[AccessVisit[A]]:
    """Group accesses by visit. The result is sorted like `accesses`, newest first. Concurrent visits stay separate.

    With a time zone, the accesses by one system on one day are one visit, whatever the pauses between them.
    """

    def is_same_day(visit: AccessVisit[A], access: A) -> bool:
        if zone is None or access.actor_kind not in _AUTOMATIC:
            return False
        return visit.begun_at.astimezone(zone).date() == access.at.astimezone(zone).date()

    visits: list[AccessVisit[A]] = []
    open_visits: dict[tuple[object, ...], AccessVisit[A]] = {}
    for access in accesses:
        visit = open_visits.get(access.visitor)
        if visit is not None and (visit.begun_at - access.at <= PAUSE or is_same_day(visit, access)):
            visit.accesses.append(access)
        else:
            open_visits[access.visitor] = AccessVisit([access])
            visits.append(open_visits[access.visitor])
    return visits
