"""The ASGI adapter, used for the sandbox CRM and for tests without a socket."""

from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import aclosing
from typing import Any

from balcao.core.context.headers import Headers
from balcao.core.http.endpoint import Endpoint
from balcao.core.http.operations import UNCHECKED_BODY
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.core.logs import request_id
from balcao.gateway.application import COMMON_HEADERS, Served, is_page

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class AsgiApplication:
    """Adapts an application to ASGI. The ASGI server opens and closes it through the lifespan protocol."""

    def __init__(self, served: Served) -> None:
        self._served = served

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle one request or the lifespan protocol."""
        if scope["type"] == "http":
            await self._serve(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)

    async def _serve(self, scope: Message, receive: Receive, send: Send) -> None:
        peer = scope["client"][0] if scope["client"] else ""
        pairs = list(scope["headers"])
        caller = self._served.find_caller(peer, pairs)
        request = Request(scope["method"], scope["raw_path"], scope["query_string"], Headers.of(pairs), caller)
        endpoint = self._served.match(request)
        request.content = await _read(receive, endpoint, request)
        responding = endpoint.respond(request)
        request_id.set(request.id)
        response = responding if isinstance(responding, Response) else await responding
        status = response.status or endpoint.status
        further = self._served.further_headers(endpoint, request)
        headers = [*response.raw_headers, *COMMON_HEADERS[is_page(response)], *further]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        self._served.record(endpoint, request, response, status)
        is_head = request.method == "HEAD"
        if response.chunks is not None and not is_head:
            async with aclosing(response.chunks) as chunks:
                async for chunk in chunks:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"" if is_head else response.body})

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            async with self._served.open():
                await send({"type": "lifespan.startup.complete"})
                await receive()
        except Exception as failure:
            await send({"type": "lifespan.startup.failed", "message": str(failure)})
            raise
        await send({"type": "lifespan.shutdown.complete"})


async def _read(receive: Receive, endpoint: Endpoint, request: Request) -> bytes | None:
    """Read the body to its end and return it. If it exceeds the limit, stop reading and return None."""
    admit, limit = endpoint.admit_body, endpoint.body_limit
    body, is_whole = b"", False
    while not is_whole and len(body) <= limit:
        message = await receive()
        body += message.get("body", b"")
        is_whole = not message.get("more_body", False)
        if admit is not None and len(body) > UNCHECKED_BODY:
            limit, admit = min(limit, await admit(request)), None
    return body if len(body) <= limit else None
