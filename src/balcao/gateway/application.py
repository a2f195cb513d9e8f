"""What a server serves: a gateway with what every response gets, and what is counted and logged of it."""

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

# No answer is to be guessed at, framed, or run as a page; pages bring a policy of their own.
_POLICY = "Content-Security-Policy"
ERROR_CODE = "Error-Code"
_NO_SNIFFING = (b"x-content-type-options", b"nosniff")
_NO_PAGE = (
    _POLICY.lower().encode(),
    b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
)
# What every response has beside its own headers, by whether it is a page.
COMMON_HEADERS: Mapping[bool, RawHeaders] = {True: [_NO_SNIFFING], False: [_NO_SNIFFING, _NO_PAGE]}
NO_ORIGIN, NO_PROXY = Cors(), Proxies()
# They are wanted, so no rate of errors may count them among the responses.
_refused_in_maintenance = counter("balcao_maintenance_refusals", "Calls refused by a maintenance", "service")


class Identity(NamedTuple):
    """Whose a request is; `is_bounded` where a few of theirs may wait for something at a time."""

    key: str
    is_bounded: bool = True


class Served(Protocol):
    """What the server asks of an application."""

    def open(self) -> AbstractAsyncContextManager[None]:
        """Return the context manager of the application's life."""

    def find_caller(self, peer: str, pairs: RawHeaders) -> str:
        """Return the address that called; `peer` opened the connection."""

    def is_trusted(self, address: str) -> bool:
        """Return whether the address, as `find_caller` returns it, calls for many people."""

    def identify(self, request: Request) -> Identity:
        """Return whose the request is, who waits their turn with all of theirs."""

    def match(self, request: Request) -> Endpoint:
        """Return what answers the request."""

    def show_unread(self, status: int, target: bytes, fields: RawHeaders) -> Response[Any] | None:
        """Return the page for a request that is refused before it was read, of which these parts have come."""

    def further_headers(self, endpoint: Endpoint, request: Request) -> RawHeaders:
        """Return what this response has beside `COMMON_HEADERS` and its own."""

    def record(self, endpoint: Endpoint, request: Request, response: Response[Any], status: int) -> None:
        """Count and log a response whose head is sent."""


def identify_by_address(request: Request) -> Identity:
    """Return the address that called."""
    return Identity(request.peer)


class Application:
    """Serves a gateway; `is_traffic` says whether requests are counted and logged, `identify` whose one is.

    `calls` notes those of clients, for who writes them.
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
        """Open what the endpoints need; a server does so before it listens."""
        try:
            async with self._gateway.lifespan():
                yield
        finally:
            request_log.flush()

    def further_headers(self, endpoint: Endpoint, request: Request) -> RawHeaders:
        """Return what the response gets for this request: its id, and what the Fetch standard asks."""
        return [(b"x-request-id", request.id.encode()), *self._cors.headers(request.headers, endpoint.allow)]

    def record(self, endpoint: Endpoint, request: Request, response: Response[Any], status: int) -> None:
        """Count and log a response.

        That is done before its body is sent: how long somebody listens to a stream of events says nothing about us.
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
    """Return whether the response brings a policy of its own."""
    return _POLICY in response.headers
