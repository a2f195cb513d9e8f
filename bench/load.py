"""The interface to the load generator, a separate process that reads an order and writes a result."""

import os
import subprocess
from collections.abc import Sequence

import msgspec

from bench import cores

# A placeholder that the load generator replaces with a counter of six digits, so that each request differs.
COUNTED = b"######"


class Order(msgspec.Struct, frozen=True):
    """An order for the load generator.

    A response must contain the entry of `expected` that has the same index as its request.
    """

    port: int
    connections: int
    seconds: float
    status: int
    requests: Sequence[bytes]
    expected: Sequence[bytes]


class Result(msgspec.Struct, frozen=True):
    """The load generator's result, with latencies in milliseconds.

    `wrong` is the number of responses with an unexpected status or body, and `example` is one of these responses.
    """

    answers: int
    wrong: int
    example: str
    seconds: float
    p50: float
    p95: float
    p99: float


def run(command: Sequence[str], order: Order) -> tuple[Result, float]:
    """Run an order. Return the result and the load generator's own CPU seconds.

    Raises CalledProcessError if the load generator fails.
    """
    with cores.running_on(cores.OTHERS):
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    with process.stdin:
        process.stdin.write(msgspec.json.encode(order))
    with process.stdout:
        written = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command))
    return msgspec.json.decode(written, type=Result), used.ru_utime + used.ru_stime
