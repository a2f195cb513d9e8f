"""Checks that HTTP demands of a server and that Granian leaves to the application.

hyper reads the wire: request line, field syntax, framing, chunks, pipelining, `Expect`, HEAD. It does not look at
`Host`, knows no transfer coding but chunked, lets a body take any time, and reports a broken body as a lost client.
"""

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from balcao.core.logs import log

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

# Granian puts its own name where a response has no `Server` field, and has no way to leave it out.
SERVER = (b"server", b"balcao")
_HOST = re.compile(rb"[A-Za-z0-9._~!$&'()*+,;=%:\[\]-]+")
_WATCHED = frozenset({b"host", b"content-length", b"transfer-encoding", b"expect"})
_GONE: Message = {"type": "http.disconnect"}
# A caller that is still sending when it is refused reads the refusal only if somebody reads on for a while.
_DISCARD_SECONDS, DISCARD_BYTES = 2.0, 16 * 1024 * 1024


class BodyFault(Exception):
    """The body will not come whole: too slow (408), or cut off and malformed (400)."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class HttpRules:
    """Serves `application` and refuses by itself what it must not see; a refusal has no body and closes."""

    def __init__(self, application: App, *, head_bytes: int, body_seconds: float) -> None:
        self._application = application
        self._head_bytes = head_bytes
        self._body_seconds = body_seconds
        self._streams = _Streams()

    def end_streams(self) -> None:
        """Tell all who stream a response, now or from now on, that their caller is gone: the server stops."""
        self._streams.end()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one request."""
        fault, announced = judge(scope, self._head_bytes)
        exchange = _Exchange(receive, send, self._body_seconds, self._streams)
        if fault:
            await exchange.refuse(fault)
        else:
            try:
                await self._application(scope, exchange.receive, exchange.send)
            except BodyFault as broken:
                await exchange.refuse(broken.status)
                announced = False
            except Exception:
                log.exception("request.failed")
                await exchange.refuse(500)
        if announced and exchange.unread:
            await exchange.discard()


def judge(scope: Message, head_bytes: int) -> tuple[int, bool]:
    """Return the status that RFC 9110 and 9112 demand, 0 for a head that may be served; and whether a body comes."""
    size = len(scope["raw_path"]) + len(scope["query_string"])
    hosts, codings, length, expected = [], [], b"0", b""
    for name, value in scope["headers"]:
        size += len(name) + len(value) + 4
        if name in _WATCHED:
            if name == b"host":
                hosts.append(value)
            elif name == b"content-length":
                length = value
            elif name == b"expect":
                expected = value
            else:
                codings.append(value)
    # A client that sent `Expect` waits for our response before it sends the body.
    announced = (bool(codings) or length != b"0") and not expected
    if size > head_bytes:
        return 431, announced
    fault = _fault_of_target(scope) or _fault_of_host(scope, hosts) or _fault_of_codings(codings)
    if not fault and expected and expected.lower() != b"100-continue":
        fault = 417
    return fault, announced


def _fault_of_target(scope: Message) -> int:
    target: bytes = scope["raw_path"]
    if target.startswith(b"/") or (target == b"*" and scope["method"] == "OPTIONS"):
        return 0
    return 501 if scope["method"] == "CONNECT" else 400


def _fault_of_host(scope: Message, hosts: list[bytes]) -> int:
    """Granian puts an empty `Host` where there is none, which HTTP/1.0 allows."""
    if len(hosts) == 1 and (_HOST.fullmatch(hosts[0]) or (not hosts[0] and scope["http_version"] == "1")):
        return 0
    return 400


def _fault_of_codings(codings: list[bytes]) -> int:
    if not codings or (len(codings) == 1 and codings[0].strip().lower() == b"chunked"):
        return 0
    return 501 if len(codings) == 1 else 400


class _Streams:
    """Who waits for the end of a caller's connection while a response goes out in parts."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[Message]] = set()
        self._ended = False

    def end(self) -> None:
        self._ended = True
        for waiting in self._waiting:
            waiting.cancel()

    async def wait_for_end(self, receive: Receive) -> Message:
        """Return the server's word that the caller is gone, or the same word when the server stops."""
        if self._ended:
            return _GONE
        waiting = asyncio.ensure_future(receive())
        self._waiting.add(waiting)
        try:
            return await waiting
        except asyncio.CancelledError:
            if not self._ended:
                raise
            return _GONE
        finally:
            self._waiting.discard(waiting)
            waiting.cancel()


class _Exchange:
    """One request and its response, between the server and the application."""

    __slots__ = ("_deadline", "_receive", "_seconds", "_send", "_started", "_streams", "unread")

    def __init__(self, receive: Receive, send: Send, seconds: float, streams: "_Streams") -> None:
        self._receive = receive
        self._send = send
        self._seconds = seconds
        self._streams = streams
        self._deadline = 0.0
        self._started = False
        self.unread = True

    async def receive(self) -> Message:
        """Return the next part of the body. Raises BodyFault when it comes too late or not at all."""
        if not self.unread:
            return await self._streams.wait_for_end(self._receive)
        if not self._deadline:
            self._deadline = asyncio.get_running_loop().time() + self._seconds
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise BodyFault(408) from None
        if message["type"] == "http.disconnect":
            raise BodyFault(400)
        self.unread = message.get("more_body", False)
        return message

    def send(self, message: Message) -> Awaitable[None]:
        """Pass the message on; Granian takes it at once and raises RuntimeError for a field that cannot be sent."""
        starts = message["type"] == "http.response.start"
        if starts:
            message = {**message, "headers": [*message.get("headers", ()), SERVER]}
        sending = self._send(message)
        self._started |= starts
        return sending

    async def refuse(self, status: int) -> None:
        """Answer without a body, if nothing was answered yet."""
        if self._started:
            return
        headers = [(b"connection", b"close"), (b"content-length", b"0")]
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": b""})

    async def discard(self) -> None:
        """Read on for a moment what the application left unread, and throw it away."""
        read = 0
        # Granian cancels what waits for a body whose connection is gone.
        with contextlib.suppress(TimeoutError, asyncio.CancelledError):
            async with asyncio.timeout(_DISCARD_SECONDS):
                while read < DISCARD_BYTES:
                    message = await self._receive()
                    read += len(message.get("body", b""))
                    if not message.get("more_body", False):
                        return
