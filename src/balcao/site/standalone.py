"""The site in its own process. It does not load any service and calls the services over HTTP."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
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
from balcao.site.mine.application import MyPages
from balcao.site.mine.endpoints import Endpoints
from balcao.site.mine.parts import PARTS
from balcao.site.mounting import mount_at_root


def build(settings: Settings, database_url: str, group: ProcessGroup) -> Application:
    """Build the application for this process. Its connections are opened when the server starts the application.

    `database_url` may be empty if the site does not have Minha página.
    """
    secret = settings.site_machine_client_secret.get_secret_value().encode()
    counts = Counts(secret, group.counts_file, group.number, group.count)
    refusals = Refusals(counts, settings.refused_rate)
    site = Site(settings, Limits(counts=counts), AREAS, settings.own_site_address, has_portal=False)
    mine = MyPages(settings, database_url, PARTS, refusals, site) if settings.has_site_login else None
    metrics = Metrics(telemetry, group)

    @asynccontextmanager
    async def opened() -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(tracing(settings.traces_url, settings.traces_share, group.name))
            await stack.enter_async_context(site.open())
            if mine is not None:
                await stack.enter_async_context(mine.open())
            metrics.start()
            try:
                yield
            finally:
                refusals.flush()
                metrics.stop()

    mounts = [] if mine is None else [Endpoints(mine).mount()]
    gateway = Gateway(mounts, mount_at_root(site, _mount_pages(settings, metrics)), opened, refusals=refusals)
    return Application(gateway, proxies=Proxies(settings.trusted_proxies, settings.trusted_callers))


def _mount_pages(settings: Settings, metrics: Metrics) -> Mount:
    """Return the mount for liveness and metrics."""

    def liveness(_: Request) -> Response[Liveness]:
        return to_json(Liveness("healthy", SERVICE, utc_now()))

    def refuse(_: Request, fault: BalcaoError) -> Response[Any]:
        return ERROR_TEXT.response(fault)

    scrape = answer_scraper(settings, None, metrics, (), apart=False)
    handlers: dict[str, Handler] = {"/liveness": liveness, METRICS: scrape}
    endpoints = [("GET", path, PageEndpoint(SERVICE, "", "GET", handler, refuse)) for path, handler in handlers.items()]
    return Mount(SERVICE, "", endpoints, lambda _: ERROR_TEXT)
