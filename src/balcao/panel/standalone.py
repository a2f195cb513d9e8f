"""The panel in its own process. It does not load any service and calls the services over HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from balcao.core.access.counts import Counts
from balcao.core.access.refusals import Refusals
from balcao.core.context.metrics import Metrics
from balcao.core.context.processes import ProcessGroup
from balcao.core.errors import BalcaoError
from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.endpoint import PageEndpoint
from balcao.core.http.health import Liveness
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response, redirect, to_json
from balcao.core.telemetry import telemetry
from balcao.core.tracing import tracing
from balcao.core.values.clock import utc_now
from balcao.gateway.application import Application
from balcao.gateway.gateway import METRICS, Gateway, Mount
from balcao.gateway.metrics import Handler, answer_scraper
from balcao.gateway.proxies import Proxies
from balcao.panel.application import Panel
from balcao.panel.areas import AREAS
from balcao.panel.declaration import PREFIX
from balcao.panel.endpoints import SERVICE, Endpoints
from balcao.panel.refusals import REFUSAL_PAGE
from balcao.settings import Settings


def build(settings: Settings, database_url: str, group: ProcessGroup) -> Application:
    """Build the application for this process. Its connections are opened when the server starts the application."""
    counts = Counts(settings.panel_keys[0].encode(), group.counts_file, group.number, group.count)
    refusals = Refusals(counts, settings.refused_rate)
    panel = Panel(settings, database_url, AREAS, refusals, settings.own_panel_address)
    metrics = Metrics(telemetry, group)

    @asynccontextmanager
    async def opened() -> AsyncIterator[None]:
        async with tracing(settings.traces_url, settings.traces_share, group.name), panel.open():
            metrics.start()
            try:
                yield
            finally:
                refusals.flush()
                metrics.stop()

    gateway = Gateway([Endpoints(panel).mount()], _mount_pages(settings, panel, metrics), opened)
    return Application(gateway, proxies=Proxies(settings.trusted_proxies, settings.trusted_callers))


def _mount_pages(settings: Settings, panel: Panel, metrics: Metrics) -> Mount:
    """Return the mount for the pages outside the panel.

    They are a redirect to the panel, liveness, and the metrics unless the metrics have their own port.
    """

    def redirect_to_panel(_: Request) -> Response[None]:
        return redirect(PREFIX)

    def liveness(_: Request) -> Response[Liveness]:
        return to_json(Liveness("healthy", SERVICE, utc_now()))

    def refuse(_: Request, fault: BalcaoError) -> Response[Any]:
        return ERROR_TEXT.response(fault)

    handlers: dict[str, Handler] = {"/": redirect_to_panel, "/liveness": liveness}
    if settings.management_port_of_panel is None:
        handlers[METRICS] = answer_scraper(settings, panel.database, metrics, (), apart=False)
    endpoints = [("GET", path, PageEndpoint(SERVICE, "", "GET", handler, refuse)) for path, handler in handlers.items()]
    return Mount("pages", "", endpoints, lambda _: ERROR_TEXT, page=REFUSAL_PAGE)
