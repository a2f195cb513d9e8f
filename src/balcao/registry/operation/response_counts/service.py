"""The response counts of the last few hours, added up over all processes."""

from collections.abc import Mapping
from datetime import timedelta
from itertools import groupby

from balcao.core.context.call import Call
from balcao.core.live import response_counts
from balcao.core.live.response_counts import FIVE_MINUTES, ResponseCount, begin_five_minutes
from balcao.core.telemetry import BOUNDS
from balcao.core.values.clock import utc_now
from balcao.core.values.numbers import parse_whole_number
from balcao.registry.operation.response_counts.schemas import (
    MOST_HOURS,
    ResponseCountPoint,
    ResponseCounts,
    ServiceResponseCounts,
)


async def read_response_counts(call: Call, query: Mapping[str, str]) -> ResponseCounts:
    """Return each service's response counts for each period of five minutes. Raises Invalid if `hours` is not valid."""
    hours = parse_whole_number("hours", query.get("hours"), 1, MOST_HOURS, default=24)
    now = utc_now()
    since = begin_five_minutes(now - timedelta(hours=hours))
    async with call.platform.database.connection() as connection:
        counts = await response_counts.list_response_counts(connection, FIVE_MINUTES, since)
    data = [
        ServiceResponseCounts(service, [_describe(count) for count in of_service])
        for service, of_service in groupby(counts, lambda count: count.service)
    ]
    return ResponseCounts(since, now, [bound * 1000 for bound in BOUNDS], data)


def _describe(count: ResponseCount) -> ResponseCountPoint:
    return ResponseCountPoint(
        starts_at=count.starts_at,
        responses=count.responses,
        refusals=count.refusals,
        faults=count.faults,
        slow=count.slow,
        mean_ms=round(count.seconds / count.responses * 1000, 1),
        times=list(count.times),
    )
