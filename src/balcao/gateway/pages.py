"""The gateway's own pages: front page, guides, status, metrics and liveness."""

from collections.abc import Sequence
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.database.gauges import Gauge
from balcao.core.errors import BalcaoError, NotFound, Unauthenticated
from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.endpoint import PageEndpoint
from balcao.core.http.refusal_pages import wants_page
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response, redirect, to_json
from balcao.core.http.unauthenticated_refusals import refuse_path
from balcao.core.service import Service
from balcao.core.values.clock import utc_now
from balcao.developer_portal import guides, search_page
from balcao.developer_portal import own_calls as own_calls_page
from balcao.developer_portal.operation_pages import CODES, ROOTS, OperationPages
from balcao.developer_portal.own_calls import OwnCallsPage
from balcao.developer_portal.page import PortalPages
from balcao.developer_portal.search_page import SearchPage
from balcao.gateway.gateway import METRICS, Mount
from balcao.gateway.instance import HEADER, name_instance
from balcao.gateway.metrics import Handler, answer_scraper
from balcao.gateway.refusals import REFUSAL_PAGE
from balcao.gateway.status import feeds
from balcao.gateway.status.board import StatusCache
from balcao.gateway.status.page import StatusPage


def mount_pages(
    platform: Platform,
    services: Sequence[Service],
    gauges: Sequence[Gauge],
    keeper: StatusCache,
    *,
    has_panel: bool = False,
) -> Mount:
    """Return the mount for the pages at the root.

    `/` redirects to `/docs`, the front page with links to the panel (if there is one), the guides, the APIs and the
    status of the services. `/metrics` is included unless there is a management port.
    """
    settings = platform.settings
    instance = {HEADER: name_instance(settings)}
    titles = list_titles(services)
    page = StatusPage(keeper, settings.panel_city)
    address = (*settings.server_urls, settings.base_url)[0].rstrip("/")
    issuer = settings.issuers[0]
    # Link to the page on which developers create clients, if the identity provider is the embedded one. For the city's
    # own provider, the address of such a page is unknown.
    own_clients = f"{issuer}/clients" if settings.embedded_identity else None
    controls = f"{settings.crm_url}/_sandbox/controls" if settings.sandbox_crm else None
    read_guides = guides.Guides(address, issuer)
    portal = PortalPages(
        read_guides,
        services,
        titles,
        has_panel=has_panel,
        own_clients=own_clients,
        controls=controls,
    )
    operations = OperationPages(services, titles, address)
    own_calls = OwnCallsPage(platform, services)
    search = SearchPage(read_guides, services, titles)

    def root(_: Request) -> Response[None]:
        return redirect("/docs")

    def docs(_: Request) -> Response[str]:
        return portal.render_front(platform.live.maintenance)

    def show_guide(path: str) -> Handler:
        return lambda _: portal.render_guide(path)

    def show_search(language: str) -> Handler:
        return lambda _: search.render(language)

    def liveness(_: Request) -> Response[Any]:
        return to_json({"status": "healthy", "service": "gateway", "timestamp": utc_now()}, headers=instance)

    def refuse(request: Request, fault: BalcaoError) -> Response[Any]:
        dialect = REFUSAL_PAGE if wants_page(request.headers.text(b"accept")) else ERROR_TEXT
        if isinstance(fault, (Unauthenticated, NotFound)):
            return refuse_path(platform.refusals, request, dialect, fault)
        return dialect.response(fault)

    def status(_: Request) -> Response[str]:
        return page.render(keeper.show(utc_now()))

    def status_json(_: Request) -> Response[Any]:
        return feeds.to_json(keeper.show(utc_now()))

    def status_atom(_: Request) -> Response[Any]:
        return feeds.to_atom(keeper.show(utc_now()), keeper.titles, address)

    handlers: dict[str, Handler] = {
        "/": root,
        "/docs": docs,
        **{path: show_guide(path) for path in guides.list_paths()},
        **list_operation_pages(operations),
        **{path: show_search(language) for language, path in search_page.PATHS.items()},
        own_calls_page.PATH: own_calls.render_form,
        "/status": status,
        "/status.json": status_json,
        "/status.atom": status_atom,
        "/liveness": liveness,
    }
    if settings.management_port is None:
        handlers[METRICS] = answer_scraper(settings, platform.database, platform.metrics, gauges, apart=False)
    endpoints = [
        ("GET", path, PageEndpoint("gateway", "liveness" if handler is liveness else "", "GET", handler, refuse))
        for path, handler in handlers.items()
    ]
    posted = PageEndpoint("gateway", "", "POST", own_calls.show_calls, refuse, own_calls_page.MAX_FORM_BYTES)
    endpoints.append(("POST", own_calls_page.PATH, posted))
    return Mount("gateway", "", endpoints, lambda _: ERROR_TEXT, page=REFUSAL_PAGE)


def list_operation_pages(pages: OperationPages) -> dict[str, Handler]:
    """Return the handlers for the pages about operations, by path."""

    def show(language: str, root: str) -> dict[str, Handler]:
        return {
            root: lambda _: pages.render_services(language),
            CODES[language]: lambda _: pages.render_codes(language),
            root + "/{service}": lambda request: pages.render_service(language, *request.path_values),
            root + "/{service}/{key}": lambda request: pages.render_operation(language, *request.path_values),
        }

    return {path: handler for language, root in ROOTS.items() for path, handler in show(language, root).items()}


def list_titles(services: Sequence[Service]) -> dict[str, str]:
    """Return the display names of the services, by name."""
    titles = {service.name: service.title.removeprefix("Balcão: ") for service in services}
    return {name: title[:1].upper() + title[1:] for name, title in titles.items()}
