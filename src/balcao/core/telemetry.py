"""Metrics for Prometheus, by service, operation and status. They contain no paths, so no personal data can appear.

A request adds to plain lists and does nothing else. The lists become series when Prometheus requests the metrics
(`core.context.metrics`).
"""

import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from operator import add, sub
from typing import NamedTuple, TypeAlias

import msgspec
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.process_collector import ProcessCollector

MEDIA_TYPE = CONTENT_TYPE_LATEST.removesuffix("; charset=utf-8")
# The upper bounds of the histogram's buckets, in seconds.
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
_BUCKETS = (*(str(bound) for bound in BOUNDS), "+Inf")
# The first bucket for slow responses, which took over half a second.
_SLOW = BOUNDS.index(0.5) + 1
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_REQUESTS = "balcao_requests"
# When a process last published its numbers, which it does every second. If the time is old, the process is dead or its
# event loop is blocked.
BEAT = "balcao_process_beat_timestamp_seconds"

# The name of a metric and the values of its labels.
Series: TypeAlias = tuple[str, ...]


class Meter:
    """Counts the responses of one operation by status, and by duration."""

    __slots__ = ("buckets", "labels", "seconds", "statuses")

    def __init__(self, labels: tuple[str, str, str]) -> None:
        self.labels = labels
        self.statuses: dict[int, int] = {}
        self.seconds = 0.0
        self.buckets = [0] * len(_BUCKETS)

    def count(self, status: int, seconds: float) -> None:
        """Count one response."""
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self.seconds += seconds
        self.buckets[bisect_left(BOUNDS, seconds)] += 1

    def summarize(self) -> "ServiceNumbers":
        """Return the counts in the form in which a service's counts are stored."""
        refusals = sum(count for status, count in self.statuses.items() if 400 <= status < 500)
        faults = sum(count for status, count in self.statuses.items() if status >= 500)
        return ServiceNumbers(
            sum(self.buckets), refusals, faults, sum(self.buckets[_SLOW:]), self.seconds, tuple(self.buckets)
        )


class Counter:
    """A counter of events, with a count for each combination of label values."""

    def __init__(self, name: str, text: str, labels: tuple[str, ...]) -> None:
        self.name = name
        self.text = text
        self.labels = labels
        self.counts: dict[tuple[str, ...], int] = {} if labels else {(): 0}

    def inc(self, *values: str) -> None:
        """Count one event with these label values."""
        self.counts[values] = self.counts.get(values, 0) + 1


class ServiceNumbers(NamedTuple):
    """The responses of all operations of a service: `refusals` are 4xx, `faults` 5xx, `slow` took over half a second.

    `times` contains the number of responses in each bucket of the histogram.
    """

    responses: int = 0
    refusals: int = 0
    faults: int = 0
    slow: int = 0
    seconds: float = 0.0
    times: tuple[int, ...] = (0,) * len(_BUCKETS)

    def plus(self, other: "ServiceNumbers") -> "ServiceNumbers":
        """Return the sum of these counts and `other`."""
        return ServiceNumbers(
            self.responses + other.responses,
            self.refusals + other.refusals,
            self.faults + other.faults,
            self.slow + other.slow,
            self.seconds + other.seconds,
            tuple(map(add, self.times, other.times)),
        )

    def minus(self, other: "ServiceNumbers") -> "ServiceNumbers":
        """Return these counts minus `other`, which are earlier counts of the same service."""
        return ServiceNumbers(
            self.responses - other.responses,
            self.refusals - other.refusals,
            self.faults - other.faults,
            self.slow - other.slow,
            self.seconds - other.seconds,
            tuple(map(sub, self.times, other.times)),
        )


class Numbers(msgspec.Struct):
    """The counts of one or several processes.

    `times` contains, by service and operation, the sum of seconds and the counts of the buckets. `states` are labelled
    with the name of their process.
    """

    counts: dict[Series, int] = {}
    times: dict[tuple[str, str], tuple[float, list[int]]] = {}
    states: dict[Series, float] = {}


def sum_numbers(parts: Iterable[Numbers]) -> Numbers:
    """Add up the numbers of several processes."""
    found = Numbers({}, {}, {})
    for part in parts:
        found.states |= part.states
        for series, count in part.counts.items():
            found.counts[series] = found.counts.get(series, 0) + count
        for operation, (seconds, buckets) in part.times.items():
            before, counted = found.times.get(operation, (0.0, [0] * len(_BUCKETS)))
            found.times[operation] = (before + seconds, [a + b for a, b in zip(counted, buckets, strict=True)])
    return found


