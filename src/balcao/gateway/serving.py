"""Runs one process's ASGI application under Granian, on a listening socket that is inherited or shared.

Granian's own supervisor binds sockets and handles signals; ours (`balcao serve`) does both instead. So Granian's worker
is run here directly, in our event loop, as Granian's embedded server does. ADR 0004 says why Granian.
"""

import asyncio
import contextlib
import logging
import os
import resource
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from granian import _granian
from granian.http import HTTP1Settings

from balcao.core.logs import log
from balcao.gateway import listening
from balcao.gateway.http_rules import App, HttpRules

# Granian's own type stubs lag behind its compiled module.
_native: Any = _granian

# Of the open files, for the database, the CRM and the process itself.
_RESERVED_FILES = 256
_MOST_FILES = 65_536


class Limits(msgspec.Struct, frozen=True):
    """The limits of connections and requests of one process, as the settings have them.

    `head_seconds` also ends an idle connection.

    `settling_seconds` passes between the last accepted connection and the first one that is closed, so that a caller
    who has just connected still gets a response; `drain_seconds` is how long requests in flight may take to end.
    """

    connections: int = 4096
    head_bytes: int = 65_536
    head_seconds: float = 30.0
    body_seconds: float = 30.0
    settling_seconds: float = 0.2
    drain_seconds: float = 10.0


DEFAULTS = Limits()


@asynccontextmanager
async def running(
    application: App, sock: socket.socket, limits: Limits = DEFAULTS
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
    application: App,
    sock: socket.socket,
    stop: asyncio.Event,
    ready: Callable[[], None] = lambda: None,
    limits: Limits = DEFAULTS,
) -> None:
    """Serve on the socket until `stop` is set, and close it; `ready` is called once callers are answered.

    Raises StartFailed when the application cannot start.
    """
    logging.getLogger("_granian").setLevel(logging.WARNING)
    connections = min(limits.connections, raise_file_limit() - _RESERVED_FILES)
    # Both descriptors share one mode: Granian waits for connections with its own event loop.
    sock.setblocking(False)
    with sock:
        listening.accept_again(sock)
        async with _open_application(application):
            listening.accept_first(sock)
            rules = HttpRules(application, head_bytes=limits.head_bytes, body_seconds=limits.body_seconds)
            signalled, ended = _start(rules, sock, limits, connections)
            full = asyncio.create_task(listening.refuse_beyond(sock, connections))
            try:
                ready()
                await stop.wait()
                full.cancel()
                await listening.accept_no_more(sock, limits.settling_seconds)
            finally:
                full.cancel()
                rules.end_streams()
                signalled.set()
                sock.close()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(ended, limits.drain_seconds)


def _start(
    rules: HttpRules, sock: socket.socket, limits: Limits, connections: int
) -> tuple[_granian.WorkerSignal, "asyncio.Future[None]"]:
    """Start Granian's worker; the signal stops it, the future is done when the last connection has ended."""
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    signalled = _granian.WorkerSignal()
    signalled.add_cb(lambda: loop.call_soon_threadsafe(_resolve, ended))
    http1 = HTTP1Settings(header_read_timeout=int(limits.head_seconds * 1000), max_buffer_size=limits.head_bytes)
    # A descriptor of its own, as Granian closes it.
    holder = _native.SocketHolder(os.dup(sock.fileno()), False, listening.BACKLOG)
    worker = _native.ASGIWorker(
        worker_id=1,
        sock=(None, holder),
        ipc=None,
        threads=1,
        blocking_threads=1,
        py_threads=1,
        py_threads_idle_timeout=30,
        backpressure=connections,
        http_mode="1",
        http1_opts=http1,
        http2_opts=None,
        websockets_enabled=False,
        static_files=None,
        ssl_enabled=False,
        ssl_cert=None,
        ssl_key=None,
        ssl_key_password=None,
        ssl_protocol_min="tls1.3",
        ssl_ca=None,
        ssl_crl=[],
        ssl_client_verify=False,
        metrics=(None, None),
    )

    worker.serve_async(_Scheduler(loop, rules), loop, signalled)
    return signalled, ended


class _Scheduler(_granian.CallbackScheduler):
    """Hands each request from Granian's threads to the event loop, as a task.

    Granian's own scheduler makes the coroutine in its thread. A caller who leaves lets the server end before the task
    exists; the loop is closed by then, and the coroutine is never awaited. Here the loop makes it, or nobody does.
    """

    def __new__(cls, loop: asyncio.AbstractEventLoop, rules: HttpRules) -> "_Scheduler":
        new: Any = super().__new__
        # What it is given beside the loop, Granian uses only where it runs coroutines itself.
        scheduler: _Scheduler = new(cls, loop, rules, None, None, None)
        return scheduler

    def __init__(self, loop: asyncio.AbstractEventLoop, rules: HttpRules) -> None:
        super().__init__()
        context = self._ctx

        async def respond(request: Any) -> None:
            try:
                await rules(request.scope, request.proto.receive, request.proto.send)
            except BaseException as failure:
                request.err(failure)
            else:
                request.done()

        def begin(request: Any) -> None:
            request.taskref(loop.create_task(respond(request)))

        def schedule(request: Any) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits for the response
                loop.call_soon_threadsafe(begin, request, context=context)

        self._schedule_fn = schedule


def _resolve(ended: "asyncio.Future[None]") -> None:
    if not ended.done():
        ended.set_result(None)


class StartFailed(Exception):
    """The application refused to start; the text is its own."""


@asynccontextmanager
async def _open_application(application: App) -> AsyncIterator[None]:
    """Open the application by ASGI's lifespan protocol, and close it in the end."""
    inbox: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    outbox: asyncio.Queue[Any] = asyncio.Queue()
    lifespan: asyncio.Task[Any] = asyncio.ensure_future(application({"type": "lifespan"}, inbox.get, outbox.put))
    lifespan.add_done_callback(lambda _: outbox.put_nowait({"type": "ended"}))
    await inbox.put({"type": "lifespan.startup"})
    started = await outbox.get()
    if started["type"] == "lifespan.startup.failed":
        with contextlib.suppress(Exception):
            await lifespan
        raise StartFailed(started.get("message", ""))
    try:
        yield
    finally:
        await inbox.put({"type": "lifespan.shutdown"})
        with contextlib.suppress(Exception):
            await lifespan


def raise_file_limit() -> int:
    """Raise the soft limit of open files as far as the hard one allows, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        log.debug("server.files", limit=wanted)
        return wanted
    return wanted if soft == resource.RLIM_INFINITY else soft
