"""Serve a process's application on an inherited or shared listening socket, with limits, deadlines and shutdown."""

import asyncio
import contextlib
import resource
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from balcao.core.logs import log
from balcao.core.repeating import repeating
from balcao.gateway import listening
from balcao.gateway.application import Served
from balcao.gateway.limits import Limits
from balcao.gateway.quotas import Quota
from balcao.gateway.shared import Shared
from balcao.gateway.wire import Connection

# The number of open files that are reserved for the database, the CRM and the process itself.
_RESERVED_FILES = 256
_MOST_FILES = 65_536
# A connection beyond its quota waits at most `_HELD_SECONDS` for a slot. At most `_MOST_HELD` connections wait. Further
# connections are closed without a response.
_HELD_SECONDS, _MOST_HELD = 0.5, 256

DEFAULTS = Limits()


class StartFailed(Exception):
    """The application refused to start. The message comes from the application."""


@asynccontextmanager
async def run_server(
    application: Served, sock: socket.socket, limits: Limits = DEFAULTS
) -> AsyncIterator["asyncio.Task[None]"]:
    """Serve while the block runs. The block starts when the server accepts calls.

    Raises StartFailed if the application cannot start.
    """
    stop, ready = asyncio.Event(), asyncio.Event()
    task = asyncio.create_task(serve_application(application, sock, stop, ready.set, limits))
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


async def serve_application(
    application: Served,
    sock: socket.socket,
    stop: asyncio.Event,
    ready: Callable[[], None] = lambda: None,
    limits: Limits = DEFAULTS,
) -> None:
    """Serve on the socket until `stop` is set, then close it.

    `ready` is called as soon as the server accepts calls. Raises StartFailed if the application cannot start.
    """
    slots = min(limits.connections, raise_file_limit() - _RESERVED_FILES)
    sock.setblocking(False)
    with sock:
        listening.accept_again(sock)
        async with _open(application):
            listening.accept_first(sock)
            connections = _Connections(application, limits, slots)
            server = await asyncio.get_running_loop().create_server(
                connections.accept, sock=sock, backlog=listening.BACKLOG
            )
            async with repeating(connections.sweep, connections.sweep_seconds):
                try:
                    ready()
                    await stop.wait()
                    await listening.accept_no_more(sock, limits.settling_seconds)
                finally:
                    server.close()
                    await connections.drain(limits.drain_seconds)


@asynccontextmanager
async def _open(application: Served) -> AsyncIterator[None]:
    """Open the application. Raises StartFailed, with the application's message, if that fails."""
    async with contextlib.AsyncExitStack() as opened:
        try:
            await opened.enter_async_context(application.open())
        except Exception as failure:
            raise StartFailed(str(failure)) from failure
        yield


class _Connections:
    """The connections of one server.

    If all `slots` or the quota of its address are used, a connection waits briefly and is then refused. If too many
    connections wait already, it is closed immediately.
    """

    def __init__(self, application: Served, limits: Limits, slots: int) -> None:
        is_trusted = application.is_trusted
        self._bodies = Quota(limits.body_bytes, is_trusted)
        self._shared = Shared(application, limits, self._bodies, self._admit_or_hold, self._forget)
        self._limits = limits
        self._slots = Quota(slots, is_trusted, limits.address_connections)
        # An address with too many connections must not occupy all waiting slots either.
        self._waiting = Quota(_MOST_HELD, is_trusted)
        self._open: set[Connection] = set()
        self._held: dict[Connection, float] = {}
        self._refused: set[Connection] = set()
        self._all_gone = asyncio.Event()

    def accept(self) -> asyncio.BaseProtocol:
        """Return the protocol object for a new connection."""
        return Connection(self._shared)

    def _admit_or_hold(self, connection: Connection) -> None:
        if self._slots.reserve(connection.address, 1):
            self._open.add(connection)
        elif self._waiting.reserve(connection.address, 1):
            connection.hold()
            self._held[connection] = self._shared.loop.time() + _HELD_SECONDS
        else:
            connection.abort()

    def _forget(self, connection: Connection) -> None:
        if connection in self._open:
            self._open.discard(connection)
            self._slots.release(connection.address, 1)
            self._admit_next()
            if not self._open:
                self._all_gone.set()
        elif self._held.pop(connection, None) or connection in self._refused:
            self._refused.discard(connection)
            self._waiting.release(connection.address, 1)

    def _admit_next(self) -> None:
        """Admit the connection that has waited longest, among those whose address may have another connection."""
        for connection in self._held:
            if self._slots.reserve(connection.address, 1):
                del self._held[connection]
                self._waiting.release(connection.address, 1)
                self._open.add(connection)
                connection.admit()
                return

    @property
    def sweep_seconds(self) -> float:
        """The interval between two sweeps."""
        return min(1.0, self._limits.head_seconds / 4, self._limits.body_seconds / 4, _HELD_SECONDS / 2)

    async def sweep(self) -> None:
        """Expire each connection whose deadline has passed."""
        now = self._shared.loop.time()
        for connection in [each for each in (*self._open, *self._refused) if each.deadline < now]:
            connection.expire(now)
        late = [connection for connection, end in self._held.items() if end < now]
        if late:
            log.warning("server.full", connections=len(self._open), refused=len(late), waiting=len(self._held))
        for connection in late:
            del self._held[connection]
            self._refused.add(connection)
            connection.refuse_over_limit()
        if refused := self._bodies.count_refused():
            log.warning("server.bodies_refused", refused=refused, bytes=self._bodies.held)

    async def drain(self, seconds: float) -> None:
        """Let requests in flight finish for `seconds`, then abort the remaining connections."""
        for connection in self._held:
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
    """Raise the soft limit on open files as far as the hard limit allows, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        log.debug("server.files", limit=wanted)
        return wanted
    return wanted if soft == resource.RLIM_INFINITY else soft
