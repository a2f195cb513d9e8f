"""Serves one process's application on a listening socket that is inherited or shared: places, deadlines, the end."""

import asyncio
import contextlib
import resource
import socket
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from balcao.core.logs import log
from balcao.gateway import listening
from balcao.gateway.application import Served
from balcao.gateway.limits import Limits
from balcao.gateway.wire import Connection, Shared

# Of the open files, for the database, the CRM and the process itself.
_RESERVED_FILES = 256
_MOST_FILES = 65_536
# Those beyond the cap wait this long for a place, and as many at a time; the others are let go without a word.
_HELD_SECONDS, _MOST_HELD = 0.5, 256

DEFAULTS = Limits()


class StartFailed(Exception):
    """The application refused to start; the text is its own."""


@asynccontextmanager
async def running(
    application: Served, sock: socket.socket, limits: Limits = DEFAULTS
) -> AsyncIterator["asyncio.Task[None]"]:
    """Serve within the block, which is entered when callers are answered. Raises StartFailed."""
    stop, ready = asyncio.Event(), asyncio.Event()
    task = asyncio.create_task(serve(application, sock, stop, ready.set, limits))
    answering = asyncio.create_task(ready.wait())
    await asyncio.wait({task, answering}, return_when=asyncio.FIRST_COMPLETED)
    if not ready.is_set():
        answering.cancel()
        await task
    try:
        yield task
    finally:
        stop.set()
        await task


async def serve(
    application: Served,
    sock: socket.socket,
    stop: asyncio.Event,
    ready: Callable[[], None] = lambda: None,
    limits: Limits = DEFAULTS,
) -> None:
    """Serve on the socket until `stop` is set, and close it; `ready` is called once callers are answered.

    Raises StartFailed when the application cannot start.
    """
    places = min(limits.connections, raise_file_limit() - _RESERVED_FILES)
    sock.setblocking(False)
    with sock:
        listening.accept_again(sock)
        async with _open(application):
            listening.accept_first(sock)
            connections = _Connections(application, limits, places)
            server = await asyncio.get_running_loop().create_server(
                connections.accept, sock=sock, backlog=listening.BACKLOG
            )
            sweeping = asyncio.create_task(connections.sweep())
            try:
                ready()
                await stop.wait()
                await listening.accept_no_more(sock, limits.settling_seconds)
            finally:
                server.close()
                await connections.drain(limits.drain_seconds)
                sweeping.cancel()


@asynccontextmanager
async def _open(application: Served) -> AsyncIterator[None]:
    """Open the application. Raises StartFailed, with its own words."""
    async with contextlib.AsyncExitStack() as opened:
        try:
            await opened.enter_async_context(application.open())
        except Exception as failure:
            raise StartFailed(str(failure)) from failure
        yield


class _Connections:
    """The connections of a process; those beyond `places` are held for a moment, then refused."""

    def __init__(self, application: Served, limits: Limits, places: int) -> None:
        self._shared = Shared(application, limits, self._place, self._forget)
        self._limits = limits
        self._places = places
        self._open: set[Connection] = set()
        self._held: deque[tuple[float, Connection]] = deque()
        self._refused: set[Connection] = set()
        self._all_gone = asyncio.Event()

    def accept(self) -> asyncio.BaseProtocol:
        """Return the protocol of a new connection."""
        return Connection(self._shared)

    def _place(self, connection: Connection) -> None:
        if len(self._open) < self._places:
            self._open.add(connection)
        elif len(self._held) + len(self._refused) < _MOST_HELD:
            connection.hold()
            self._held.append((self._shared.loop.time() + _HELD_SECONDS, connection))
        else:
            self._refused.add(connection)
            connection.abort()

    def _forget(self, connection: Connection) -> None:
        self._refused.discard(connection)
        if connection not in self._open:
            self._held = deque(held for held in self._held if held[1] is not connection)
            return
        self._open.discard(connection)
        if self._held:
            _, next_one = self._held.popleft()
            self._open.add(next_one)
            next_one.admit()
        if not self._open:
            self._all_gone.set()

    async def sweep(self) -> None:
        """End what is over its time; run until cancelled."""
        seconds = min(1.0, self._limits.head_seconds / 4, self._limits.body_seconds / 4, _HELD_SECONDS / 2)
        while True:
            await asyncio.sleep(seconds)
            self._end_late_ones(self._shared.loop.time())

    def _end_late_ones(self, now: float) -> None:
        for connection in [each for each in (*self._open, *self._refused) if each.deadline < now]:
            connection.expire(now)
        if self._held and self._held[0][0] < now:
            log.warning("server.full", connections=self._places, waiting=len(self._held))
        while self._held and self._held[0][0] < now:
            _, connection = self._held.popleft()
            self._refused.add(connection)
            connection.turn_away()

    async def drain(self, seconds: float) -> None:
        """Let requests in flight end, for so long; whatever is left is cut off."""
        for _, connection in self._held:
            connection.abort()
        self._all_gone.clear()
        for connection in list(self._open):
            connection.drain()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._open:
                    self._all_gone.clear()
                    await self._all_gone.wait()
        for connection in (*self._open, *self._refused):
            connection.abort()


def raise_file_limit() -> int:
    """Raise the soft limit of open files as far as the hard one allows, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        log.debug("server.files", limit=wanted)
        return wanted
    return wanted if soft == resource.RLIM_INFINITY else soft
