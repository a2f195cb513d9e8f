"""The server side of one HTTP/1.1 connection on the event loop.

If an endpoint does not have to wait, its response is written within the callback that parsed the request. Responses are
in the order of the requests. While the caller does not read its responses, no new request starts. ADR 0014 explains why
the platform has its own server.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from contextvars import Context
from typing import Any

from balcao.core.http.responses import EVENTS, Response
from balcao.core.logs import log, request_id
from balcao.core.tasks import start
from balcao.gateway.exchanges import Exchange, Refusal
from balcao.gateway.field_lines import CLOSE, clock, encode, encode_own, encode_refusal, encode_status
from balcao.gateway.head_rules import DISCARD_BYTES
from balcao.gateway.receiving import Receiver
from balcao.gateway.shared import Shared

_NEVER = float("inf")
# Stop parsing a connection's input if this many requests are queued, or if they have more than this many bytes.
_MOST_WAITING, _MOST_WAITING_BYTES = 16, 131_072
# Copy a body up to this size behind its head, to write both at once. Larger bodies are written without a copy, so that
# connections with slow readers share one body in memory.
_COPIED_BYTES = 65_536
# How long the rest of a refused request is read after the response.
_DISCARD_SECONDS = 2.0
_WITHOUT_BODY = frozenset({204, 304})
_KEEP_ALIVE = b"connection: keep-alive\r\n"
_CHUNKED = b"transfer-encoding: chunked\r\n"
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Connection(asyncio.BufferedProtocol):
    """One connection. Its methods must be called on the event loop.

    Requests and refusals wait in `_queue` until all earlier requests are answered. The server calls `expire` after
    `deadline`, which is a time of the event loop's clock.
    """

    def __init__(self, shared: "Shared[Connection]") -> None:
        self._shared = shared
        self._application = shared.application
        self._queue: deque[Exchange | Refusal] = deque()
        self._is_busy = False
        self._task: asyncio.Task[None] | None = None
        self._stream: asyncio.Task[None] | None = None
        self._unblocked: asyncio.Future[None] | None = None
        self._unsent = self._discarded = 0
        self._is_over_quota = False
        self._is_held = self._is_lingering = self._is_draining = self._is_gone = self._sends_events = False
        self.deadline = _NEVER

    # ---- called by the transport ------------------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        """Start the receiver and the deadline for the first request head."""
        self._transport = transport
        self._write: Callable[[bytes], object] = transport.write
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else ""
        self.address = self._application.find_caller(address, [])
        self._receiver = Receiver(self._application, self._shared.limits, self._shared.bodies, address, self)
        self.wait(self._shared.limits.head_seconds)
        self._shared.made(self)

    def connection_lost(self, _: Exception | None) -> None:
        """Cancel a stream.

        Let any other running request finish, because it may store data that its caller expects to be stored.
        """
        self._is_gone, self._write, self.deadline = True, _discard, _NEVER
        self._drop_queue()
        self._end_stream()
        self._unblocked = None
        self._receiver.close()
        self._shared.ended(self)

    def get_buffer(self, _: int) -> memoryview:
        """Return the buffer for the next read."""
        return self._shared.buffer

    def buffer_updated(self, size: int) -> None:
        """Parse the received bytes. After the last request, only count the bytes until the connection closes."""
        if not self._receiver.is_over:
            self._receiver.receive(self._shared.buffer[:size])
        elif self._is_lingering:
            self._discarded += size
            if self._discarded > DISCARD_BYTES:
                self.abort()
        if self._is_lingering or self._receiver.is_discarding:
            self._shared.discards.pause(self, size)

    def eof_received(self) -> bool:
        """Handle the end of the caller's input. Return True to keep the connection open for pending responses."""
        # A caller that ends its input during a stream has usually disconnected, so close.
        if self._is_lingering or self._stream is not None:
            return False
        if self._receiver.waits_for_body:
            self._receiver.refuse(400)
        self._receiver.is_over = True
        return self._is_busy or bool(self._queue)

    def pause_writing(self) -> None:
        """Stop starting requests, because the caller does not read the responses."""
        self._unblocked = self._shared.loop.create_future()
        self._set_deadline(self._shared.limits.unread_seconds)

    def resume_writing(self) -> None:
        """Continue after the caller has read enough of the responses."""
        unblocked, self._unblocked = self._unblocked, None
        if unblocked is not None:
            if not unblocked.done():  # if the stream was cancelled, so was this future
                unblocked.set_result(None)
            self._set_deadline(self._shared.limits.unread_seconds)
            if self._is_busy:
                self.deadline = _NEVER
            self.resume()

    # ---- called by the receiving side -------------------------------------------------------------------------------

    @property
    def is_full(self) -> bool:
        """Whether the receiver must stop parsing for now."""
        if not self._queue or self._is_held:
            return self._is_held
        size = sum(item.size for item in self._queue)
        return self._unblocked is not None or len(self._queue) >= _MOST_WAITING or size > _MOST_WAITING_BYTES

    def enqueue(self, item: Exchange | Refusal) -> None:
        """Answer the request or send the refusal, after all earlier requests."""
        if self._is_busy or self._queue or self._unblocked is not None:
            self._queue.append(item)
        else:
            self._enter(item)

    def wait(self, seconds: float) -> None:
        """Set the deadline for further input, unless a request is being answered."""
        if not self._is_busy:
            self._set_deadline(seconds)

    def continue_body(self) -> None:
        """Send 100 Continue if the caller waits for it and all earlier requests are answered."""
        if self._receiver.wants_continue and not (self._receiver.is_asking or self._is_busy or self._queue):
            self._receiver.wants_continue = False
            self._set_deadline(self._shared.limits.body_seconds)
            self._write(_CONTINUE)

    def settle(self) -> None:
        """After a response, close the connection or set the deadline for the next input."""
        receiver = self._receiver
        if self._is_busy or self._queue or self._is_gone:
            return
        if receiver.is_discarding:
            self._set_deadline(_DISCARD_SECONDS)
            if receiver.is_over:
                self._linger()
        elif receiver.is_over or (self._is_draining and receiver.is_idle):
            self._close()
        else:
            limits = self._shared.limits
            self._set_deadline(limits.head_seconds if receiver.reading is None else limits.body_seconds)

    def resume(self) -> None:
        """Start queued requests, then continue parsing."""
        while self._queue and not self._is_busy and self._unblocked is None and not self._is_gone:
            self._enter(self._queue.popleft())
        if not self._is_busy and self._unblocked is None and not self._receiver.is_over:
            if self._receiver.has_unparsed:
                self._transport.resume_reading()
                self._receiver.resume()
            self.continue_body()

    def pause(self) -> None:
        """Pause reading from the socket."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Continue reading from the socket, unless bytes wait to be parsed or the caller exceeds its quota."""
        if not (self._receiver.has_unparsed or self._is_over_quota or self._transport.is_closing()):
            self._transport.resume_reading()

    def abort(self) -> None:
        """Close immediately and discard unsent data."""
        self._transport.abort()

    # ---- called by the server ---------------------------------------------------------------------------------------

    def hold(self) -> None:
        """Do not parse until the server admits this connection."""
        self._is_held, self.deadline = True, _NEVER

    def admit(self) -> None:
        """Admit the connection: start parsing with the bytes that arrived while it waited."""
        self._is_held = False
        self._set_deadline(self._shared.limits.head_seconds)
        self.resume()

    def refuse_over_limit(self) -> None:
        """Answer 503, because the server or the connection's address has reached its connection limit."""
        self._write_refusal(Refusal(503))

    def expire(self, now: float) -> None:
        """Handle an expired deadline: extend it for a slow reader, answer 408 if the body is incomplete, or close."""
        unsent = self._transport.get_write_buffer_size()
        if unsent and unsent != self._unsent:  # there was progress since the last check
            self._unsent = unsent
            self.deadline = now + self._shared.limits.unread_seconds
        elif unsent or self._is_lingering:
            self.abort()
        elif self._receiver.waits_for_body:
            self._receiver.refuse(408)
        else:
            self._close()

    def drain(self) -> None:
        """Close when the requests in flight have been answered.

        End a stream of events now, so that its reader reconnects elsewhere.
        """
        self._is_draining = True
        if self._sends_events:
            self._end_stream()
        if self._receiver.is_idle and not self._is_lingering:
            self.settle()

    def _set_deadline(self, seconds: float) -> None:
        self.deadline = self._shared.loop.time() + seconds

    def _close(self) -> None:
        self._receiver.is_over = True
        self._transport.close()
        self._set_deadline(self._shared.limits.unread_seconds)

    def _linger(self) -> None:
        """Half-close, and continue to read for a while. An immediate close could reset the unread response."""
        if self._is_gone:
            return
        self._is_lingering = self._receiver.is_over = True
        self._set_deadline(_DISCARD_SECONDS)
        with suppress(OSError):
            self._transport.write_eof()
        self._transport.resume_reading()

    # ---- answering --------------------------------------------------------------------------------------------------

    def _enter(self, item: Exchange | Refusal) -> None:
        if isinstance(item, Refusal):
            self._write_refusal(item)
            return
        self._is_busy, self.deadline = True, _NEVER
        self._shared.scheduler.enter(self, item)

    def start(self, exchange: Exchange) -> None:
        """Start the request. Reply immediately if its endpoint returns a response without waiting."""
        try:
            responding = exchange.endpoint.respond(exchange.request)
        except Exception:
            self._shared.scheduler.leave(exchange)
            self._fail()
            return
        if isinstance(responding, Response) and responding.chunks is None:
            self._shared.scheduler.leave(exchange)
            self._reply(exchange, responding)
        else:
            start(self._reply_later(exchange, responding))

    def start_queued(self, exchange: Exchange) -> None:
        """Start a request that has waited in a queue. Drop it if its caller has disconnected."""
        if self._is_gone:
            self._shared.scheduler.leave(exchange)
            return
        self.start(exchange)
        if not self._is_busy:
            self.resume()

    async def _reply_later(self, exchange: Exchange, responding: Any) -> None:
        self._task = asyncio.current_task()  # the event loop holds only weak references to tasks
        request_id.set(exchange.request.id)  # this coroutine runs in its own context
        try:
            response = responding if isinstance(responding, Response) else await responding
        except Exception:
            self._shared.scheduler.leave(exchange)
            self._fail()
        else:
            self._shared.scheduler.leave(exchange)  # before the body, so that no request waits for a stream's end
            if response.chunks is None or exchange.request.method == "HEAD":
                self._reply(exchange, response)
            else:
                await self._reply_in_parts(exchange, response, response.chunks)
        Context().run(self.resume)  # the next request may be from another caller

    def _reply(self, exchange: Exchange, response: Response[Any]) -> None:
        status = response.status or exchange.endpoint.status
        # While draining, keep the connection open only for the requests that are already queued.
        exchange.keep &= not self._is_draining or bool(self._queue)
        try:
            parts = self._encode_head(exchange, response, status)
        except ValueError:
            self._fail()
            return
        self._application.record(exchange.endpoint, exchange.request, response, status)
        body = response.body if exchange.request.method != "HEAD" and status not in _WITHOUT_BODY else b""
        if len(body) <= _COPIED_BYTES:
            self._write(b"".join((*parts, body)))
        else:
            self._write(b"".join(parts))
            self._write(body)
        self._finish_exchange(exchange)

    async def _reply_in_parts(
        self, exchange: Exchange, response: Response[Any], chunks: AsyncGenerator[bytes, None]
    ) -> None:
        """Stream a response until it ends or the caller disconnects. Abort if the source fails.

        If the server drains, a stream of events ends. Any other body continues, because a body that ends early would
        look complete. The source of the chunks may cancel this task to disconnect a reader that is too slow. HTTP/1.0
        has no chunked coding, so closing the connection marks the end of the body.
        """
        status = response.status or exchange.endpoint.status
        exchange.keep &= not exchange.is_old and not self._is_draining
        head = self._encode_head(exchange, response, status, b"" if exchange.is_old else _CHUNKED)
        self._application.record(exchange.endpoint, exchange.request, response, status)
        self._write(b"".join(head))
        self._stream, self._sends_events = asyncio.current_task(), response.media_type == EVENTS
        is_complete = False
        try:
            if not (self._is_gone or self._ends_events):  # the caller may have disconnected before the first chunk
                await self._write_chunks(chunks, is_framed=not exchange.is_old)
            is_complete = True
        except asyncio.CancelledError:
            is_complete = self._ends_events
        except Exception:
            log.exception("request.failed")
        self._stream, self._sends_events = None, False
        exchange.keep &= is_complete and not self._is_draining
        if not is_complete:
            self.abort()
        elif not exchange.is_old:
            self._write(b"0\r\n\r\n")
        self._finish_exchange(exchange)

    @property
    def _ends_events(self) -> bool:
        """Whether the response is a stream of events that ends now, because the server drains."""
        return self._sends_events and self._is_draining

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

    def _finish_exchange(self, exchange: Exchange) -> None:
        self._is_busy, self._task = False, None
        if not exchange.keep:
            self._receiver.is_over = True
            self._drop_queue()
        self.settle()

    def _drop_queue(self) -> None:
        for item in self._queue:
            item.release()
        self._queue.clear()

    def _encode_head(self, exchange: Exchange, response: Response[Any], status: int, more: bytes = b"") -> list[bytes]:
        """Return the parts of the response head. Raises ValueError for a header that must not be sent."""
        further = self._application.further_headers(exchange.endpoint, exchange.request)
        connection = CLOSE if not exchange.keep else _KEEP_ALIVE if exchange.is_old else b""
        return [encode_status(status), encode_own(response), encode(further), clock.read(), more, connection, b"\r\n"]

    def _write_refusal(self, refusal: Refusal) -> None:
        self._write(encode_refusal(refusal.status, refusal.page))
        self._linger()
        if refusal.status == 503:  # stop reading the caller's data
            self._is_over_quota = True
            self._transport.pause_reading()

    def _fail(self) -> None:
        """Log the current exception, answer 500 and close."""
        log.exception("request.failed")
        self._is_busy, self._task = False, None
        self._drop_queue()
        self._write_refusal(Refusal(500))


def _discard(_: bytes) -> None:
    """Ignore the data. This replaces `write` after a disconnect, because writing to a closed transport raises."""
