"""Counts notifications by month or quarter (rules: health_units 2.4)."""

from balcao.core.context.call import Call
from balcao.core.values.clock import utc_now
from balcao.health_units.counts import store
from balcao.health_units.counts.periods import choose_days, format_period
from balcao.health_units.counts.schemas import Count, Counts, CountsQuery, Periodo

_UNITS = {Periodo.MES: "month", Periodo.TRIMESTRE: "quarter"}


async def count_notifications(call: Call, query: CountsQuery) -> Counts:
    """Return the number of notifications opened in each period. Raises Unprocessable for an invalid range of days."""
    first, last = choose_days(query, utc_now().astimezone(call.zone).date())
    async with call.reader.connection() as connection:
        opened = await store.count_opened(
            connection, query, first, last, unit=_UNITS[query.periodo], zone=call.zone.key
        )
    return Counts(first, last, [Count(format_period(each.inicio, query.periodo), *each) for each in opened])
