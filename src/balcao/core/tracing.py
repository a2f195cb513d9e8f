"""OpenTelemetry traces, enabled by `BALCAO_TRACES_URL`: from the gateway to SQL statements, jobs and calls to the CRM.

Spans are named after the operation, the statement, the kind of job or the host. They contain no path, parameter or
body, so no personal data can appear. If tracing is off, it costs requests nothing: endpoints, connections and HTTP
clients have no tracing code, and the libraries are not loaded (docs/operate/monitoring.md).
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
    """Creates the traces of a process. `tracer` is None while tracing is off."""

    tracer: ClassVar["Tracer | None"] = None


@asynccontextmanager
async def tracing(url: str, share: float, process: str) -> AsyncIterator[None]:
    """Create traces while the block runs and send them to the collector at `url`. Without a URL, tracing is off.

    `share` is the share of requests that are traced. The decision depends only on the trace's id, so all processes
    decide alike, whatever sampling the caller requests. If several platforms run in one process, such as an API and a
    worker, only the first one starts tracing. Raises SettingsError if the libraries are not installed.
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
    """Create a span for the block, as a child of the current span or of the `traceparent` in `parent`.

    `kind` is `SERVER`, `CLIENT` or `CONSUMER`. Only the type of an exception is recorded, because its text may quote a
    row.
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
    """Return the context of a `traceparent`, or an empty context if the header is malformed."""
    from opentelemetry.context import Context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract({TRACEPARENT: header}, Context())


def carry_trace() -> dict[str, str] | None:
    """Return the header that identifies the current span, for an outgoing call.

    Return None if the call is not traced.
    """
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
    """An HTTP client that records each call as a span, named after the method and the host, and sends `traceparent`."""

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
    """Return the certificate authorities, loaded once for each process because that takes tens of milliseconds."""
    return httpx.create_ssl_context()


def make_http_client(url: str, **options: Any) -> httpx.AsyncClient:
    """Return an HTTP client. It traces its calls if `url`, the collector's address, is set."""
    kind = TracedClient if url else httpx.AsyncClient
    return kind(verify=_load_authorities(), **options)
