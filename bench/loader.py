"""The load generator for machines without Go. It accepts the orders of `bench/go/load`, but uses more CPU."""

import asyncio
import itertools
import re
import sys
import time
from collections.abc import Sequence
from typing import Any

import msgspec
import uvloop

from bench.load import COUNTED, Order, Result

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Round:
    """The state that the connections of a round share."""

    def __init__(self, order: Order) -> None:
        self.status = b"%d" % order.status
        self.latencies: list[float] = []
        self.wrong = 0
        self.example = b""
        self.ends_at = float("inf")
        self._pairs = itertools.cycle(zip(order.requests, order.expected, strict=True))
        self._count = itertools.count()

    def next_request(self) -> tuple[bytes, bytes]:
        """Return the next request, and the bytes that its response must contain."""
        request, expected = next(self._pairs)
        return request.replace(COUNTED, b"%06d" % (next(self._count) % 1_000_000)), expected


class Connection(asyncio.Protocol):
    """A connection that sends one request after another to the server.

    `done` completes after the round, once the last response has arrived. It fails if the server closes the connection.
    """

    def __init__(self, shared: Round) -> None:
        self._round = shared
        self._received = b""
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def ask(self) -> None:
        request, self._expected = self._round.next_request()
        self._asked_at = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head = self._received.find(b"\r\n\r\n")
        if head < 0:
            return
        found = _LENGTH.search(self._received, 0, head + 2)
        if len(self._received) < head + 4 + int(found[1] if found else 0):
            return
        self._answered(head)

    def _answered(self, head: int) -> None:
        now = time.perf_counter()
        self._round.latencies.append(now - self._asked_at)
        if self._received[9:12] != self._round.status or self._received.find(self._expected, head) < 0:
            self._round.wrong += 1
            self._round.example = self._received[9:12] + b" " + self._received[head + 4 :][:200]
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
    return Result(
        len(latencies),
        shared.wrong,
        shared.example.decode(errors="replace"),
        elapsed,
        *(percentile(latencies, percent) for percent in (50, 95, 99)),
    )


def percentile(ordered: Sequence[float], percent: int) -> float:
    """Return a percentile in milliseconds. `ordered` are seconds in ascending order."""
    return 1000 * ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


if __name__ == "__main__":
    result = uvloop.run(load(msgspec.json.decode(sys.stdin.buffer.read(), type=Order)))
    sys.stdout.buffer.write(msgspec.json.encode(result))
