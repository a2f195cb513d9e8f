"""Counting notifications by month or quarter (rules: health_units 2.4)."""

from balcao.core.context.call import Call
from balcao.core.values.clock import utc_now
from balcao.health_units.counts import store
from balcao.health_units.counts.periods import choose_days, format_period
from balcao.health_units.counts.schemas import ByColor, Count, Counts, CountsQuery


async def count_notifications(call: Call, query: CountsQuery) -> Counts:
    """Return how many notifications were opened in whole periods. Raises Unprocessable."""
    first, last = choose_days(query, utc_now().astimezone(call.zone).date())
    async with call.reader.connection() as connection:
        rows = await store.count(connection, query, first, last, call.zone)
    counts = [
        Count(
            periodo=format_period(row["inicio"], query.periodo),
            inicio=row["inicio"],
            area=row["area"],
            cnes=row["cnes"],
            nome=row["nome"],
            abertas=row["abertas"],
            por_cor=ByColor(row["verde"], row["amarelo"], row["laranja"], row["vermelho"]),
        )
        for row in rows
    ]
    return Counts(first, last, counts)
