"""A network between programs. They do not notice it, and it can cut, hold, delay or lose their traffic.

Each wire is a loopback port that forwards to another address. The wires run in a separate process (`python -m`), so
that they take no processor time from the clients. Network namespaces would require root, and delay and loss would also
require a kernel module.
"""

import asyncio
import json
import random
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

import uvloop

from tests.support.server import free_port

CHUNK = 65_536
DELAY_SECONDS = 0.15
# The probability of a loss, and the seconds until the retransmission. TCP waits at least 0.2 seconds, and doubles the
# wait after each further loss.
LOSS = 0.15
RETRANSMISSION_SECONDS = 0.2
MODES = ("pass", "cut", "hold", "delay", "lose")


class Network:
    """A context manager for named wires to hosts and ports. If names share a prefix, the prefix selects all of them."""

    def __init__(self, targets: Mapping[str, tuple[str, int]]) -> None:
        self.ports = {name: free_port() for name in targets}
        self._targets = dict(targets)

    def __enter__(self) -> Self:
        plan = json.dumps([[name, self.ports[name], *target] for name, target in self._targets.items()])
        command = [sys.executable, "-m", __name__, plan]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        with self._process:  # the process's input is closed when the block ends
            pass

    def set(self, name: str, mode: str) -> None:
        """Set the mode (one of `MODES`) of the wires with this name or prefix."""
        assert self._process.stdin
        self._process.stdin.write(f"{name} {mode}\n")
        self._process.stdin.flush()
        self._wait()

    def _wait(self) -> None:
        assert self._process.stdout
        assert self._process.stdout.readline() == "done\n"


class Wire:
    """Accepts connections, and forwards data in both directions."""

    def __init__(self, host: str, port: int) -> None:
        self._target = host, port
        self._mode = "pass"
        self._passing = asyncio.Event()
        self._passing.set()
        self._open: set[asyncio.StreamWriter] = set()

    def set(self, mode: str) -> None:
        self._mode = mode
        (self._passing.clear if mode == "hold" else self._passing.set)()
        if mode == "cut":
            for writer in self._open:
                writer.transport.abort()

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward one connection until one side closes it."""
        if self._mode == "cut":
            writer.transport.abort()
            return
        await self._passing.wait()
        try:
            there, back = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, back}
        self._open |= ends
        await asyncio.gather(self._carry(reader, back), self._carry(there, writer))
        self._open -= ends

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward data in one direction until the data end or the receiving side is closed."""
        with suppress(OSError):
            while (data := await reader.read(CHUNK)) and not writer.is_closing():
                await self._travel()
                if writer.is_closing():  # the connection was closed during the delay
                    break
                writer.write(data)
                await writer.drain()
            await self._passing.wait()
        writer.close()

    async def _travel(self) -> None:
        await self._passing.wait()
        if self._mode == "delay":
            await asyncio.sleep(DELAY_SECONDS)
        wait = RETRANSMISSION_SECONDS
        while self._mode == "lose" and random.random() < LOSS:
            await asyncio.sleep(wait)
            wait *= 2


async def carry(plan: Iterable[tuple[str, int, str, int]]) -> None:
    """Open the wires, and execute the commands on standard input until it ends."""
    wires = {}
    for name, port, host, target in plan:
        wires[name] = Wire(host, target)
        await asyncio.start_server(wires[name].take, "127.0.0.1", port)
    _answer()
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while order := await orders.readline():
        wanted, _, mode = order.decode().strip().rpartition(" ")
        for name, wire in wires.items():
            if name.startswith(wanted):
                wire.set(mode)
        _answer()


def _answer() -> None:
    print("done", flush=True)


def main(words: Sequence[str]) -> None:
    uvloop.run(carry(json.loads(words[0])))


if __name__ == "__main__":
    main(sys.argv[1:])
