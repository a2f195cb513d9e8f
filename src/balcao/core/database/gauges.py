"""Metrics that are read from the database on every scrape."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from balcao.core.database.pool import Connection, Database
from balcao.core.errors import Unavailable


@dataclass(frozen=True)
class Gauge:
    """One metric. `read` runs one statement and returns a number for each label value. `text` is the help text."""

    name: str
    text: str
    labels: tuple[str, ...]
    read: Callable[[Connection], Awaitable[Mapping[tuple[str, ...], float]]]


async def collect_gauges(database: Database, gauges: Iterable[Gauge]) -> list[Metric]:
    """Return `balcao_database_up` and, unless the database is down, the metric families of the gauges."""
    up = GaugeMetricFamily("balcao_database_up", "Whether the database answered when the metrics were read")
    families: list[Metric] = [up]
    try:
        async with database.connection() as connection:
            for gauge in gauges:
                family = GaugeMetricFamily(gauge.name, gauge.text, labels=gauge.labels)
                for values, number in (await gauge.read(connection)).items():
                    family.add_metric(values, number)
                families.append(family)
    except Unavailable:
        up.add_metric([], 0)
        return [up]
    up.add_metric([], 1)
    return families
