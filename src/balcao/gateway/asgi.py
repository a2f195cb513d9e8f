"""The gateway as an ASGI application: the only place that knows the server's interface.

ASGI and not RSGI, though the latter is some microseconds cheaper: it hands over the path percent-decoded, so that an
encoded slash could not be told from a slash, and drops header values that are not ASCII (ADR 0004).
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping
from contextlib import aclosing
from time import perf_counter
from typing import Any

from balcao.core.access.live import MAINTENANCE
from balcao.core.context.headers import Headers
from balcao.core.http.endpoint import Endpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.core.logs import request_id
from balcao.core.request_log import request_log
from balcao.core.telemetry import counter
from balcao.gateway.cors import Cors
from balcao.gateway.gateway import Gateway
from balcao.gateway.proxies import Proxies

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

# No answer is to be guessed at, framed, or run as a page; pages bring a policy of their own.
_NO_SNIFFING = (b"x-content-type-options", b"nosniff")
_POLICY = "Content-Security-Policy"
_NO_PAGE = (
    _POLICY.lower().encode(),
    b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
)
_WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS"})
NO_ORIGIN, NO_PROXY = Cors(), Proxies()
# They are wanted, so no rate of errors may count them among the responses.
_refused_in_maintenance = counter("balcao_maintenance_refusals", "Calls refused by a maintenance", "service")


class Application:
    """Serves a gateway; the server opens and closes it by the lifespan protocol."""

    def __init__(
        self, gateway: Gateway, cors: Cors = NO_ORIGIN, proxies: Proxies = NO_PROXY, *, is_traffic: bool = True
    ) -> None:
        """`is_traffic` says whether requests are counted and logged."""
        self.gateway = gateway
        self._is_traffic = is_traffic
        self._cors = cors
        self._proxies = proxies

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one request, or the life of the process."""
        if scope["type"] == "http":
            await self._serve(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)

    async def _serve(self, scope: Message, receive: Receive, send: Send) -> None:
        client, headers = scope["client"], scope["headers"]
        request = Request(
            scope["method"],
            scope["raw_path"],
            scope["query_string"],
            Headers.of(headers),
            self._proxies.find_caller(client[0], headers) if client else "",
        )
        endpoint = self.gateway.match(request)
        if request.method not in _WITHOUT_BODY:
            request.content = await _read(receive, endpoint.body_limit)
        responding = endpoint.respond(request)
        if isinstance(responding, Response):
            response = responding
        else:
            request_id.set(request.id)  # in the context of this request's own task
            response = await responding
        await self._send(endpoint, request, response, receive, send)

    async def _send(
        self, endpoint: Endpoint, request: Request, response: Response[Any], receive: Receive, send: Send
    ) -> None:
        status = response.status or endpoint.status
        cors = self._cors.headers(request.headers, endpoint.allow)
        headers = [*response.raw_headers, (b"x-request-id", request.id.encode()), _NO_SNIFFING, *cors]
        if _POLICY not in response.headers:
            headers.append(_NO_PAGE)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        if self._is_traffic:
            # Before the body: how long somebody listens to a stream of events says nothing about us.
            seconds = perf_counter() - request.started
            if status == 503 and response.headers.get("Error-Code") == MAINTENANCE:
                _refused_in_maintenance.inc(endpoint.service)
            elif not request.is_apart:
                endpoint.meter.count(status, seconds)
            if not request.is_added_up:
                request_log.add(endpoint.meter.labels, status, seconds, request.id)
        if response.chunks is not None and request.method != "HEAD":
            await _send_chunks(response.chunks, receive, send)
        else:
            await send({"type": "http.response.body", "body": b"" if request.method == "HEAD" else response.body})

    async def _live(self, receive: Receive, send: Send) -> None:
        """Open the platform before the server listens; a failed start is reported to the server, which logs it."""
        await receive()
        try:
            async with self.gateway.lifespan():
                await send({"type": "lifespan.startup.complete"})
                await receive()
        except Exception as failure:
            await send({"type": "lifespan.startup.failed", "message": str(failure)})
            raise
        finally:
            request_log.flush()
        await send({"type": "lifespan.shutdown.complete"})


async def _send_chunks(chunks: AsyncGenerator[bytes, None], receive: Receive, send: Send) -> None:
    """Send a body while it is made, until its reader has gone or the server stops. One that fails midway is cut off.

    `send` waits for a slow reader, but takes everything for one who is gone: only `receive` tells of that. Who makes
    the chunks may cancel the task that asks for them, to cut off a reader for whom they cannot wait.
    """
    sending = asyncio.ensure_future(_send_each(chunks, send))
    gone = asyncio.ensure_future(_wait_until_gone(receive))
    try:
        await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        cut_off = sending.cancelled()
        for task in (sending, gone):
            task.cancel()
        await asyncio.wait({sending, gone})
    if not sending.cancelled():
        sending.result()
    if not cut_off:
        await send({"type": "http.response.body", "body": b""})


async def _send_each(chunks: AsyncGenerator[bytes, None], send: Send) -> None:
    async with aclosing(chunks):
        async for chunk in chunks:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _read(receive: Receive, limit: int) -> bytes | None:
    """Return the whole body; None for one beyond the limit, of which the rest is not read."""
    message = await receive()
    body: bytes = message.get("body", b"")
    while message.get("more_body", False) and len(body) <= limit:
        message = await receive()
        body += message.get("body", b"")
    return body if len(body) <= limit else None
