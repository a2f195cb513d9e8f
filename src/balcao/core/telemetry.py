"""Metrics for Prometheus: by service, operation and status; never by path, so no person can appear.

They are counted in plain lists and become series only when somebody asks for them.
"""

import functools
from bisect import bisect_left
from collections.abc import Iterator

from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, generate_latest
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)


class Meter:
    """Counts one operation's requests by status, and how long they took in seconds."""

    __slots__ = ("buckets", "method", "operation", "seconds", "service", "statuses")

    def __init__(self, service: str, operation: str, method: str) -> None:
        self.service = service
        self.operation = operation
        self.method = method
        self.statuses: dict[int, int] = {}
        self.seconds = 0.0
        self.buckets = [0] * (len(BOUNDS) + 1)

    def count(self, status: int, seconds: float) -> None:
        """Count one response."""
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self.seconds += seconds
        self.buckets[bisect_left(BOUNDS, seconds)] += 1


_meters: list[Meter] = []


@functools.cache
def meter(service: str, operation: str, method: str) -> Meter:
    """Return the meter of an operation, the same one every time."""
    made = Meter(service, operation, method)
    _meters.append(made)
    return made


class _Collector:
    def collect(self) -> Iterator[Metric]:
        requests = CounterMetricFamily(
            "balcao_requests", "Requests answered", labels=["service", "operation", "method", "status"]
        )
        times = HistogramMetricFamily("balcao_request_seconds", "Time to answer", labels=["service", "operation"])
        for each in _meters:
            if not each.statuses:
                continue
            for status, count in each.statuses.items():
                requests.add_metric([each.service, each.operation, each.method, str(status)], count)
            total, buckets = 0, []
            for bound, count in zip([*map(str, BOUNDS), "+Inf"], each.buckets, strict=True):
                total += count
                buckets.append((bound, total))
            times.add_metric([each.service, each.operation], buckets, each.seconds)
        yield requests
        yield times


REGISTRY.register(_Collector())


def exposition() -> tuple[bytes, str]:
    """Return the text that Prometheus reads, and its media type."""
    return generate_latest(), CONTENT_TYPE_LATEST.removesuffix("; charset=utf-8")
