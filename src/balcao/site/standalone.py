"""The site in its own process. It loads no service and calls the services over HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from balcao.core.access.counts import Counts
from balcao.core.access.limits import Limits
from balcao.core.access.refusals import Refusals
from balcao.core.context.metrics import Metrics
from balcao.core.context.processes import ProcessGroup
from balcao.core.errors import BalcaoError
from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.endpoint import PageEndpoint
from balcao.core.http.health import Liveness
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response, to_json
from balcao.core.telemetry import telemetry
from balcao.core.tracing import tracing
from balcao.core.values.clock import utc_now
from balcao.gateway.application import Application
from balcao.gateway.gateway import METRICS, Gateway, Mount
from balcao.gateway.metrics import Handler, answer_scraper
from balcao.gateway.proxies import Proxies
from balcao.settings import Settings
from balcao.site.application import Site
from balcao.site.areas import AREAS
from balcao.site.endpoints import SERVICE
from balcao.site.mounting import mount_at_root


def build(settings: Settings, group: ProcessGroup) -> Application:
    """Build the application of this process. Its connections are opened when the server starts the application."""
    secret = settings.site_machine_client_secret.get_secret_value().encode()
    counts = Counts(secret, group.counts_file, group.number, group.count)
    refusals = Refusals(counts, settings.refused_rate)
    site = Site(settings, Limits(counts=counts), AREAS, settings.own_site_address, has_portal=False)
    metrics = Metrics(telemetry, group)

    @asynccontextmanager
    async def opened() -> AsyncIterator[None]:
        async with tracing(settings.traces_url, settings.traces_share, group.name), site.open():
            metrics.start()
            try:
                yield
            finally:
                refusals.flush()
                metrics.stop()

    gateway = Gateway([], mount_at_root(site, _mount_pages(settings, metrics)), opened, refusals=refusals)
    return Application(gateway, proxies=Proxies(settings.trusted_proxies, settings.trusted_callers))


def _mount_pages(settings: Settings, metrics: Metrics) -> Mount:
    """Return the mount of liveness and metrics."""

    def liveness(_: Request) -> Response[Liveness]:
        return to_json(Liveness("healthy", SERVICE, utc_now()))

    def refuse(_: Request, fault: BalcaoError) -> Response[Any]:
        return ERROR_TEXT.response(fault)

    scrape = answer_scraper(settings, None, metrics, (), apart=False)
    handlers: dict[str, Handler] = {"/liveness": liveness, METRICS: scrape}
    endpoints = [("GET", path, PageEndpoint(SERVICE, "", "GET", handler, refuse)) for path, handler in handlers.items()]
    return Mount(SERVICE, "", endpoints, lambda _: ERROR_TEXT)
