"""What answers a request: each declared operation is compiled into one endpoint when the process starts.

Everything that can be decided at start is decided there. A request whose token is known and whose data are in memory is
answered without a task and without an await.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias

from balcao.core.access.refusals import Refusals
from balcao.core.errors import BalcaoError, Failed
from balcao.core.http.dialects import Dialect
from balcao.core.http.operations import MIB, UNASKED_BODY
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.core.http.unauthenticated_refusals import refuse_path
from balcao.core.logs import log
from balcao.core.telemetry import Meter, meter

# The response itself where nothing had to be waited for, else its awaitable.
Responding: TypeAlias = Response[Any] | Awaitable[Response[Any]]
AdmitBody: TypeAlias = Callable[[Request], Awaitable[int]]


class Endpoint(Protocol):
    """What the server's adapter needs: `respond` never raises; `status` is that of a response without one.

    `allow` lists the path's methods where the endpoint answers OPTIONS; `waits` says whether answering usually takes a
    wait, for the database above all, so that callers have a few of it at a time.

    `admit_body` returns how many bytes of this request's body may be read. The server calls it for a body larger than
    `UNASKED_BODY`, before it reads more of it. None: every caller may send up to `body_limit`.
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
    """Answers what is no operation of a service: a page, a metric, a step of the login; no rule is checked."""

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
        self.body_limit = UNASKED_BODY if method == "GET" else body_limit
        self.admit_body = admit_body
        self.meter = meter(service, key, method)
        self._handler = handler
        self._refuse = refuse

    def respond(self, request: Request) -> Responding:
        """Answer the request with what the handler makes of it."""
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


class StrayEndpoint:
    """Answers where nothing else does: a path that is none of ours, or a method that the path does not have."""

    key = ""
    allow: str | None = None
    body_limit = UNASKED_BODY
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
        """Refuse the request in the words of the service that its path leads to."""
        if self._refusals is None:
            return self._dialect.response(self._fault)
        return refuse_path(self._refusals, request, self._dialect, self._fault)


class OptionsEndpoint:
    """Answers OPTIONS: which methods the path has."""

    key = ""
    status = 204
    body_limit = UNASKED_BODY
    admit_body: AdmitBody | None = None
    waits = False

    def __init__(self, service: str, allow: str) -> None:
        self.service = service
        self.allow: str | None = allow
        self.meter = meter(service, "", "OPTIONS")
        self._response: Response[None] = Response(status=204, headers={"Allow": allow})

    def respond(self, _: Request) -> Responding:
        """List the methods."""
        return self._response


def allowed_methods(by_method: Mapping[str, Endpoint]) -> str:
    """List a path's methods for the header `Allow`: HEAD comes with GET, OPTIONS with every path."""
    return ", ".join(sorted({*by_method, "OPTIONS", *(["HEAD"] if "GET" in by_method else [])}))


def to_known_error(fault: Exception, key: str) -> BalcaoError:
    """Return a fault that a caller may see; any other is logged and becomes an internal error."""
    if isinstance(fault, BalcaoError):
        return fault
    log.error("request.failed", operation=key, exc_info=fault)
    return Failed()
