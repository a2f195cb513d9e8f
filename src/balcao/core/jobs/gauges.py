"""Metrics of the queue: the number of jobs that wait, run or are dead-lettered, and the age of the oldest due job."""

from collections import Counter
from collections.abc import Mapping

from balcao.core.database.gauges import Gauge
from balcao.core.database.pool import Connection
from balcao.core.jobs import queue


async def _count(connection: Connection) -> Mapping[tuple[str, ...], float]:
    found: Counter[tuple[str, ...]] = Counter()
    for kind, state, count in await queue.count_jobs(connection):
        found[kind, state] += count
    return found


async def _find_oldest(connection: Connection) -> Mapping[tuple[str, ...], float]:
    return {(kind,): seconds for kind, seconds in (await queue.find_oldest_due(connection)).items()}


GAUGES = (
    Gauge("balcao_jobs", "Jobs in the queue", ("kind", "state"), _count),
    Gauge("balcao_jobs_oldest_due_seconds", "How long the oldest job that is due has waited", ("kind",), _find_oldest),
)
