"""Runs an ASGI application with the real server, on a free loopback port, in a thread with its own event loop."""

import asyncio
import contextlib
import random
import socket
import threading
from collections.abc import Callable
from typing import Any, Self

import uvloop

from balcao.gateway.limits import Limits
from balcao.gateway.serving import serve_application
from tests.support.polling import PATIENCE

# A port for services that must not reach each other. No process listens on it.
NOWHERE = 9
# A limit on refused calls that no test reaches. Some tests make more such calls than any real caller.
UNLIMITED = "1000000/minute"
# No client of a test connects during a shutdown, so the server does not have to wait for clients.
LIMITS = Limits(settling_seconds=0, drain_seconds=5)


class RunningServer:
    """A running server, as a context manager. `url` is its address."""

    def __init__(self, app: Any, port: int | None = None, limits: Limits = LIMITS) -> None:
        self._app = app
        self._limits = limits
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port or 0))
        self.port = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._ready = threading.Event()
        self._failed = False
        self._loop = uvloop.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            try:
                runner.run(serve_application(self._app, self._socket, self._stop, self._ready.set, self._limits))
            except BaseException:
                self._failed = True
                raise
            finally:
                self._ready.set()

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(PATIENCE) or self._failed:
            raise RuntimeError("the server did not start")
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._thread.join(PATIENCE)

    def stop(self) -> None:
        """Start the shutdown, as SIGTERM would, but do not wait until it has finished."""
        self.call(self._stop.set)

    def call(self, function: Callable[[], object]) -> None:
        """Schedule a function in the server's event loop if the loop is still running. Do not wait for the result."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function)


_given: set[int] = set()


def free_port() -> int:
    """Return a free port. The next port is also free, because a sandbox's CRM uses it.

    The port is below the range that the kernel uses for outgoing connections, so no such connection can occupy it. No
    port is returned twice, because a program may request two ports before it listens on either.
    """
    while True:
        port = random.randrange(10_000, 30_000, 2)
        if port in _given:
            continue
        with socket.socket() as probe, socket.socket() as next_probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            next_probe.bind(("127.0.0.1", port + 1))
            _given.add(port)
            return port
