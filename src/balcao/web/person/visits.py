"""Groups accesses to a person's data by visit: one visitor's accesses for one reason, without a long pause."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Generic, NamedTuple, TypeVar

from balcao.web.person.client import Access

# A longer pause ends a visit. An attendance that is not used closes after the same time.
PAUSE = timedelta(minutes=15)
# The number of accesses on one page of a list, which is about ten visits. The service allows no larger pages.
SIZE = 100
A = TypeVar("A", bound=Access)


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


def group_by_visit(accesses: Sequence[A]) -> list[AccessVisit[A]]:
    """Group accesses by visit. The result is sorted like `accesses`, newest first. Concurrent visits stay separate."""
    visits: list[AccessVisit[A]] = []
    open_visits: dict[tuple[object, ...], AccessVisit[A]] = {}
    for access in accesses:
        visit = open_visits.get(access.visitor)
        if visit is not None and visit.begun_at - access.at <= PAUSE:
            visit.accesses.append(access)
        else:
            open_visits[access.visitor] = AccessVisit([access])
            visits.append(open_visits[access.visitor])
    return visits
