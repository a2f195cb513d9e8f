"""The measured servers, each on a loopback port, and what a response costs them.

Our server is started with its public command, so any checkout can be measured.
"""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from bench import cores, load
from bench.cases import Case
from bench.go_programs import Programs
from bench.processes import cpu_seconds, list_family
from bench.rounds import Figures
from bench.stage import OURS, Checkout, Stage

# The names of all services. `serve` starts neither a worker nor the embedded parts if services are named.
SERVICES = ("registry", "employability", "search", "access", "health_units", "agents", "agent_docs")
READY = "/agent/readiness"
PATIENCE_SECONDS = 60.0


class WrongAnswers(Exception):
    """Raised if a response differs from the expected status or body. The measurement is then not valid."""


@dataclass(frozen=True)
class Server:
    """A running server. It supports the cases in `keys`, or all cases if `keys` is None."""

    name: str
    port: int
    process: psutil.Process
    postmaster: psutil.Process
    load: Sequence[str]
    keys: frozenset[str] | None = None

    def takes(self, case: Case) -> bool:
        """Return whether the server supports the case."""
        return self.keys is None or case.key in self.keys

    def measure(self, case: Case, seconds: float) -> Figures:
        """Measure the case. Raises WrongAnswers if a response is not the expected one."""
        order = load.Order(self.port, case.connections, seconds, case.status, case.requests, case.expected)
        own, database = list_family(self.process), list_family(self.postmaster)
        before, database_before = cpu_seconds(own), cpu_seconds(database)
        result, load_seconds = load.run(self.load, order)
        spent, database_spent = cpu_seconds(own) - before, cpu_seconds(database) - database_before
        if result.wrong:
            raise WrongAnswers(f"{self.name}, {case.key}: {result.wrong} de {result.answers}: {result.example}")
        return Figures(
            result.answers / result.seconds,
            result.p50,
            result.p99,
            1e6 * spent / result.answers,
            1e6 * database_spent / result.answers,
            1e6 * load_seconds / result.answers,
            sum(each.memory_info().rss for each in own) / 1e6,
        )


@contextlib.contextmanager
def balcao(
    stage: Stage,
    programs: Programs,
    name: str,
    database_url: str,
    checkout: Checkout,
    processes: int = 1,
    **settings: str,
) -> Iterator[Server]:
    """Run all seven services with `balcao serve` in one process on one core, with these additional settings."""
    command = checkout.command("serve", *SERVICES)
    if checkout.takes_processes:
        command += ["--processes", str(processes)]
    port = free_port()
    environment = checkout.environment(stage.folder / f"{port}", database_url, stage.issuer) | settings
    with running_command(
        stage.folder, name, command, environment | {"BALCAO_PORT": str(port)}, port, processes
    ) as process:
        yield Server(name, port, process, stage.postmaster, programs.load)


@contextlib.contextmanager
def serving(
    checkout: Checkout,
    folder: Path,
    database_url: str,
    service: str,
    prefix: str,
    issuer: str = "",
    ready: str = "readiness",
    **settings: str,
) -> Iterator[tuple[int, psutil.Process]]:
    """Run one service with `balcao serve` on any core, and wait until its health check `ready` passes.

    Yield its port and process. `settings` are environment variables.
    """
    port = free_port()
    environment = checkout.environment(folder / f"{port}", database_url, issuer) | settings
    environment["BALCAO_PORT"] = str(port)
    command = checkout.command("serve", service)
    with running_command(folder, service, command, environment, port, len(cores.ALL), f"{prefix}/{ready}") as process:
        yield port, process


@contextlib.contextmanager
def yardstick(stage: Stage, programs: Programs, name: str, threads: int = 1) -> Iterator[Server]:
    """Run the Go program with the same operations, with one thread per core."""
    assert programs.yardstick
    port = free_port()
    environment = {
        **os.environ,
        "BENCH_DATABASE_URL": stage.database_url,
        "BENCH_ISSUER": stage.issuer,
        "BENCH_PORT": str(port),
        "GOMAXPROCS": str(threads),
    }
    with running_command(stage.folder, name, [programs.yardstick], environment, port, threads) as process:
        yield Server(name, port, process, stage.postmaster, programs.load)


@contextlib.contextmanager
def framework(
    stage: Stage, programs: Programs, name: str, program: str, keys: frozenset[str], **settings: str
) -> Iterator[Server]:
    """Run a program of `bench/framework`, which has some of the operations, with these additional settings."""
    port = free_port()
    environment = OURS.environment(stage.folder / f"{port}", stage.database_url, stage.issuer) | settings
    environment |= {"BALCAO_PORT": str(port), "PYTHONPATH": f"{OURS.root}{os.pathsep}{OURS.root / 'src'}"}
    command = [OURS.python, "-P", "-m", f"bench.framework.{program}"]
    with running_command(stage.folder, name, command, environment, port, 1) as process:
        yield Server(name, port, process, stage.postmaster, programs.load, keys)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextlib.contextmanager
def running_command(
    folder: Path,
    name: str,
    command: Sequence[str],
    environment: Mapping[str, str],
    port: int,
    count: int = len(cores.ALL),
    ready: str = READY,
) -> Iterator[psutil.Process]:
    """Run a command on `count` cores during the block, and wait until it is ready. The command's log goes to a file."""
    path = folder / f"{port}.log"
    with path.open("wb") as log, cores.running_on(cores.ALL[:count]):
        # A separate session, because Linux divides a busy core evenly among sessions.
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True
        )
    try:
        _wait_for(process, port, name, path, ready)
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def _wait_for(process: "subprocess.Popen[bytes]", port: int, name: str, log: Path, ready: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"http://127.0.0.1:{port}{ready}", timeout=PATIENCE_SECONDS).is_success:
                return
        time.sleep(0.05)
    print(log.read_text(errors="replace")[-2000:], file=sys.stderr)
    raise RuntimeError(f"{name} não iniciou")
