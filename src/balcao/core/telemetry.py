"""Metrics for Prometheus: by service, operation and status; never by path, so no person can appear."""

import functools

from prometheus_client import CONTENT_TYPE_LATEST, Counter, Histogram, generate_latest

_requests = Counter("balcao_requests", "Requests answered", ["service", "operation", "method", "status"])
_seconds = Histogram(
    "balcao_request_seconds",
    "Time to answer",
    ["service", "operation"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)


@functools.cache
def _meters(service: str, operation: str, method: str, status: int) -> tuple[Counter, Histogram]:
    """As many as there are series."""
    return _requests.labels(service, operation, method, status), _seconds.labels(service, operation)


def observe(service: str, operation: str, method: str, status: int, seconds: float) -> None:
    counter, histogram = _meters(service, operation, method, status)
    counter.inc()
    histogram.observe(seconds)


def exposition() -> tuple[bytes, str]:
    """The text that Prometheus reads, and its media type."""
    return generate_latest(), CONTENT_TYPE_LATEST.removesuffix("; charset=utf-8")
