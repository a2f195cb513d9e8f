"""The receiving side of a connection: parse bytes into complete requests.

llhttp (`httptools`) parses the request line, headers, framing and chunks strictly. This module adds limits, early
refusals and pipelining, for which llhttp makes the server responsible. `head_rules` checks a request head.
"""

import asyncio
from contextvars import Context
from typing import Protocol

import httptools

from balcao.core.access.authorization import Authorization
from balcao.core.context.headers import AUTHORIZATION, Headers
from balcao.core.http.endpoint import AdmitBody
from balcao.core.http.operations import FORM_BODY, SMALL_BODY, UNCHECKED_BODY
from balcao.core.http.requests import Request
from balcao.core.http.responses import RawHeaders
from balcao.core.logs import log
from balcao.gateway.application import Served
from balcao.gateway.exchanges import Exchange, Refusal
from balcao.gateway.head_rules import DISCARD_BYTES, Refused, check_head, says_close, split_target
from balcao.gateway.limits import Limits
from balcao.gateway.quotas import Quota

_MOST_FIELDS = 100
_AROUND_FIELD = len(": \r\n")
# llhttp does not stop between pipelined requests. Feed it slices of this size, so that it exceeds the limit of queued
# requests by at most the requests of one slice.
_SLICE = 4096
# The limit for a body including its framing: twice the size of the body, plus a fixed amount. Every chunk costs a
# callback, so a few connections with tiny chunks could otherwise use all the CPU.
_MOST_FRAMING, _FRAMING_PER_BYTE = 8_192, 2
_NO_AUTHORIZATION = Authorization(b"")
# Quotas count bodies in blocks of this size. Smaller bodies are not counted, so that large bodies can never block
# ordinary calls.
_FREE_BYTES, _BLOCK = SMALL_BODY, FORM_BODY


class Answering(Protocol):
    """The part of `wire.Connection` that a receiver uses."""

    @property
    def is_full(self) -> bool:
        """Whether the receiver must stop parsing for now."""

    def enqueue(self, item: Exchange | Refusal) -> None:
        """Answer the request or send the refusal, after all earlier requests."""

    def wait(self, seconds: float) -> None:
        """Set the deadline for further input, unless a request is being answered."""

    def continue_body(self) -> None:
        """Send 100 Continue if the caller waits for it and all earlier requests are answered."""

    def settle(self) -> None:
        """After a response, close the connection or set the deadline for the next input."""

    def resume(self) -> None:
        """Start queued requests, then continue parsing."""

    def pause(self) -> None:
        """Pause reading from the socket."""

    def abort(self) -> None:
        """Close immediately and discard unsent data."""


