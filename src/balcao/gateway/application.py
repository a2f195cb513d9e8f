"""The application that a server runs: a gateway with common headers, request metrics and a request log."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from time import perf_counter
from typing import Any, NamedTuple, Protocol

from balcao.core.access.live import MAINTENANCE
from balcao.core.http.endpoint import Endpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import RawHeaders, Response
from balcao.core.live.call_log import CallLog
from balcao.core.request_log import request_log
from balcao.core.telemetry import counter
from balcao.gateway.cors import Cors
from balcao.gateway.gateway import Gateway
from balcao.gateway.proxies import Proxies

# Browsers must not sniff API responses, frame them or execute them as pages. Pages set their own policy.
_POLICY = "Content-Security-Policy"
ERROR_CODE = "Error-Code"
_NO_SNIFFING = (b"x-content-type-options", b"nosniff")
_NO_PAGE = (
    _POLICY.lower().encode(),
    b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
)
# The headers that are added to every response, by whether the response is a page.
COMMON_HEADERS: Mapping[bool, RawHeaders] = {True: [_NO_SNIFFING], False: [_NO_SNIFFING, _NO_PAGE]}
NO_ORIGIN, NO_PROXY = Cors(), Proxies()
# Refusals during maintenance are intended, so they are not counted as responses and do not raise the error rate.
_refused_in_maintenance = counter("balcao_maintenance_refusals", "Calls refused by a maintenance", "service")


class Identity(NamedTuple):
    """The caller of a request.

    If `is_bounded`, only a few of the caller's requests that wait for something are in flight at a time.
    """

    key: str
    is_bounded: bool = True


class Served(Protocol):
    """The interface of an application for the server."""

    def open(self) -> AbstractAsyncContextManager[None]:
        """Return the context manager that opens and closes the application."""

    def find_caller(self, peer: str, pairs: RawHeaders) -> str:
        """Return the caller's address. `peer` is the address that opened the connection."""

    def is_trusted(self, address: str) -> bool:
        """Return whether this address (from `find_caller`) is trusted to call on behalf of many people."""

    def identify(self, request: Request) -> Identity:
        """Return the identity of the caller in whose queue the request waits."""

    def match(self, request: Request) -> Endpoint:
        """Return the endpoint for the request."""

    def show_unread(self, status: int, target: bytes, fields: RawHeaders) -> Response[Any] | None:
        """Return a page for a request that is refused before it is read.

        The target and the headers may be incomplete.
        """

    def further_headers(self, endpoint: Endpoint, request: Request) -> RawHeaders:
        """Return the headers to add to this response, in addition to `COMMON_HEADERS`."""

    def record(self, endpoint: Endpoint, request: Request, response: Response[Any], status: int) -> None:
        """Count and log a response. Servers call this before they send the body."""


def identify_by_address(request: Request) -> Identity:
    """Identify the caller by the address."""
    return Identity(request.peer)


class Application:
    """The application that serves a gateway.

    If `is_traffic`, requests are counted and logged. `identify` returns the caller of a request. `calls` records the
    calls of clients.
    """

    def __init__(
        self,
        gateway: Gateway,
        cors: Cors = NO_ORIGIN,
        proxies: Proxies = NO_PROXY,
        identify: Callable[[Request], Identity] = identify_by_address,
        calls: CallLog | None = None,
        *,
        is_traffic: bool = True,
    ) -> None:
        self.match = gateway.match
        self.show_unread = gateway.show_unread
        self.identify = identify
        self.find_caller = proxies.find_caller
        self.is_trusted = proxies.is_trusted
        self._gateway = gateway
        self._calls = calls
        self._is_traffic = is_traffic
        self._cors = cors

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Open the resources that the endpoints need. A server does this before it listens."""
        try:
            async with self._gateway.lifespan():
                yield
        finally:
            request_log.flush()

    def further_headers(self, endpoint: Endpoint, request: Request) -> RawHeaders:
        """Return the request id and the CORS headers for this request."""
        return [(b"x-request-id", request.id.encode()), *self._cors.headers(request.headers, endpoint.allow)]

    def record(self, endpoint: Endpoint, request: Request, response: Response[Any], status: int) -> None:
        """Count and log a response.

        The server calls this before it sends the body, because the duration must not include the time for which a
        client listens to an event stream.
        """
        if not self._is_traffic:
            return
        seconds = perf_counter() - request.started
        if status == 503 and response.headers.get(ERROR_CODE) == MAINTENANCE:
            _refused_in_maintenance.inc(endpoint.service)
        elif not request.is_apart:
            endpoint.meter.count(status, seconds)
        if self._calls is not None and request.client_key is not None:
            code = (request.refused_because or response.headers.get(ERROR_CODE)) if status >= 400 else None
            self._calls.add(request.client_key, endpoint.key, status, code, request.id, seconds)
        if not request.is_added_up:
            request_log.add(endpoint.meter.labels, status, seconds, request.id)


def is_page(response: Response[Any]) -> bool:
    """Return whether the response sets its own content security policy, as pages do."""
    return _POLICY in response.headers
