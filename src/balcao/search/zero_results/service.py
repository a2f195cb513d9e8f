"""Which queries find nothing, without keeping what could be a person's (rules: search 5, query privacy)."""

import re

from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.search.tallies import Tally
from balcao.search.zero_results import store
from balcao.search.zero_results.schemas import FailedQueries, FailedQuery

KEPT_DAYS = 90
FEWEST_TIMES = 5
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[\s./-]+(?=\d)")
_PERSONAL = re.compile(r"\d{5}|@")


class ZeroResultTally(Tally):
    """The queries without results of this process since the last write."""


def may_be_kept(query: str) -> bool:
    """Return whether the query holds nothing like a number of a person or an e-mail address."""
    return _PERSONAL.search(_BETWEEN_DIGITS.sub("", query)) is None


def note(platform: Platform, query: str, folded: str) -> None:
    """Count a query that found nothing, if it may be kept."""
    if folded and may_be_kept(query):
        platform.part(ZeroResultTally).count(folded)


async def flush(platform: Platform) -> None:
    """Write down what was counted."""
    tally = platform.part(ZeroResultTally)
    taken = tally.take()
    if not taken:
        return
    try:
        async with platform.database.connection() as connection:
            await store.add_zero_results(connection, taken)
    except BaseException:
        tally.give_back(taken)
        raise


async def list_frequent(call: Call, page: int, per_page: int) -> FailedQueries:
    """Return a page of the queries that found nothing at least five times."""
    async with call.platform.database.connection() as connection:
        found, queries = await store.list_frequent_zero_results(
            connection, FEWEST_TIMES, per_page, (page - 1) * per_page
        )
    listed = [FailedQuery(each.query, each.times, each.last_day.isoformat()) for each in queries]
    return FailedQueries(found, found, page, per_page, listed)
