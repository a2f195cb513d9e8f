"""Record each request as a span: a root span, or a child of the span that the caller sent."""

from collections.abc import Awaitable
from contextlib import AbstractContextManager
from typing import Any

from balcao.core.http.endpoint import Responding, WrappingEndpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.core.tracing import TRACEPARENT, span

_HEADER = TRACEPARENT.encode()


class TracedEndpoint(WrappingEndpoint):
    """An endpoint that wraps another endpoint and returns that endpoint's response."""

    def respond(self, request: Request) -> Responding:
        """Answer the request within its own span, which ends before the body of a streamed response is sent."""
        return self._respond(request)

    async def _respond(self, request: Request) -> Response[Any]:
        with self._span(request) as made:
            answer = self.wrapped.respond(request)
            response = await answer if isinstance(answer, Awaitable) else answer
            if made is not None:
                made.set_attribute("http.response.status_code", response.status or self.status)
            return response

    def _span(self, request: Request) -> AbstractContextManager[Any]:
        known = {
            "http.request.method": request.method,
            "balcao.service": self.service,
            "balcao.operation": self.key,
            "balcao.request_id": request.id,
        }
        return span(self.key, "SERVER", known, parent=request.headers.text(_HEADER) or "")
