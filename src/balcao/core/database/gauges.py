"""Numbers that only the database knows, read whenever somebody asks for the metrics."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from balcao.core.database.pool import Connection, Database
from balcao.core.errors import Unavailable


@dataclass(frozen=True)
class Gauge:
    """`read` returns the present values by those of `labels`, in one statement; `text` says what they are."""

    name: str
    text: str
    labels: tuple[str, ...]
    read: Callable[[Connection], Awaitable[Mapping[tuple[str, ...], float]]]


async def collect_gauges(database: Database, gauges: Iterable[Gauge]) -> list[Metric]:
    """Return the families of the gauges, and whether the database answered; without it only that."""
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
