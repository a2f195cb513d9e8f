"""Read the metrics of the running installation, and compute its current state from two readings."""

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import httpx
import msgspec
from prometheus_client.parser import text_string_to_metric_families

from balcao.core.telemetry import BEAT
from balcao.operate.faults import OperatorFault
from balcao.settings import Settings

SILENT_SECONDS = 5.0
TIMEOUT_SECONDS = 5.0
Labels: TypeAlias = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Reading:
    """The time series from all addresses by name and labels, and when they were read, on a monotonic clock."""

    at: float
    series: Mapping[str, Mapping[Labels, float]] = field(default_factory=dict)

    @classmethod
    def parse(cls, texts: Iterable[str], at: float) -> "Reading":
        """Merge the metrics from several addresses.

        Series that come from the database are the same at every address.
        """
        series: dict[str, dict[Labels, float]] = defaultdict(dict)
        for text in texts:
            for family in text_string_to_metric_families(text):
                for sample in family.samples:
                    series[sample.name][frozenset(sample.labels.items())] = sample.value
        return cls(at, series)

    def by(self, name: str, label: str) -> dict[str, float]:
        """Return the sums of a time series, grouped by this label."""
        return {value: number for (value,), number in self.by_all(name, label).items()}

    def by_all(self, name: str, *labels: str) -> dict[tuple[str, ...], float]:
        """Return the sums of a time series, grouped by these labels."""
        found: dict[tuple[str, ...], float] = defaultdict(float)
        for key, number in self.series.get(name, {}).items():
            known = dict(key)
            found[tuple(known.get(label, "") for label in labels)] += number
        return found


class MetricsSource:
    """The addresses of this installation's metrics.

    `silent` are the addresses that did not respond to the most recent read.
    """

    def __init__(self, settings: Settings) -> None:
        self.addresses = settings.metrics_urls
        self.silent: list[str] = []
        token = settings.metrics_token.get_secret_value()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.http = httpx.Client(timeout=TIMEOUT_SECONDS, headers=headers)

    def read(self) -> Reading:
        """Read the metrics from all addresses.

        Raises OperatorFault if none responds, or if a response has no Balcão metrics.
        """
        texts, self.silent = [], []
        for address in self.addresses:
            try:
                response = self.http.get(address)
            except (httpx.HTTPError, httpx.InvalidURL):
                self.silent.append(address)
                continue
            texts.append(_require_metrics(address, response))
        if not texts:
            raise OperatorFault(
                f"Nada responde em {' nem em '.join(self.addresses)}: `balcao serve` inicia, ou confira BALCAO_PORT e "
                "BALCAO_MANAGEMENT_PORT."
            )
        return Reading.parse(texts, time.monotonic())


def _require_metrics(address: str, response: httpx.Response) -> str:
    """Parse the metrics in a response. Raises OperatorFault if it contains no metrics of Balcão."""
    if response.status_code == httpx.codes.UNAUTHORIZED:
        raise OperatorFault(f"{address} pede outro BALCAO_METRICS_TOKEN: use o da instalação que está no ar.")
    if not response.is_success or "balcao_process_beat" not in response.text:
        raise OperatorFault(
            f"{address} não mostra métricas do Balcão: confira a porta, ou defina BALCAO_MANAGEMENT_PORT e reinicie."
        )
    return response.text


class Traffic(msgspec.Struct, frozen=True):
    """The traffic of a service.

    `error_share` is the share of 5xx responses. Without responses, share and times are None.
    """

    service: str
    requests_per_second: float
    error_share: float | None
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None


class ProcessState(msgspec.Struct, frozen=True):
    """The state of a process. `beats` is False if it has ended or is frozen. `cpu` is the share of one core."""

    name: str
    beats: bool
    cpu: float
    memory_bytes: float
    connections_in_use: float
    connections_limit: float
    requests_waiting: float


class Queue(msgspec.Struct, frozen=True):
    """The jobs of a kind, and how long the oldest due job has waited."""

    kind: str
    queued: int
    running: int
    dead: int
    oldest_due_seconds: float


class Picture(msgspec.Struct, frozen=True):
    """The state of the installation, measured over `seconds`. `silent` are addresses that do not respond.

    `crm_lag_seconds` is the lag by kind of waiting item. `migration` is the progress of a running schema migration in
    per cent, by phase. `maintenance` are the services in maintenance.
    """

    seconds: float
    database_up: bool
    services: list[Traffic]
    processes: list[ProcessState]
    queues: list[Queue]
    dead_jobs: int
    oldest_due_seconds: float
    crm_lag_seconds: dict[str, float]
    migration: dict[str, float]
    maintenance: list[str]
    silent: list[str]


