"""Counts queries without results and openings from results, without personal data (rules: search 5)."""

import re
from collections.abc import Sequence
from datetime import date

from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.search.tallies import Tally, TallyEntry
from balcao.search.zero_results import store
from balcao.search.zero_results.schemas import FailedQueries
from balcao.search.zero_results.store import QueryCount

KEPT_DAYS = 90
FEWEST_TIMES = 5
# The maximum number of different queries in one day. Above this number, new queries are not counted, so that a flood
# cannot fill the database.
MOST_QUERIES = 5_000
# The maximum number of different queries of each kind between two writes. The interval is ten seconds, so this is 200
# per second.
MOST_TALLIED = 2_000
# The limit of the column. Folding can make a query longer, because it replaces some characters with several.
LONGEST_FOLDED = 400
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[\s./-]+(?=\d)")
_PERSONAL = re.compile(r"\d{5}|@")


class QueryTallies:
    """Queries since the last write in this process: without results, with results, and followed by an opening."""

    def __init__(self) -> None:
        self.missed, self.answered, self.opened = (Tally(MOST_TALLIED) for _ in range(3))

    def take(self) -> list[QueryCount]:
        """Return the counts, sorted by the key of the table, and reset them."""
        counts: dict[tuple[date, str], list[int]] = {}
        for place, tally in enumerate((self.missed, self.answered, self.opened)):
            for day, folded, times in tally.take():
                counts.setdefault((day, folded), [0, 0, 0])[place] += times
        return [QueryCount(*key, *counts[key]) for key in sorted(counts)]

    def give_back(self, taken: Sequence[QueryCount]) -> None:
        """Add back the counts that could not be written."""
        self.missed.give_back([TallyEntry(each.day, each.folded, each.missed) for each in taken if each.missed])
        self.answered.give_back([TallyEntry(each.day, each.folded, each.answered) for each in taken if each.answered])
        self.opened.give_back([TallyEntry(each.day, each.folded, each.opened) for each in taken if each.opened])


def may_be_kept(query: str) -> bool:
    """Return whether the query contains neither `@` nor five digits in a row, which could identify a person."""
    return _PERSONAL.search(_BETWEEN_DIGITS.sub("", query)) is None


def _is_countable(query: str, folded: str) -> bool:
    return 0 < len(folded) <= LONGEST_FOLDED and may_be_kept(query)


def note_zero_result(platform: Platform, query: str, folded: str) -> None:
    """Count a query without results, if it may be stored."""
    if _is_countable(query, folded):
        platform.part(QueryTallies).missed.count(folded)


def note_answered(platform: Platform, query: str, folded: str) -> None:
    """Count a query with results, if it may be stored."""
    if _is_countable(query, folded):
        platform.part(QueryTallies).answered.count(folded)


def note_opening(platform: Platform, query: str, folded: str) -> None:
    """Count that a service was opened from search results, if the query may be stored."""
    if _is_countable(query, folded):
        platform.part(QueryTallies).opened.count(folded)


async def flush_zero_results(platform: Platform) -> None:
    """Write the counts to the database."""
    tallies = platform.part(QueryTallies)
    taken = tallies.take()
    if not taken:
        return
    try:
        async with platform.database.connection() as connection:
            await store.add_queries(connection, taken, MOST_QUERIES)
    except BaseException:
        tallies.give_back(taken)
        raise


async def list_frequent(call: Call, page: int, per_page: int) -> FailedQueries:
    """Return a page of the queries that found nothing at least five times and are still stored."""
    async with call.platform.database.connection() as connection:
        found, queries = await store.list_frequent_zero_results(
            connection, FEWEST_TIMES, per_page, (page - 1) * per_page
        )
    return FailedQueries(found, found, page, per_page, queries)
