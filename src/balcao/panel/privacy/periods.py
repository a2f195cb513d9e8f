"""Days of the trail: a period as typed, and a long one in the parts that the API takes."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from balcao.web.lists import read_day

LONGEST = timedelta(days=31)


class Period(NamedTuple):
    """From one day to another, both in it."""

    since: date
    until: date

    @property
    def is_too_long(self) -> bool:
        """Return whether the API takes it only in parts."""
        return self.until - self.since >= LONGEST

    def split(self) -> Sequence["Period"]:
        """Return the parts, the newest first."""
        parts = []
        until = self.until
        while until >= self.since:
            since = max(self.since, until - LONGEST + timedelta(days=1))
            parts.append(Period(since, until))
            until = since - timedelta(days=1)
        return parts


def read_period(since: str, until: str, today: date) -> Period:
    """Return the period of an address; the last 30 days where it names none, or none that can be."""
    last = read_day(until) or today
    first = read_day(since) or last - timedelta(days=29)
    return Period(min(first, last), max(first, last))
