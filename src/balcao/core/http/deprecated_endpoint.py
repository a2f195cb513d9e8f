"""Add the headers of a deprecation to the responses of an operation."""

from collections.abc import Awaitable
from typing import Any

from balcao.core.http.deprecation import Deprecation
from balcao.core.http.endpoint import Endpoint, Responding, WrappingEndpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response


class DeprecatedEndpoint(WrappingEndpoint):
    """The endpoint of a deprecated operation. It adds the headers to every response, also to errors."""

    def __init__(self, endpoint: Endpoint, deprecation: Deprecation) -> None:
        super().__init__(endpoint)
        self._headers = deprecation.headers

    def respond(self, request: Request) -> Responding:
        """Answer the request as the operation does, with the headers."""
        response = self.wrapped.respond(request)
        return response.with_added(self._headers) if isinstance(response, Response) else self._finish(response)

    async def _finish(self, response: Awaitable[Response[Any]]) -> Response[Any]:
        return (await response).with_added(self._headers)
