"""Adds request id, common headers, metrics and a log line to every response of the FastAPI program."""

from time import perf_counter

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from balcao.core.request_log import request_log
from balcao.core.telemetry import meter
from balcao.core.values.ids import is_uuid, new_id

COMMON_HEADERS = [
    (b"content-security-policy", b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    (b"server", b"balcao"),
    (b"vary", b"Origin"),
    (b"x-content-type-options", b"nosniff"),
]


class RequestMiddleware:
    """Adds headers to each response, then counts and logs it under its route's name, `service.operation`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request. Add the headers to its response, then count and log it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = perf_counter()
        sent = Headers(scope=scope).get("x-request-id", "")
        request_id = sent if is_uuid(sent) else new_id()
        scope.setdefault("state", {})["request_id"] = request_id
        status = 500

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *COMMON_HEADERS, (b"x-request-id", request_id.encode())]
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        finally:
            seconds = perf_counter() - started
            operation = getattr(scope.get("route"), "name", "")
            counted = meter(operation.partition(".")[0], operation, scope["method"])
            counted.count(status, seconds)
            request_log.add(counted.labels, status, seconds, request_id)
