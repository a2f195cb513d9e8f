"""HTTP/1.1 on the event loop: one connection, from its bytes to the application and back.

llhttp (`httptools`) parses: request line, fields, framing and chunks, strictly. What it leaves to a server is here: the
order of pipelined responses, `Expect`, offers of other protocols, deadlines, backpressure, and how a connection ends;
`head_rules` judges a head. Where the application waits for nothing, the response goes out within the call that parsed
the request. ADR 0013 says why this is ours.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from http import HTTPStatus
from typing import Any

import httptools
import msgspec

from balcao.core.http.endpoint import Endpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import RawHeaders, Response
from balcao.core.logs import log, request_id
from balcao.gateway.application import Served, fixed_headers
from balcao.gateway.head_rules import DISCARD_BYTES, Refused, judge

_NEVER = float("inf")
_MOST_FIELDS = 100
# Requests that wait for their turn on one connection. llhttp does not stop between two requests, so that what was
# received is parsed in slices; those of the last slice come on top.
_MOST_WAITING, _SLICE = 16, 4096
# Sizes, extensions and trailers of chunks, beside what the body itself may bring: no honest body consists of them.
_MOST_FRAMING = 8_192
# A caller that is still sending when it is refused reads the refusal only if somebody reads on for a while.
_DISCARD_SECONDS = 2.0
# How long a caller who takes nothing of a response is waited for.
_UNREAD_SECONDS = 30.0

_WITHOUT_BODY = frozenset({204, 304})
_STATUS_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus}
_SERVER = b"server: balcao\r\n"
_CLOSE = b"connection: close\r\n"
_KEEP_ALIVE = b"connection: keep-alive\r\n"
_CHUNKED = b"transfer-encoding: chunked\r\n"
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


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


class Exchange:
    """One request and what answers it; `keep` says whether the connection goes on, `is_old` that it is HTTP/1.0."""

    __slots__ = ("endpoint", "is_old", "keep", "request")

    def __init__(self, endpoint: Endpoint, request: Request, *, keep: bool, is_old: bool) -> None:
        self.endpoint = endpoint
        self.request = request
        self.keep = keep
        self.is_old = is_old


class Shared:
    """What all connections of one server share; `made` and `ended` are called with each that comes, and goes."""

    def __init__(
        self,
        application: Served,
        limits: Limits,
        made: Callable[["Connection"], None],
        ended: Callable[["Connection"], None],
    ) -> None:
        self.application = application
        self.limits = limits
        self.made = made
        self.ended = ended
        self.loop = asyncio.get_running_loop()
        # Every read goes here: it is parsed before the next one.
        self.buffer = memoryview(bytearray(limits.head_bytes))


class Connection(asyncio.BufferedProtocol):
    """One connection; all methods belong to the event loop, the `on_...` ones are called by llhttp.

    What is received and what is answered are two sides: requests wait in `_turns` until all before them are answered. A
    refusal of the wire's own waits there as its status, and nothing is read after it.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._application = shared.application
        self._limits = shared.limits
        # Received.
        self._target = b""
        self._fields: RawHeaders = []
        self._in_head = False
        self._head_size = 0
        self._reading: Exchange | None = None
        self._body: list[bytes] = []
        self._body_size = 0
        self._raw_size = 0
        self._wants_continue = False
        self._is_discarding = False
        self._unparsed = b""
        self._frame = b""
        self._is_input_over = False
        # Answered.
        self._turns: deque[Exchange | int] = deque()
        self._is_busy = False
        self._task: asyncio.Task[None] | None = None
        self._stream: asyncio.Task[None] | None = None
        self._unblocked: asyncio.Future[None] | None = None
        self._unsent = 0
        # Ended.
        self._is_draining = False
        self._is_lingering = False
        self._is_gone = False
        self.deadline = _NEVER

    # ---- what the transport calls -----------------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        """Begin."""
        self._transport = transport
        self._write = transport.write
        peer = transport.get_extra_info("peername")
        self._peer = str(peer[0]) if isinstance(peer, tuple) else ""
        self._start_parser()
        self._set_deadline(self._limits.head_seconds)
        self._shared.made(self)

    def connection_lost(self, _: Exception | None) -> None:
        """Let go: a stream ends, any other request is worked off, as it may change what its caller counts on."""
        self._is_gone = True
        self.deadline = _NEVER
        self._turns.clear()
        self._end_stream()
        self.resume_writing()
        del self._parser, self._feed
        self._shared.ended(self)

    def get_buffer(self, _: int) -> memoryview:
        """Return where the next piece goes."""
        return self._shared.buffer

    def buffer_updated(self, size: int) -> None:
        """Parse what was received, and answer what is whole."""
        if not self._is_input_over:
            self._parse(self._shared.buffer[:size])
        elif self._is_lingering:
            self._raw_size += size
            if self._raw_size > DISCARD_BYTES:
                self._transport.abort()

    def eof_received(self) -> bool:
        """End what the caller sends; return whether there is something left to answer."""
        if self._is_lingering or self._stream is not None:
            return False
        if self._reading is not None and not self._is_discarding:
            self._refuse(400)
        self._is_input_over = True
        return self._is_busy or bool(self._turns) or self._is_lingering

    def pause_writing(self) -> None:
        """Begin nothing more: the caller does not read what was answered."""
        self._unblocked = self._shared.loop.create_future()
        self._set_deadline(_UNREAD_SECONDS)

    def resume_writing(self) -> None:
        """Go on."""
        unblocked, self._unblocked = self._unblocked, None
        if unblocked is None:
            return
        if not unblocked.done():
            unblocked.set_result(None)
        if self._is_busy:
            self.deadline = _NEVER
        self._go_on()

    # ---- deadlines and the end --------------------------------------------------------------------------------------

    def expire(self, now: float) -> None:
        """Do what is due, as the deadline has passed."""
        unsent = self._transport.get_write_buffer_size()
        if unsent and unsent != self._unsent:  # a slow reader is no absent one
            self._unsent = unsent
            self.deadline = now + _UNREAD_SECONDS
        elif unsent or self._is_lingering:
            self._transport.abort()
        elif self._reading is not None and not self._is_discarding:
            self._refuse(408)
        else:
            self._close()

    def drain(self) -> None:
        """Close as soon as what is in flight is answered; a stream ends now: its reader comes back elsewhere."""
        self._is_draining = True
        self._end_stream()
        if not self._in_head and self._reading is None and not self._is_lingering:
            self._settle()

    def abort(self) -> None:
        """Close at once."""
        self._transport.abort()

    def hold(self) -> None:
        """Read nothing for now."""
        self._transport.pause_reading()
        self.deadline = _NEVER

    def admit(self) -> None:
        """Begin to read."""
        self._set_deadline(self._limits.head_seconds)
        self._transport.resume_reading()

    def turn_away(self) -> None:
        """Answer 503, as there is no place for the connection."""
        self._write_refusal(503, b"retry-after: 1\r\n")

    def _set_deadline(self, seconds: float) -> None:
        self.deadline = self._shared.loop.time() + seconds

    def _close(self) -> None:
        self._is_input_over = True
        self._transport.close()
        self._set_deadline(_UNREAD_SECONDS)

    def _linger(self) -> None:
        """End what we send, and read on for a while: closing now could reset what the caller has not read yet."""
        self._is_lingering = self._is_input_over = True
        self._raw_size = 0
        self._set_deadline(_DISCARD_SECONDS)
        with suppress(OSError):
            self._transport.write_eof()
        self._transport.resume_reading()

    # ---- what is received -------------------------------------------------------------------------------------------

    def _start_parser(self) -> None:
        self._parser = httptools.HttpRequestParser(self)
        self._feed = self._parser.feed_data

    def _parse(self, received: memoryview) -> None:
        """Parse slice by slice, and keep what there are too many requests before."""
        place = 0
        try:
            while place < len(received) and not self._is_input_over:
                if len(self._turns) >= _MOST_WAITING or (self._unblocked is not None and self._turns):
                    self._unparsed = bytes(received[place:])
                    self._transport.pause_reading()
                    return
                place += self._parse_slice(received[place : place + _SLICE])
        except Refused as refused:
            self._refuse(refused.status)
        except httptools.HttpParserCallbackError as failure:
            refusal = failure.__context__
            if not isinstance(refusal, Refused):
                log.error("request.failed", exc_info=refusal)
            self._refuse(refusal.status if isinstance(refusal, Refused) else 500)
        except httptools.HttpParserError:
            self._refuse(400)

    def _parse_slice(self, piece: memoryview) -> int:
        """Return how much was parsed. Raises HttpParserError; Refused for a head or the frame of a body too large."""
        was_in_head, size = self._in_head, len(piece)
        try:
            self._feed(piece)
        except httptools.HttpParserUpgrade as offer:
            # No offer of another protocol is taken up: what follows is the body, or the next request.
            size = offer.args[0]
            self._start_parser()
            if self._frame:
                self._feed(self._frame)
        if self._in_head:
            # llhttp hands a field over when it is whole. Where the head began within the piece, what stands before it
            # is not counted: its exact size is looked at in the end.
            self._head_size += size if was_in_head else 0
            if self._head_size > self._limits.head_bytes:
                raise Refused(431)
        elif self._reading is not None:
            self._raw_size += size
            if self._raw_size > _MOST_FRAMING + 16 * self._body_size:
                raise Refused(400)
        return size

    def on_message_begin(self) -> None:
        """Begin a request."""
        if self._frame:
            return
        self._target, self._fields = b"", []
        self._in_head, self._head_size = True, 0
        if not self._is_busy:
            self._set_deadline(self._limits.head_seconds)

    def on_url(self, part: bytes) -> None:
        """Take the target, or a piece of it."""
        if self._frame:
            return
        self._target += part
        if len(self._target) > self._limits.head_bytes:
            raise Refused(414)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a field; those of a trailer say nothing that anybody here asks for."""
        if self._in_head:
            if len(self._fields) == _MOST_FIELDS:
                raise Refused(431)
            self._fields.append((name.lower(), value.rstrip(b" \t")))

    def on_headers_complete(self) -> None:
        """Judge the head, find what answers, and take in its body."""
        if self._frame:
            self._frame = b""
            return
        self._in_head = False
        parser, fields = self._parser, self._fields
        method, version = parser.get_method().decode(), parser.get_http_version()
        path, query, has_body = judge(method, self._target, version, fields, self._limits.head_bytes)
        request = self._application.build_request(method, path, query, fields, self._peer)
        endpoint = self._application.match(request)
        self._reading = Exchange(endpoint, request, keep=parser.should_keep_alive(), is_old=version == "1.0")
        if not has_body:
            return
        self._body, self._body_size, self._raw_size = [], 0, 0
        if parser.should_upgrade():
            self._frame = _frame_again(request.headers.get(b"content-length"))
        if not self._is_busy:
            self._set_deadline(self._limits.body_seconds)
        self._wants_continue = b"expect" in request.headers and version == "1.1"
        if int(request.headers.get(b"content-length", b"0")) > endpoint.body_limit:
            self._answer_early()
        else:
            self._say_continue()

    def on_body(self, part: bytes) -> None:
        """Take a piece of the body; one beyond the limit is answered at once, and not kept."""
        assert self._reading is not None
        self._wants_continue = False
        self._body_size += len(part)
        if self._is_discarding:
            if self._body_size > DISCARD_BYTES:
                self._transport.abort()
            return
        self._body.append(part)
        if self._body_size > self._reading.endpoint.body_limit:
            self._answer_early()

    def on_message_complete(self) -> None:
        """Let the request wait for its turn."""
        if self._frame:
            return
        assert self._reading is not None
        exchange, self._reading = self._reading, None
        self._wants_continue = False
        self._is_input_over = not exchange.keep
        if self._is_discarding:
            self._is_discarding = False
            self._settle()
            return
        if self._body:
            exchange.request.content = b"".join(self._body)
            self._body = []
        self._take_turn(exchange)

    def _answer_early(self) -> None:
        """Answer a body that is too large before it has come, and read on for a moment.

        One that was only offered may never come, so that nothing can follow it.
        """
        assert self._reading is not None
        self._reading.keep &= not self._wants_continue
        self._wants_continue = False
        self._reading.request.content = None
        self._body = []
        self._is_discarding = True
        self._take_turn(self._reading)

    def _say_continue(self) -> None:
        """Ask for the body that was offered, once all before it is answered."""
        if self._wants_continue and not self._is_busy and not self._turns:
            self._wants_continue = False
            self._set_deadline(self._limits.body_seconds)
            self._write(_CONTINUE)

    def _refuse(self, status: int) -> None:
        """Refuse what cannot be served, after all before it; nothing that follows is read."""
        self._is_input_over, self._in_head = True, False
        self._reading, self._is_discarding = None, False
        self._body = []
        self._take_turn(status)

    # ---- what is answered -------------------------------------------------------------------------------------------

    def _take_turn(self, turn: Exchange | int) -> None:
        if self._is_busy or self._turns or self._unblocked is not None:
            self._turns.append(turn)
        else:
            self._begin(turn)

    def _go_on(self) -> None:
        """Answer what waits, then read on."""
        while self._turns and not self._is_busy and self._unblocked is None and not self._is_gone:
            self._begin(self._turns.popleft())
        if self._unparsed and not self._is_busy and self._unblocked is None and not self._is_input_over:
            unparsed, self._unparsed = self._unparsed, b""
            self._transport.resume_reading()
            self._parse(memoryview(unparsed))
        self._say_continue()

    def _begin(self, turn: Exchange | int) -> None:
        if isinstance(turn, int):
            self._write_refusal(turn)
            return
        self._is_busy = True
        self.deadline = _NEVER
        try:
            responding = turn.endpoint.respond(turn.request)
        except Exception:
            self._fail()
            return
        if isinstance(responding, Response) and responding.chunks is None:
            self._reply(turn, responding)
        else:
            self._task = self._shared.loop.create_task(self._reply_later(turn, responding))

    async def _reply_later(self, turn: Exchange, responding: Any) -> None:
        request_id.set(turn.request.id)  # in the context of this request's own task
        try:
            response = responding if isinstance(responding, Response) else await responding
        except Exception:
            self._fail()
        else:
            if response.chunks is None or turn.request.method == "HEAD":
                self._reply(turn, response)
            else:
                await self._reply_in_parts(turn, response, response.chunks)
        self._go_on()

    def _reply(self, turn: Exchange, response: Response[Any]) -> None:
        status = response.status or turn.endpoint.status
        turn.keep &= not self._is_draining or bool(self._turns)
        try:
            parts = self._encode_head(turn, response, status)
        except ValueError:
            self._fail()
            return
        self._application.record(turn.endpoint, turn.request, response, status)
        if turn.request.method != "HEAD" and status not in _WITHOUT_BODY:
            parts.append(response.body)
        self._write(b"".join(parts))
        self._end_turn(turn)

    async def _reply_in_parts(
        self, turn: Exchange, response: Response[Any], chunks: AsyncGenerator[bytes, None]
    ) -> None:
        """Send a body while it is made, until its reader has gone or the server stops. One that fails is cut off.

        The code that makes the chunks may cancel the task that asks for them, to cut off a reader for whom it cannot
        wait. HTTP/1.0 knows no chunks: there the end of the connection is the end of the body.
        """
        status = response.status or turn.endpoint.status
        turn.keep &= not turn.is_old and not self._is_draining
        head = self._encode_head(turn, response, status, b"" if turn.is_old else _CHUNKED)
        self._application.record(turn.endpoint, turn.request, response, status)
        self._write(b"".join(head))
        self._stream = asyncio.current_task()
        try:
            if not self._is_draining:
                await self._write_chunks(chunks, is_framed=not turn.is_old)
        except asyncio.CancelledError:
            if not self._is_draining:
                self._transport.abort()
        except Exception:
            log.exception("request.failed")
            self._transport.abort()
        self._stream = None
        turn.keep &= not self._is_draining
        if not turn.is_old:
            self._write(b"0\r\n\r\n")
        self._end_turn(turn)

    async def _write_chunks(self, chunks: AsyncGenerator[bytes, None], *, is_framed: bool) -> None:
        async with aclosing(chunks):
            async for chunk in chunks:
                if chunk:
                    self._write(b"%x\r\n%b\r\n" % (len(chunk), chunk) if is_framed else chunk)
                if self._unblocked is not None:
                    await self._unblocked

    def _end_stream(self) -> None:
        if self._stream is not None:
            self._stream.cancel()

    def _end_turn(self, turn: Exchange) -> None:
        self._is_busy, self._task = False, None
        if not turn.keep:
            self._is_input_over = True
            self._turns.clear()
        self._settle()

    def _settle(self) -> None:
        """Wait for what comes next, or end."""
        if self._is_busy or self._turns or self._is_gone:
            return
        if self._is_discarding:
            self._set_deadline(_DISCARD_SECONDS)
            if self._is_input_over:
                self._linger()
        elif self._reading is not None:
            self._set_deadline(self._limits.body_seconds)
        elif self._is_input_over or (self._is_draining and not self._in_head and not self._unparsed):
            self._close()
        else:
            self._set_deadline(self._limits.head_seconds)

    def _encode_head(self, turn: Exchange, response: Response[Any], status: int, more: bytes = b"") -> list[bytes]:
        """Return the head in parts. Raises ValueError for a field that cannot be sent."""
        lines = response.lines
        if lines is None:
            lines = response.lines = _encode(fixed_headers(response)) + _SERVER
        further = self._application.further_headers(turn.endpoint, turn.request)
        status_line = _STATUS_LINES.get(status) or b"HTTP/1.1 %d \r\n" % status
        connection = _CLOSE if not turn.keep else _KEEP_ALIVE if turn.is_old else b""
        return [status_line, lines, _encode(further), _clock.read(), more, connection, b"\r\n"]

    def _write_refusal(self, status: int, more: bytes = b"") -> None:
        parts = (_STATUS_LINES[status], more, _SERVER, _clock.read(), _CLOSE, b"content-length: 0\r\n\r\n")
        self._write(b"".join(parts))
        self._linger()

    def _fail(self) -> None:
        """Log the exception, and answer that something is wrong with us."""
        log.exception("request.failed")
        self._is_busy, self._task = False, None
        self._turns.clear()
        self._write_refusal(500)


def _frame_again(length: bytes | None) -> bytes:
    """Return a head for the body that comes with an offer of another protocol.

    `httptools` takes every offer for accepted and parses no further: a new parser needs to know the body's frame.
    """
    framing = b"transfer-encoding: chunked" if length is None else b"content-length: " + length
    return b"POST / HTTP/1.1\r\n%b\r\n\r\n" % framing


def _encode(fields: RawHeaders) -> bytes:
    """Return the lines. Raises ValueError where a field would be more than one."""
    lines = b"".join([b"%b: %b\r\n" % field for field in fields])
    if not lines.count(b"\r") == lines.count(b"\n") == len(fields) or b"\0" in lines:
        raise ValueError("a header field that cannot be sent")
    return lines


class _Clock:
    """The header `Date`, made anew each second."""

    def __init__(self) -> None:
        self._second = 0
        self._line = b""

    def read(self) -> bytes:
        now = int(time.time())
        if now != self._second:
            self._second = now
            self._line = time.strftime("date: %a, %d %b %Y %H:%M:%S GMT\r\n", time.gmtime(now)).encode()
        return self._line


_clock = _Clock()
