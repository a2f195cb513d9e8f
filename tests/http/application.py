"""A small application that reports each request that reaches it."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx

from balcao.core.database.connection_quota import holder
from balcao.core.http.endpoint import Responding
from balcao.core.http.operations import MIB
from balcao.core.http.requests import Request
from balcao.core.http.responses import TEXT, RawHeaders, Response, stream_events
from balcao.core.telemetry import meter
from balcao.gateway.application import Identity

_WAITING = (b"/waits", b"/later")
_STATUS = {b"/none": 204, b"/unchanged": 304}
# One response object that all callers share, as they share a cached response.
_LARGE: Response[Any] = Response(b"x" * 8 * MIB, media_type=TEXT)


class Echo:
    """An application that returns `METHOD path?query length-of-body`. Some paths behave differently.

    - `/unread` accepts no body.
    - `/fails` and `/injects` raise an error.
    - `/waits` responds once `released` is set, or fails with `?fails`.
    - `/later` responds one iteration of the event loop later.
    - `/asyncio` waits in the way that its query names, and then responds.
    - `/large` sends more than fits in the buffers between the server and a client that does not read.
    - `/events` streams events forever.
    - `/asked` accepts a body of the size in its query. It decides one iteration of the event loop later.

    `seen` contains the requested paths. `holders` contains the holder of database connections in whose context each
    request to `/waits` began.
    """

    def __init__(self) -> None:
        self.seen: list[bytes] = []
        self.holders: list[str] = []
        self.arrived = threading.Event()
        self.released = threading.Event()
        self.ended = threading.Event()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        yield

    def find_caller(self, peer: str, _: RawHeaders) -> str:
        return peer

    def is_trusted(self, address: str) -> bool:
        return address == "127.0.0.1"

    def identify(self, request: Request) -> Identity:
        """Return the identity that the caller claims to have. The identity `new` has no limits."""
        said = request.headers.get(b"authorization", b"").decode()
        return Identity(said or request.peer, is_bounded=said != "new")

    def match(self, request: Request) -> "Endpoint":
        endpoint = Endpoint(self, 0 if request.path == b"/unread" else 16 * MIB, waits=request.path in _WAITING)
        endpoint.admit_body = _admit if request.path == b"/asked" else None
        return endpoint

    def show_unread(self, *_: object) -> None:
        return

    def further_headers(self, _endpoint: object, _request: Request) -> RawHeaders:
        return []

    def record(self, *_: object) -> None:
        return


class Endpoint:
    key, service, status, allow = "", "test", 200, None
    meter = meter("test", "echo", "GET")
    admit_body: Callable[[Request], Awaitable[int]] | None = None

    def __init__(self, echo: Echo, body_limit: int, *, waits: bool) -> None:
        self._echo = echo
        self.waits = waits
        self.body_limit = body_limit

    def respond(self, request: Request) -> Responding:
        self._echo.seen.append(request.path)
        if request.path == b"/fails":
            raise ValueError("the application failed")
        if request.path == b"/waits":
            return self._wait(request)
        if request.path == b"/asyncio":
            return _wait_by(request)
        if request.path == b"/later":
            return self._respond_later(request)
        if request.path == b"/events":
            return stream_events(_make_events())
        return _LARGE if request.path == b"/large" else _say(request)

    async def _wait(self, request: Request) -> Response[Any]:
        self._echo.holders.append(holder.get())
        holder.set(request.headers.get(b"authorization", b"?").decode())
        self._echo.arrived.set()
        await asyncio.to_thread(self._echo.released.wait, 60)
        self._echo.ended.set()
        if request.query_string == b"fails":
            raise ValueError("the application failed")
        return _say(request)

    async def _respond_later(self, request: Request) -> Response[Any]:
        await asyncio.sleep(0)
        return _say(request)


async def _wait_by(request: Request) -> Response[Any]:
    """Wait in the way that the query names.

    The handler first awaits a function of the standard library or an HTTP client.
    """
    form = request.query_string.decode()
    if form == "timeout":
        async with asyncio.timeout(10):
            await asyncio.sleep(0)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.01):
                await asyncio.sleep(10)
                form = "not interrupted"
    elif form == "wait_for":
        form = await asyncio.wait_for(asyncio.sleep(0, form), 10)
    elif form == "group":
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(asyncio.sleep(0, part)) for part in ("gr", "oup")]
        form = "".join(task.result() for task in tasks)
    elif form == "gather":
        form = "".join(await asyncio.gather(asyncio.sleep(0, "gat"), asyncio.to_thread(str, "her")))
    elif form == "client":
        async with httpx.AsyncClient() as client:
            answer = await client.get(f"http://{request.headers[b'host'].decode()}/later?client")
        form = answer.text.split()[1].removeprefix("/later?")
    return Response(form.encode(), media_type=TEXT)


async def _admit(request: Request) -> int:
    await asyncio.sleep(0)
    return int(request.query_string)


async def _make_events() -> AsyncGenerator[bytes, None]:
    while True:
        yield b"data: %b\n\n" % (b"x" * 1000)
        await asyncio.sleep(0)


def _say(request: Request) -> Response[Any]:
    if status := _STATUS.get(request.path):
        return Response(status=status)
    query = b"?" + request.query_string if request.query_string else b""
    seen = b"%s %s %d" % (request.method.encode(), request.path + query, len(request.content or b""))
    headers = {"Injected": "a\r\nb: c"} if request.path == b"/injects" else {}
    return Response(seen, headers=headers, media_type=TEXT)
