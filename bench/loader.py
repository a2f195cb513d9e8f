"""The load, in a process of its own: keep-alive connections, each asking again as soon as it is answered.

Reads one order from standard input and writes one result to standard output, both MessagePack.
"""

import asyncio
import itertools
import re
import sys
import time
from collections.abc import Sequence
from typing import Any

import msgspec
import uvloop

# Where a request differs every time: six digits, counted up.
COUNTED = b"######"
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Order(msgspec.Struct, frozen=True):
    port: int
    connections: int
    seconds: float
    status: int
    requests: list[bytes]


class Result(msgspec.Struct, frozen=True):
    """Latencies in milliseconds; `wrong` counts answers with another status."""

    answers: int
    wrong: int
    seconds: float
    p50: float
    p99: float


class Round:
    """What the connections of one round share."""

    def __init__(self, order: Order) -> None:
        self.status = b"%d" % order.status
        self.latencies: list[float] = []
        self.wrong = 0
        self.ends_at = float("inf")
        self._requests = itertools.cycle(order.requests)
        self._count = itertools.count()

    def next_request(self) -> bytes:
        return next(self._requests).replace(COUNTED, b"%06d" % next(self._count))


class Connection(asyncio.Protocol):
    """`done` when the round is over and the last answer is here. Fails when the server closes."""

    def __init__(self, shared: Round) -> None:
        self._round = shared
        self._received = b""
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def ask(self) -> None:
        self._asked_at = time.perf_counter()
        self._transport.write(self._round.next_request())

    def data_received(self, data: bytes) -> None:
        self._received += data
        head = self._received.find(b"\r\n\r\n")
        if head < 0:
            return
        found = _LENGTH.search(self._received, 0, head)
        if len(self._received) < head + 4 + int(found[1] if found else 0):
            return
        self._answered()

    def _answered(self) -> None:
        now = time.perf_counter()
        self._round.latencies.append(now - self._asked_at)
        self._round.wrong += self._received[9:12] != self._round.status
        self._received = b""
        if now < self._round.ends_at:
            self.ask()
        else:
            self.done.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(exc or ConnectionResetError("the server closed"))


async def load(order: Order) -> Result:
    shared, loop = Round(order), asyncio.get_running_loop()
    made = [
        await loop.create_connection(lambda: Connection(shared), "127.0.0.1", order.port)
        for _ in range(order.connections)
    ]
    started = time.perf_counter()
    shared.ends_at = started + order.seconds
    for _, connection in made:
        connection.ask()
    await asyncio.gather(*(connection.done for _, connection in made))
    elapsed = time.perf_counter() - started
    for transport, _ in made:
        transport.close()
    latencies = sorted(shared.latencies)
    return Result(len(latencies), shared.wrong, elapsed, percentile(latencies, 50), percentile(latencies, 99))


def percentile(ordered: Sequence[float], percent: int) -> float:
    """Of seconds in ascending order, in milliseconds."""
    return 1000 * ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


if __name__ == "__main__":
    result = uvloop.run(load(msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Order)))
    sys.stdout.buffer.write(msgspec.msgpack.encode(result))
