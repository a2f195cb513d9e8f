"""An application that returns each request as it received it. Our server and others run it.

Other servers run it as `recorded`, through ASGI. For every call, nginx sends hyper a POST to the same path, and reports
the method and target that nginx received in the headers `Seen-Method` and `Seen-Target`.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from balcao.core.http.endpoint import Responding
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from tests.http.application import Echo, Endpoint

_UNREAD = b"/unread"

Message = MutableMapping[str, Any]


def encode_seen(method: bytes, target: bytes, body: bytes) -> str:
    """Return the value of the `Seen` header."""
    return f"{method.hex()}-{target.hex()}-{body.hex()}"


class Recorder(Echo):
    """An application that returns each request in the `Seen` header, even for a HEAD.

    A body that is too large gets a 413. The body of a request to `/unread` is not read: the response is sent before the
    body has arrived.
    """

    def match(self, request: Request) -> Endpoint:
        endpoint = super().match(request)
        return _Recorded(self, endpoint.body_limit, waits=endpoint.waits)


class _Recorded(Endpoint):
    def respond(self, request: Request) -> Responding:
        if request.content is None and request.path != _UNREAD:
            return Response[Any](status=413)
        target = request.path + (b"?" + request.query_string if request.query_string else b"")
        seen = encode_seen(request.method.encode(), target, request.content or b"")
        return Response[Any](headers={"Seen": seen})


async def recorded(
    scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
) -> None:
    """Serve one request over ASGI. An incomplete request gets no response."""
    if scope["type"] != "http":
        return
    body, is_whole = b"", False
    while not is_whole:
        message = await receive()
        if message["type"] != "http.request":
            return
        body += message.get("body", b"")
        is_whole = not message.get("more_body", False)
    fields = dict(scope["headers"])
    query = b"?" + scope["query_string"] if scope["query_string"] else b""
    method = fields.get(b"seen-method", scope["method"].encode())
    target = fields.get(b"seen-target", scope["raw_path"] + query).removesuffix(b"?")  # drop an empty query string
    target = b"/" + target if target.startswith(b"?") else target  # only nginx forwards an empty path
    body = b"" if target == _UNREAD else body
    headers = [(b"seen", encode_seen(method, target, body).encode()), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