class Receiver:
    """The parser for one connection's input. llhttp calls the `on_...` methods.

    `reading` is the request whose body is incomplete. `is_discarding` means that this request was answered early and
    the rest of its body is discarded. `is_over` means that no further request is accepted.

    A body larger than `_body_limit` is not stored. If the endpoint decides who may send a larger body, the limit is
    first `UNCHECKED_BODY`, and nothing is parsed while `_admission` runs.
    """

    def __init__(self, application: Served, limits: Limits, bodies: Quota, peer: str, answering: Answering) -> None:
        self._application = application
        self._limits = limits
        self._bodies = bodies
        self._peer = peer
        self._answering = answering
        self._target = b""
        self._fields: RawHeaders = []
        self._fields_size = 0
        self._head_size = 0
        self._authorization = _NO_AUTHORIZATION
        self._body: bytes | bytearray = b""
        self._body_size = self._counted_size = 0
        self._body_limit = 0
        self._declared_size = 0
        self._raw_size = 0
        self._admit_body: AdmitBody | None = None
        self._admission: asyncio.Task[None] | None = None
        self._frame = b""
        self._unparsed = b""
        self.in_head = False
        self.reading: Exchange | None = None
        self.wants_continue = False
        self.is_discarding = False
        self.is_over = False
        self._start_parser()

    @property
    def is_idle(self) -> bool:
        """Whether the connection is between requests: no part of an incomplete request has arrived."""
        return not self.in_head and self.reading is None and not self._unparsed

    @property
    def has_unparsed(self) -> bool:
        """Whether received bytes are waiting until parsing may continue."""
        return bool(self._unparsed)

    @property
    def is_asking(self) -> bool:
        """Whether the endpoint is deciding about a body. Until it has decided, nothing is parsed."""
        return self._admission is not None

    @property
    def waits_for_body(self) -> bool:
        """Whether the current request can be answered only after the rest of its body has arrived."""
        return self.reading is not None and not self.is_discarding

    def receive(self, received: memoryview) -> None:
        """Parse in slices. If parsing must stop for now, store the rest and pause reading."""
        place, size = 0, len(received)
        try:
            while place < size and not self.is_over:
                if self.is_asking or self._answering.is_full:
                    self._unparsed += bytes(received[place:])
                    self._answering.pause()
                    return
                is_whole = not place and size <= _SLICE
                place += self._parse(received if is_whole else received[place : place + _SLICE])
        except (Refused, httptools.HttpParserError) as failure:
            status = _find_status(failure)
            if not self.is_over:  # ignore errors after the last request
                self.refuse(status)

    def resume(self) -> None:
        """Parse the stored bytes."""
        if self._unparsed:
            unparsed, self._unparsed = self._unparsed, b""
            self.receive(memoryview(unparsed))

    def refuse(self, status: int) -> None:
        """Queue a refusal with this status and accept no further request."""
        page = None
        if self._parser.get_method() != b"HEAD":
            page = self._application.show_unread(status, self._target, self._fields)
        self._drop_body()
        self.is_over, self.in_head, self.is_discarding = True, False, False
        self.reading, self._unparsed = None, b""
        self._answering.enqueue(Refusal(status, page))

    def close(self) -> None:
        """Break the reference cycles with the parser and the connection, so that bodies are deleted immediately."""
        self.is_over = True
        self._drop_body()
        self.reading = None
        del self._parser, self._feed, self._answering

    def _start_parser(self) -> None:
        self._parser = httptools.HttpRequestParser(self)
        self._feed = self._parser.feed_data

    def _parse(self, piece: memoryview) -> int:
        """Parse a slice of the input, and return the number of bytes used.

        Raises HttpParserError for malformed input, and Refused if the head or the framing is too large.
        """
        was_in_head, size = self.in_head, len(piece)
        try:
            self._feed(piece)
        except httptools.HttpParserUpgrade as offer:
            # The server accepts no upgrade, so the next bytes are the body or the next request. httptools stops parsing
            # here, so continue with a new parser. If a body follows, first feed that parser a replacement head (see
            # `_rebuild_head`).
            size = offer.args[0]
            self._start_parser()
            if self._frame:
                self._feed(self._frame)
        if self.in_head:
            if not was_in_head:
                self._answering.wait(self._limits.head_seconds)
            # llhttp reports a header only when it is complete, so count the bytes of an incomplete head. The slice in
            # which the head starts is not counted; `on_headers_complete` checks the exact size.
            self._head_size += size if was_in_head else 0
            if self._head_size > self._limits.head_bytes:
                raise Refused(431)
        elif self.reading is not None:
            self._raw_size += size
            if self._raw_size > _MOST_FRAMING + _FRAMING_PER_BYTE * self._body_size:
                raise Refused(400)
        return size

    def on_message_begin(self) -> None:
        """Start a request. Raises Refused after the last request, because llhttp continues to the end of the slice."""
        if self._frame:
            return
        if self.is_over:
            raise Refused(400)
        self._target, self._fields, self._fields_size = b"", [], 0
        self.in_head, self._head_size = True, 0

    def on_url(self, part: bytes) -> None:
        """Append a part of the request target."""
        if self._frame:
            return
        self._target += part
        if len(self._target) > self._limits.head_bytes:
            raise Refused(414)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Store a header. Ignore trailers, because no endpoint uses them."""
        if self.in_head:
            self._fields_size += len(name) + len(value) + _AROUND_FIELD
            if len(self._fields) == _MOST_FIELDS or self._fields_size > self._limits.head_bytes:
                raise Refused(431)
            self._fields.append((name.lower(), value.rstrip(b" \t")))

    def on_headers_complete(self) -> None:
        """Check the head, find the endpoint and prepare for the body."""
        if self._frame:
            self._frame = b""
            return
        self.in_head = False
        parser, fields = self._parser, self._fields
        if len(self._target) + self._fields_size > self._limits.head_bytes:
            raise Refused(431)
        method, version, headers = parser.get_method().decode(), parser.get_http_version(), Headers.of(fields)
        has_body = check_head(version, headers, fields)
        if (authorization := headers.get(AUTHORIZATION)) is not None:
            if authorization != self._authorization:
                self._authorization = Authorization(authorization)
            headers[AUTHORIZATION] = self._authorization
        path, query = split_target(method, self._target)
        request = Request(method, path, query, headers, self._application.find_caller(self._peer, fields))
        endpoint = self._application.match(request)
        is_old = version == "1.0"
        # If an HTTP/1.0 request sends both `close` and `keep-alive`, llhttp keeps the connection open. We close it.
        keep = parser.should_keep_alive() and not (is_old and says_close(fields))
        self.reading = Exchange(endpoint, request, self._bodies, keep=keep, is_old=is_old)
        self.reading.size = len(self._target) + self._fields_size
        if not has_body:
            return
        self._body_size = self._raw_size = 0
        self._counted_size = _FREE_BYTES
        length = headers.get(b"content-length")
        if parser.should_upgrade():
            self._frame = _rebuild_head(length)
        self._answering.wait(self._limits.body_seconds)
        self.wants_continue = b"expect" in headers and version == "1.1"
        self._declared_size, self._body_limit = int(length or 0), endpoint.body_limit
        self._admit_body = endpoint.admit_body if self._declared_size <= endpoint.body_limit else None
        if self._admit_body is not None:
            self._body_limit = min(UNCHECKED_BODY, endpoint.body_limit)
        self._check_size(self.reading)
        self._answering.continue_body()

    def on_body(self, part: bytes) -> None:
        """Store a part of the body. If it exceeds the limit, answer immediately and discard the rest.

        Abort the connection when more than `DISCARD_BYTES` are discarded. Raises Refused if this caller's bodies
        use too much memory, or if the bodies of all callers together do.
        """
        assert self.reading is not None
        self.wants_continue = False
        self._body_size += len(part)
        if self.is_discarding:
            if self._body_size > DISCARD_BYTES:
                self._answering.abort()
            return
        self._check_size(self.reading)
        if self.is_discarding:
            return
        if self._body_size > self._counted_size:
            self._count_more(self.reading)
        if not self._body:
            self._body = part
            return
        if isinstance(self._body, bytes):
            self._body = bytearray(self._body)
        self._body += part

    def on_message_complete(self) -> None:
        """Pass the complete request on, unless it was already answered early."""
        if self._frame:
            return
        assert self.reading is not None
        exchange, self.reading = self.reading, None
        # A chunked body may end in the piece with which it exceeded `UNCHECKED_BODY`. Such a body is only slightly
        # larger, so pass it on.
        self.wants_continue, self._admission = False, None
        self.is_over |= not exchange.keep
        if self.is_discarding:
            self.is_discarding = False
            self._answering.settle()
            return
        if self._body:
            exchange.request.content = bytes(self._body)
            exchange.size += len(self._body)
            self._body = b""
        self._answering.enqueue(exchange)

    def _check_size(self, exchange: Exchange) -> None:
        """Answer early if the body is too large. If the endpoint decides about larger bodies, ask it first."""
        if self._admission is not None or max(self._declared_size, self._body_size) <= self._body_limit:
            return
        admit, self._admit_body = self._admit_body, None
        if admit is None:
            self._answer_early(exchange)
        else:
            self._admission = asyncio.get_running_loop().create_task(self._admit(exchange, admit))

    async def _admit(self, exchange: Exchange, admit: AdmitBody) -> None:
        """Continue reading or answer early, as the endpoint decides."""
        try:
            limit = await admit(exchange.request)
        except Exception:
            log.exception("request.failed")
            limit = 0
        if self.reading is not exchange:  # the request was refused, or the caller disconnected
            return
        self._admission, self._body_limit = None, min(limit, exchange.endpoint.body_limit)
        self._check_size(exchange)
        if not self.is_discarding:
            self._answering.wait(self._limits.body_seconds)
        Context().run(self._answering.resume)  # the next request may be from another caller

    def _count_more(self, exchange: Exchange) -> None:
        """Count the received body towards the caller's quota, in blocks. Raises Refused if the quota is exceeded."""
        blocks = -((_FREE_BYTES + exchange.held - self._body_size) // _BLOCK)
        if not exchange.hold(blocks * _BLOCK):
            raise Refused(503)
        self._counted_size = _FREE_BYTES + exchange.held

    def _drop_body(self) -> None:
        self._body = b""
        if self.reading is not None:
            self.reading.release()

    def _answer_early(self, exchange: Exchange) -> None:
        """Answer a request whose body is too large, without waiting for the end of the body.

        If the caller waits for 100 Continue, the body may never arrive, and no other request can follow. The connection
        is then closed.
        """
        exchange.keep &= not self.wants_continue
        self.wants_continue = False
        exchange.request.content = None
        self._drop_body()
        self.is_discarding = True
        self._answering.enqueue(exchange)


def _find_status(failure: Exception) -> int:
    """Return the status for an exception from the parser.

    If our callback raised it, httptools stores it as `__context__`.
    """
    refusal = failure.__context__ if isinstance(failure, httptools.HttpParserCallbackError) else failure
    if isinstance(refusal, Refused):
        return refusal.status
    if refusal is failure:
        return 400
    log.error("request.failed", exc_info=refusal)
    return 500


def _rebuild_head(length: bytes | None) -> bytes:
    """Return a request head with the framing of the current body, for a new parser.

    httptools treats every `Upgrade` header as accepted and stops parsing. The new parser must know where the body ends.
    While it parses this head, `_frame` is set, so that the callbacks ignore the head.
    """
    framing = b"transfer-encoding: chunked" if length is None else b"content-length: " + length
    return b"POST / HTTP/1.1\r\n%b\r\n\r\n" % framing
