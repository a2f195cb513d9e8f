"""Traces for OpenTelemetry, switched on by `BALCAO_TRACES_URL`: one from the gateway to statement, job and CRM call.

Spans are named by operation, statement, kind of job and host; no path, no parameter and no body is in them, so no
person can appear. Switched off, nothing of this is in the way of a request: endpoints, connections and HTTP clients
are then the plain ones, and the libraries are not even loaded (docs/operate/monitoring.md).
"""

import functools
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import httpx

from balcao import __version__
from balcao.settings import SettingsError

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

TRACEPARENT = "traceparent"
_EXPORT_SECONDS = 5


class Tracing:
    """The traces of a process; `tracer` is None while it makes none."""

    tracer: ClassVar["Tracer | None"] = None


@asynccontextmanager
async def tracing(url: str, share: float, process: str) -> AsyncIterator[None]:
    """Make traces while the block lasts, and send them to the collector at `url`; without one make none.

    `share` is that of the traces which are made, decided by their id: by all processes alike, whatever a caller says.
    Of several platforms in one process, as an API and a worker may be, the first one does it for all. Raises
    SettingsError where the libraries are not installed.
    """
    if not url or Tracing.tracer is not None:
        yield
        return
    provider = _make_provider(url, share, process)
    Tracing.tracer = provider.get_tracer("balcao", __version__)
    try:
        yield
    finally:
        Tracing.tracer = None
        provider.force_flush(_EXPORT_SECONDS * 1000)
        provider.shutdown()


def _make_provider(url: str, share: float, process: str) -> "TracerProvider":
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.sdk.trace.sampling import TraceIdRatioBased
    except ModuleNotFoundError:
        raise SettingsError(
            "BALCAO_TRACES_URL pede outras bibliotecas: instale as de requirements-traces.lock."
        ) from None
    resource = Resource.create(
        {"service.name": "balcao", "service.version": __version__, "service.instance.id": process}
    )
    provider = TracerProvider(sampler=TraceIdRatioBased(share), resource=resource, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(f"{url.rstrip('/')}/v1/traces", timeout=_EXPORT_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


@contextmanager
def span(name: str, kind: str, attributes: Mapping[str, Any], parent: str | None = None) -> Iterator["Span | None"]:
    """Make a span of the block, below the one at hand or, where given, below a `traceparent` from elsewhere.

    `kind` is `SERVER`, `CLIENT` or `CONSUMER`. An exception marks it by its type alone: a text may quote a row.
    """
    if Tracing.tracer is None:
        yield None
        return
    from opentelemetry.trace import SpanKind, Status, StatusCode

    with Tracing.tracer.start_as_current_span(
        name,
        context=read_parent(parent) if parent is not None else None,
        kind=SpanKind[kind],
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as made:
        try:
            yield made
        except BaseException as fault:
            made.set_attribute("error.type", type(fault).__name__)
            made.set_status(Status(StatusCode.ERROR))
            raise


def read_parent(header: str) -> "Context":
    """Return the context that a `traceparent` names; an empty one for a header that is none."""
    from opentelemetry.context import Context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract({TRACEPARENT: header}, Context())


def carry_trace() -> dict[str, str] | None:
    """Return the header that names the span at hand, to be sent on; None where nothing is traced."""
    if Tracing.tracer is None:
        return None
    from opentelemetry.trace import get_current_span
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    if not get_current_span().is_recording():
        return None
    headers: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(headers)
    return {TRACEPARENT: headers[TRACEPARENT]}


class TracedClient(httpx.AsyncClient):
    """A client whose calls are spans, named by method and host, and carry `traceparent`."""

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send the request."""
        known = {"http.request.method": request.method, "server.address": request.url.host}
        with span(f"{request.method} {request.url.host}", "CLIENT", known) as made:
            request.headers.update(carry_trace() or {})
            response = await super().send(request, **options)
            if made is not None:
                made.set_attribute("http.response.status_code", response.status_code)
            return response


@functools.cache
def _load_authorities() -> ssl.SSLContext:
    """Return what certificates are checked by, loaded once a process: it takes tens of milliseconds."""
    return httpx.create_ssl_context()


def make_http_client(url: str, **options: Any) -> httpx.AsyncClient:
    """Return a client; one that traces its calls where the collector's `url` is set."""
    kind = TracedClient if url else httpx.AsyncClient
    return kind(verify=_load_authorities(), **options)
