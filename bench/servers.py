"""The two servers that are measured, each one process on a loopback port, and what it costs them to answer."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import httpx
import msgspec
import psutil

from balcao.cli.processes.channel import Order
from bench import loader
from bench.cases import Case
from bench.stage import Stage

CONNECTIONS = 32
PATIENCE_SECONDS = 60.0


class WrongAnswers(Exception):
    """Answers had another status than the case wants: what was measured is not what was meant."""


@dataclass(frozen=True)
class Figures:
    """One round: answers a second, latencies in milliseconds, CPU in microseconds an answer, memory in MB."""

    rate: float
    p50: float
    p99: float
    cpu: float
    memory: float


class Server:
    def __init__(self, name: str, port: int, process: "subprocess.Popen[bytes]") -> None:
        self.name = name
        self._port = port
        self._process = psutil.Process(process.pid)

    def measure(self, case: Case, seconds: float) -> Figures:
        """Raises WrongAnswers."""
        order = loader.Order(self._port, CONNECTIONS, seconds, case.status, case.requests)
        before = self._cpu_seconds()
        done = subprocess.run(
            [sys.executable, "-m", "bench.loader"],
            input=msgspec.msgpack.encode(order),
            stdout=subprocess.PIPE,
            check=True,
        )
        spent = self._cpu_seconds() - before
        result = msgspec.msgpack.decode(done.stdout, type=loader.Result)
        if result.wrong:
            raise WrongAnswers(f"{self.name}, {case.title}: {result.wrong} de {result.answers} respostas")
        memory = self._process.memory_info().rss / 1e6
        return Figures(result.answers / result.seconds, result.p50, result.p99, 1e6 * spent / result.answers, memory)

    def _cpu_seconds(self) -> float:
        times = self._process.cpu_times()
        return float(times.user + times.system)


@contextlib.contextmanager
def ours(stage: Stage) -> Iterator[Server]:
    """The process that `balcao serve` starts for the APIs: all seven services, as delivered; no worker."""
    with _listening() as listening:
        number, port = listening.fileno(), listening.getsockname()[1]
        with _process(stage, "balcao", ["balcao.cli.processes", "api"], [number]) as process:
            assert process.stdin
            assert process.stdout
            process.stdin.write(msgspec.json.encode(Order(stage.database_url, sockets={"api": number})) + b"\n")
            process.stdin.flush()
            next(line for line in process.stdout if line.strip())  # its report; empty lines are heartbeats
            yield Server("Balcão", port, process)


@contextlib.contextmanager
def yardstick(stage: Stage) -> Iterator[Server]:
    """uvicorn with the same loop and parser, writing its own line for each request as we write ours.

    It opens its port itself: it takes an inherited socket for a local one, and then leaves Nagle's algorithm on.
    """
    with _listening() as free:
        port = free.getsockname()[1]
    command = ["uvicorn", "bench.yardstick_fastapi:app", "--loop=uvloop", "--http=httptools", "--ws=none"]
    options = ["--no-proxy-headers", "--no-server-header", f"--port={port}"]
    with _process(stage, "yardstick", [*command, *options]) as process:
        _wait_for(process, f"http://127.0.0.1:{port}/agent/api/v1/auth")
        yield Server("FastAPI + SQLAlchemy", port, process)


def _listening() -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", 0))
    listening.listen(2048)
    return listening


@contextlib.contextmanager
def _process(
    stage: Stage, name: str, command: list[str], inherited: Sequence[int] = ()
) -> Iterator["subprocess.Popen[bytes]"]:
    """Its log goes to a file, as with any service manager."""
    with (stage.folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if inherited else log,
            stderr=log,
            pass_fds=inherited,
            env=_environment(stage),
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


def _environment(stage: Stage) -> dict[str, str]:
    """Nothing of the caller's own settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BALCAO_")}
    return kept | {
        "BALCAO_DATA_DIR": str(stage.folder),
        "BALCAO_DATABASE_URL": stage.database_url,
        "BALCAO_AUTH_ISSUER": stage.issuer,
        "BENCH_DATABASE_URL": stage.database_url,
        "BENCH_ISSUER": stage.issuer,
    }


def _wait_for(process: "subprocess.Popen[bytes]", address: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(httpx.TransportError):
            httpx.get(address)
            return
        time.sleep(0.05)
    raise RuntimeError("the yardstick did not start: see yardstick.log")
