"""Periods in the audit trail. A period that is too long for the API is split into parts."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from balcao.web.lists import read_day

LONGEST = timedelta(days=31)
# The page offers at most this many parts: about two years.
_MOST_PARTS = 24


class Period(NamedTuple):
    """A period of days, including the first and the last day."""

    since: date
    until: date

    @property
    def is_too_long(self) -> bool:
        """Return whether the period is too long for a single API call."""
        return self.until - self.since >= LONGEST

    def split(self) -> Sequence["Period"]:
        """Return the newest parts, newest first."""
        parts = list[Period]()
        until = self.until
        while until >= self.since and len(parts) < _MOST_PARTS:
            since = max(self.since, until - LONGEST + timedelta(days=1))
            parts.append(Period(since, until))
            until = since - timedelta(days=1)
        return parts


def read_period(since: str, until: str, today: date) -> Period:
    """Read a period from an address.

    A missing or invalid last day defaults to today, and a missing or invalid first day to 29 days before the last day.
    """
    last = read_day(until) or today
    first = read_day(since) or last - timedelta(days=29)
    return Period(min(first, last), max(first, last))
