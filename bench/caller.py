"""The interface to `bench/go/mixed`, a process that reads an order and writes a result."""

import os
import subprocess
from collections.abc import Sequence

import msgspec

from bench.mix import Operation, Request

CONNECTIONS = 64


class Order(msgspec.Struct, frozen=True):
    """An order for the calling process.

    `rate` is in calls per second; 0 means as fast as possible. Each holder has one token for each time window.
    """

    address: str
    trust: str
    rate: float
    seconds: float
    token_seconds: float
    tokens: Sequence[Sequence[str]]
    operations: Sequence["Part"]
    streams: Sequence[Request] = ()
    connections: int = CONNECTIONS


class Part(msgspec.Struct, frozen=True):
    """An operation in the mix. `first` is the number of its requests that earlier orders have sent."""

    name: str
    weight: int
    first: int
    requests: Sequence[Request]


class Latencies(msgspec.Struct, frozen=True):
    """Latencies in milliseconds."""

    p50: float
    p95: float
    p99: float
    max: float


class Measured(msgspec.Struct, frozen=True):
    """The measured calls of one operation. Status "0" means a lost call."""

    name: str
    asked: int
    latencies: Latencies
    statuses: dict[str, int]
    examples: dict[str, str]


class Streams(msgspec.Struct, frozen=True):
    opened: int
    open: int
    ended: int
    events: int
    refused: str


class Result(msgspec.Struct, frozen=True):
    """The process's measurements. `late` is its delay in noticing arrivals, and `minutes` are p99s by minute."""

    seconds: float
    connections: int
    late: Latencies
    all: Latencies
    minutes: list[float]
    operations: list[Measured]
    streams: Streams

    @property
    def answers(self) -> int:
        return sum(each.asked for each in self.operations)


def list_parts(operations: Sequence[Operation], asked: dict[str, int]) -> list[Part]:
    """Return the mix for the next order. Each operation continues after the requests already sent.

    Raises RuntimeError if an operation has no more requests.
    """
    for each in operations:
        if each.once and asked.get(each.key, 0) >= len(each.requests):
            raise RuntimeError(f"{each.key}: todas as {len(each.requests)} chamadas já foram feitas")
    return [Part(each.key, each.weight, asked.get(each.key, 0), each.requests) for each in operations]


def run(program: str, order: Order) -> tuple[Result, float]:
    """Run an order. Return the result and the process's own CPU seconds.

    Raises CalledProcessError if the process fails.
    """
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    with process.stdin:
        process.stdin.write(msgspec.json.encode(order))
    with process.stdout:
        written = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, [program])
    return msgspec.json.decode(written, type=Result), used.ru_utime + used.ru_stime