class Telemetry:
    """The counts of one process. `publish` writes them for other processes, if there are any."""

    def __init__(self) -> None:
        self.publish: Callable[[], None] | None = None
        self._meters: dict[tuple[str, str, str], Meter] = {}
        self._counters: dict[str, Counter] = {}
        self._process = ProcessCollector(registry=None)
        self._states: list[tuple[str, Callable[[], float]]] = []

    def meter(self, service: str, operation: str, method: str) -> Meter:
        """Return the operation's meter: one object for all calls. An unknown method is counted as `other`."""
        labels = (service, operation, method if method in _METHODS else "other")
        return self._meters.get(labels) or self._meters.setdefault(labels, Meter(labels))

    def counter(self, name: str, text: str, *labels: str) -> Counter:
        """Declare a counter. `name` is without the suffix `_total` of its series."""
        return self._counters.setdefault(name, Counter(name, text, labels))

    @contextmanager
    def state(self, name: str, read: Callable[[], float]) -> Iterator[None]:
        """Publish a state of this process while the block runs. Values of states with the same name are added up."""
        self._states.append((name, read))
        try:
            yield
        finally:
            self._states.remove((name, read))

    def numbers(self, process: str) -> Numbers:
        """Return the counts so far, and the states of this process (such as memory, CPU and files) with its name."""
        found = Numbers({}, {}, {})
        for (service, operation, method), meter in self._meters.items():
            for status, count in meter.statuses.items():
                found.counts[_REQUESTS, service, operation, method, str(status)] = count
        methods = (
            Numbers(times={labels[:2]: (meter.seconds, meter.buckets)})
            for labels, meter in self._meters.items()
            if meter.statuses
        )
        found.times = sum_numbers(methods).times
        for counter in self._counters.values():
            found.counts |= {(counter.name, *values): count for values, count in counter.counts.items()}
        samples = (sample for family in self._process.collect() for sample in family.samples)
        found.states = {(sample.name, process): sample.value for sample in samples}
        found.states[BEAT, process] = time.time()
        for name, read in self._states:
            found.states[name, process] = found.states.get((name, process), 0.0) + read()
        return found

    def by_service(self) -> dict[str, ServiceNumbers]:
        """Return the responses of this process so far, by service."""
        found: dict[str, ServiceNumbers] = {}
        for (service, _, _), meter in self._meters.items():
            if meter.statuses:
                found[service] = found.get(service, ServiceNumbers()).plus(meter.summarize())
        return found

    def exposition(self, numbers: Numbers, gauges: Iterable[Metric] = ()) -> bytes:
        """Return the metrics for Prometheus. `gauges` are families that do not come from the counts of processes."""
        return generate_latest(_Families(self._counters.values(), numbers, gauges))


class _Families:
    """The metric families of `numbers`, as a collector for `generate_latest` of prometheus_client."""

    def __init__(self, counters: Iterable[Counter], numbers: Numbers, gauges: Iterable[Metric]) -> None:
        self._counters = counters
        self._numbers = numbers
        self._gauges = gauges

    def collect(self) -> Iterator[Metric]:
        """Yield the families to the library's writer."""
        requests = Counter(_REQUESTS, "Requests answered", ("service", "operation", "method", "status"))
        for counter in (requests, *self._counters):
            family = CounterMetricFamily(counter.name, counter.text, labels=counter.labels)
            for series, count in self._numbers.counts.items():
                if series[0] == counter.name:
                    family.add_metric(series[1:], count)
            yield family
        yield self._collect_times()
        yield from self._collect_states()
        yield from self._gauges

    def _collect_times(self) -> Metric:
        family = HistogramMetricFamily("balcao_request_seconds", "Time to answer", labels=["service", "operation"])
        for operation, (seconds, buckets) in self._numbers.times.items():
            below, cumulative = 0, []
            for bound, count in zip(_BUCKETS, buckets, strict=True):
                below += count
                cumulative.append((bound, below))
            family.add_metric(operation, cumulative, seconds)
        return family

    def _collect_states(self) -> Iterator[Metric]:
        for name in sorted({series[0] for series in self._numbers.states}):
            kind = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
            family = kind(name.removesuffix("_total"), "Of each process", labels=["process"])
            for series, value in self._numbers.states.items():
                if series[0] == name:
                    family.add_metric(series[1:], value)
            yield family


# One instance for the whole process.
telemetry = Telemetry()
meter = telemetry.meter
counter = telemetry.counter
