"""Endpoints answer requests.

Each declared operation is compiled into one endpoint when the process starts. Everything that does not depend on a
request is decided at that time. If the token is cached and the data are in memory, the response needs neither a task
nor an await.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias

from balcao.core.access.refusals import Refusals
from balcao.core.errors import BalcaoError, Failed
from balcao.core.http.dialects import Dialect
from balcao.core.http.operations import MIB, UNCHECKED_BODY
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.core.http.unauthenticated_refusals import refuse_path
from balcao.core.logs import log
from balcao.core.telemetry import Meter, meter

# The response itself if nothing has to be awaited, otherwise an awaitable that returns it.
Responding: TypeAlias = Response[Any] | Awaitable[Response[Any]]
AdmitBody: TypeAlias = Callable[[Request], Awaitable[int]]


class Endpoint(Protocol):
    """The interface between the server's adapter and an endpoint.

    - `respond` never raises.
    - `status` is the status of responses that do not set one.
    - `allow` lists the path's methods if the endpoint answers OPTIONS.
    - `waits` is true if a response usually has to wait, mostly for the database. A caller may have only a few such
      requests in flight.
    - `admit_body` returns how many bytes of this request's body may be read. The server calls it for a body larger than
      `UNCHECKED_BODY`, before it reads the rest. With None, every caller may send up to `body_limit`.
    """

    key: str
    service: str
    status: int
    allow: str | None
    body_limit: int
    admit_body: AdmitBody | None
    meter: Meter
    waits: bool

    def respond(self, request: Request) -> Responding:
        """Answer the request."""


class PageEndpoint:
    """An endpoint that is not an operation of a service: a page, the metrics, a step of the login.

    No rule is checked.
    """

    allow: str | None = None
    waits = False

    def __init__(
        self,
        service: str,
        key: str,
        method: str,
        handler: Callable[[Request], Responding],
        refuse: Callable[[Request, BalcaoError], Response[Any]],
        body_limit: int = MIB,
        admit_body: AdmitBody | None = None,
    ) -> None:
        self.service = service
        self.key = key
        self.status = 200
        self.body_limit = UNCHECKED_BODY if method == "GET" else body_limit
        self.admit_body = admit_body
        self.meter = meter(service, key, method)
        self._handler = handler
        self._refuse = refuse

    def respond(self, request: Request) -> Responding:
        """Answer the request with the handler's response."""
        try:
            result = self._handler(request)
        except Exception as fault:
            return self._refuse(request, to_known_error(fault, self.key))
        return result if isinstance(result, Response) else self._finish(request, result)

    async def _finish(self, request: Request, result: Awaitable[Response[Any]]) -> Response[Any]:
        try:
            return await result
        except Exception as fault:
            return self._refuse(request, to_known_error(fault, self.key))


class WrappingEndpoint:
    """The base of an endpoint that observes or changes the responses of another endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.key = endpoint.key
        self.service = endpoint.service
        self.status = endpoint.status
        self.allow = endpoint.allow
        self.body_limit = endpoint.body_limit
        self.admit_body = endpoint.admit_body
        self.meter = endpoint.meter
        self.waits = endpoint.waits
        self.wrapped = endpoint


def unwrap(endpoint: Endpoint) -> Endpoint:
    """Return the innermost endpoint of an endpoint that may be wrapped."""
    while isinstance(endpoint, WrappingEndpoint):
        endpoint = endpoint.wrapped
    return endpoint


class UnmatchedEndpoint:
    """The endpoint for an unknown path, or for a method that the path does not support."""

    key = ""
    allow: str | None = None
    body_limit = UNCHECKED_BODY
    admit_body: AdmitBody | None = None
    waits = False

    def __init__(
        self, service: str, method: str, dialect: Dialect, fault: BalcaoError, refusals: Refusals | None
    ) -> None:
        self.service = service
        self.status = fault.status
        self.meter = meter(service, "", method)
        self._dialect = dialect
        self._fault = fault
        self._refusals = refusals

    def respond(self, request: Request) -> Responding:
        """Refuse the request, in the error format of the service that owns the path."""
        if self._refusals is None:
            return self._dialect.response(self._fault)
        return refuse_path(self._refusals, request, self._dialect, self._fault)


class OptionsEndpoint:
    """The endpoint that answers OPTIONS with the methods that the path supports."""

    key = ""
    status = 204
    body_limit = UNCHECKED_BODY
    admit_body: AdmitBody | None = None
    waits = False

    def __init__(self, service: str, allow: str) -> None:
        self.service = service
        self.allow: str | None = allow
        self.meter = meter(service, "", "OPTIONS")
        self._response: Response[None] = Response(status=204, headers={"Allow": allow})

    def respond(self, _: Request) -> Responding:
        """Return a response that lists the methods in `Allow`."""
        return self._response


def allowed_methods(by_method: Mapping[str, Endpoint]) -> str:
    """Return the methods for the header `Allow`. GET implies HEAD, and every path supports OPTIONS."""
    return ", ".join(sorted({*by_method, "OPTIONS", *(["HEAD"] if "GET" in by_method else [])}))


def to_known_error(fault: Exception, key: str) -> BalcaoError:
    """Return the exception if the caller may see it.

    Any other exception is logged and converted to an internal error.
    """
    if isinstance(fault, BalcaoError):
        return fault
    log.error("request.failed", operation=key, exc_info=fault)
    return Failed()
