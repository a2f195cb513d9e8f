"""Samples an installation's resources under load: memory, descriptors, connections and jobs."""

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import psutil

from bench.hosts import Installation
from bench.processes import list_family
from tests.support.owner_connection import Owner

_HELD = """
SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND datname = current_database())
           AS connections,
       (SELECT count(*) FROM queue.pgqueuer WHERE status <> 'failed' AND execute_after <= now()) AS jobs,
       (SELECT count(*) FROM queue.pgqueuer WHERE status = 'failed' AND id > $1) AS dead,
       pg_database_size(current_database()) / 1e6 AS megabytes
"""


@dataclass(frozen=True)
class Sample:
    """A sample.

    `memory` (megabytes) and `descriptors` list each process. All other values cover the whole installation.
    """

    second: float
    memory: Mapping[str, float]
    descriptors: Mapping[str, int]
    connections: int
    jobs: int
    dead: int
    database: float


@dataclass
class Watch:
    """Takes a sample every few seconds within a block. Jobs count only if their number is above `last_job`."""

    processes: Mapping[str, psutil.Process]
    owner: Owner
    last_job: int
    samples: list[Sample] = field(default_factory=list)

    @contextlib.contextmanager
    def running(self, every: float) -> Iterator[None]:
        stop, began = threading.Event(), time.monotonic()

        def look_again() -> None:
            while True:
                self.samples.append(self.look(time.monotonic() - began))
                if stop.wait(every):
                    return

        thread = threading.Thread(target=look_again, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def look(self, second: float = 0.0) -> Sample:
        """Take a sample. Raises psutil.NoSuchProcess if a process has ended unexpectedly."""
        (row,) = self.owner.run(_HELD, self.last_job)
        return Sample(
            second,
            {name: each.memory_info().rss / 1e6 for name, each in self.processes.items()},
            {name: each.num_fds() for name, each in self.processes.items()},
            row["connections"],
            row["jobs"],
            row["dead"],
            float(row["megabytes"]),
        )


def name_processes(installation: Installation) -> dict[str, psutil.Process]:
    """Return our processes, and those of Redis and the gateway, by host and role."""
    named: dict[str, psutil.Process] = {}
    for number, host in enumerate(installation.hosts, 1):
        named[f"host {number}, supervisor"] = host
        for child in sorted(host.children(), key=lambda each: each.create_time()):
            role = child.cmdline()[-1]
            known = sum(name.startswith(f"host {number}, {role}") for name in named)
            named[f"host {number}, {role} {known + 1}"] = child
    named["redis"] = installation.redis
    if installation.gateway is not None:
        working = installation.gateway.children()  # nginx's first process only supervises its workers
        named["gateway"] = working[0] if working else installation.gateway
    return named


def list_growth(samples: Sequence[Sample]) -> list[str]:
    """Describe each value that grew between the middle and the end by more than its normal variation."""
    third = max(1, len(samples) // 6)
    centre = len(samples) // 2
    middle, end = samples[centre - third // 2 : centre + third - third // 2], samples[-third:]
    found = []
    for name in samples[0].memory:
        was, now = (max(each.memory[name] for each in part) for part in (middle, end))
        if now > was * 1.05 + 5:
            found.append(f"{name}: {was:.0f} MB no meio, {now:.0f} MB no fim")
        before, after = (max(each.descriptors[name] for each in part) for part in (middle, end))
        if after > before + 16:
            found.append(f"{name}: {before} descritores no meio, {after} no fim")
    for what, least, value in (
        ("conexões do banco", 8, lambda each: each.connections),
        ("tarefas em fila", 500, lambda each: each.jobs),
    ):
        was, now = (max(map(value, part)) for part in (middle, end))
        if now > was * 1.2 + least:
            found.append(f"{what}: {was} no meio, {now} no fim")
    return found


def measure_cpu(installation: Installation, postmaster: psutil.Process) -> dict[str, float]:
    """Return the CPU seconds that each part of the installation has used so far."""
    roles: dict[str, float] = {}
    for name, process in name_processes(installation).items():
        role = name.split(", ")[-1].split(" ")[0]
        roles[role] = roles.get(role, 0.0) + _own_seconds(process)
    roles["postgres"] = sum(_own_seconds(each) for each in list_family(postmaster)) + _waited_seconds(postmaster)
    return roles


def _own_seconds(process: psutil.Process) -> float:
    with contextlib.suppress(psutil.NoSuchProcess):
        times = process.cpu_times()
        return float(times.user + times.system)
    return 0.0


def _waited_seconds(process: psutil.Process) -> float:
    """Return the CPU time of the process's ended children, for example of PostgreSQL's closed connections."""
    times = process.cpu_times()
    return float(times.children_user + times.children_system)