def compare_readings(earlier: Reading, later: Reading, silent: Iterable[str] = ()) -> Picture:
    """Compute the state of the installation between two readings."""
    seconds = later.at - earlier.at
    queues = _list_queues(later)
    return Picture(
        seconds=round(seconds, 2),
        database_up=min(later.by_all("balcao_database_up").values(), default=0.0) > 0,
        services=_list_traffic(earlier, later, seconds),
        processes=_list_processes(earlier, later, seconds),
        queues=queues,
        dead_jobs=sum(queue.dead for queue in queues),
        oldest_due_seconds=max((queue.oldest_due_seconds for queue in queues), default=0.0),
        crm_lag_seconds=later.by("balcao_crm_oldest_seconds", "what"),
        migration=later.by("balcao_search_migration_progress", "phase"),
        maintenance=sorted(name for name, closed in later.by("balcao_maintenance", "service").items() if closed),
        silent=list(silent),
    )


def _subtract(earlier: Reading, later: Reading, name: str, *labels: str) -> dict[tuple[str, ...], float]:
    """Return the increase of each counter. After a restart of a process, its counters start from zero."""
    before = earlier.by_all(name, *labels)
    rises = {key: (number, number - before.get(key, 0.0)) for key, number in later.by_all(name, *labels).items()}
    return {key: rise if rise >= 0 else number for key, (number, rise) in rises.items()}


def _list_traffic(earlier: Reading, later: Reading, seconds: float) -> list[Traffic]:
    answers: dict[str, float] = defaultdict(float)
    errors: dict[str, float] = defaultdict(float)
    for (service, status), count in _subtract(earlier, later, "balcao_requests_total", "service", "status").items():
        answers[service] += count
        errors[service] += count if status.startswith("5") else 0.0
    buckets: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for (service, bound), count in _subtract(earlier, later, "balcao_request_seconds_bucket", "service", "le").items():
        buckets[service].append((float(bound), count))
    traffic = []
    for service, count in sorted(answers.items()):
        share = errors[service] / count if count else None
        p50, p95, p99 = (_estimate_ms(sorted(buckets[service]), share_below) for share_below in (0.5, 0.95, 0.99))
        traffic.append(Traffic(service, round(count / seconds, 2), share, p50, p95, p99))
    return traffic


def _estimate_ms(buckets: list[tuple[float, float]], share: float) -> float | None:
    """Estimate, as Prometheus does, the time within which this share of the responses was sent, or return None.

    Each bucket is an upper bound in seconds and the number of responses within it. The last bound is infinite. The
    result is None if there are no responses.
    """
    if not buckets or not buckets[-1][1]:
        return None
    wanted = share * buckets[-1][1]
    lower, below = 0.0, 0.0
    for bound, count in buckets:
        if count >= wanted:
            within = 0.0 if bound == float("inf") else (bound - lower) * (wanted - below) / (count - below)
            return round((lower + within) * 1000, 1)
        lower, below = bound, count
    return None


def _list_processes(earlier: Reading, later: Reading, seconds: float) -> list[ProcessState]:
    beats = later.by(BEAT, "process")
    newest = max(beats.values(), default=0.0)  # compare the beats with the processes' clock, not with ours
    cpu = _subtract(earlier, later, "process_cpu_seconds_total", "process")

    def read(name: str) -> dict[str, float]:
        return later.by(name, "process")

    memory, in_use = read("process_resident_memory_bytes"), read("balcao_database_connections_in_use")
    limit, waiting = read("balcao_database_connections_limit"), read("balcao_database_requests_waiting")
    return [
        ProcessState(
            name,
            newest - beat <= SILENT_SECONDS,
            round(cpu.get((name,), 0.0) / seconds, 3),
            memory.get(name, 0.0),
            in_use.get(name, 0.0),
            limit.get(name, 0.0),
            waiting.get(name, 0.0),
        )
        for name, beat in sorted(beats.items())
    ]


def _list_queues(reading: Reading) -> list[Queue]:
    jobs = reading.by_all("balcao_jobs", "kind", "state")
    oldest = reading.by("balcao_jobs_oldest_due_seconds", "kind")

    def count(kind: str, state: str) -> int:
        return int(jobs.get((kind, state), 0))

    return [
        Queue(kind, count(kind, "queued"), count(kind, "running"), count(kind, "dead"), oldest.get(kind, 0.0))
        for kind in sorted({kind for kind, _ in jobs})
    ]
