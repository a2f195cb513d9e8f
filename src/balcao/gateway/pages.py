"""The gateway's own pages: the list of services, the metrics, and whether the process is alive."""

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from typing import Any

from balcao.core.access.live import Maintenance
from balcao.core.context.platform import Platform
from balcao.core.database.gauges import Gauge
from balcao.core.errors import BalcaoError, NotFound, Unauthenticated
from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.endpoint import PageEndpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import HTML, Response, redirect, to_json
from balcao.core.http.strangers import refuse_path
from balcao.core.service import Service
from balcao.core.values.clock import utc_now
from balcao.gateway.gateway import METRICS, Mount
from balcao.gateway.instance import HEADER, name_instance
from balcao.gateway.metrics import Handler, answer_scraper
from balcao.gateway.status import feeds
from balcao.gateway.status.board import BoardKeeper
from balcao.gateway.status.page import StatusPage

_STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem; padding: 0 1rem; color: #1b1b1b; }
h1 { font-size: 1.6rem; } a { color: #0b5394; } code { background: #f2f2f2; padding: 0 .3em; }
ul { list-style: none; padding: 0; border-top: 1px solid #d9dce1; }
li { padding: .6rem 0; border-bottom: 1px solid #d9dce1; } li > a:first-child { display: block; font-weight: 600; }
nav { margin: 1rem 0; } nav a { margin-right: 1.2rem; }
h2 { font-size: 1.15rem; margin-top: 1.6rem; }
.door { display: inline-block; padding: .5rem 1.1rem; border-radius: .3rem; background: #0b5394; color: #fff; }
.maintenance { margin: .3rem 0 0; color: #8a1c00; }
"""
_PAGE = """<!doctype html>
<html lang="pt-BR"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Balcão: APIs</title><link rel="icon" href="data:,"><style>{style}</style></head>
<body><main><h1>Balcão: serviços ao cidadão</h1>
<nav aria-label="Outras páginas"><a href="/status">Situação dos serviços</a></nav>
{panel}<h2>Para quem desenvolve</h2>
<p>Cada serviço tem uma página com as suas operações, que podem ser experimentadas ali mesmo, e uma descrição em
OpenAPI.</p>
<ul>{items}</ul>
<p>Quase todas as operações pedem um token de acesso: na página do serviço, use <strong>Entrar</strong>, ou cole-o em
<strong>Autorizar</strong>. Com os dados de demonstração, <code>balcao token ana</code> mostra um.</p>
</main></body></html>
"""
_PANEL = """<h2>Para quem atende, administra e opera</h2>
<p><a class="door" href="/painel">Entrar no painel</a></p>
<p>Telas para os serviços abaixo, e <a href="/painel/operacao">o estado da plataforma</a>, com o seu login da
prefeitura.</p>
"""
# Of scripts there are none, of styles only the one above.
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_ITEM = (
    '<li><a href="{base}/docs">{name}</a> <code>{base}</code> · <a href="{base}/openapi.json">OpenAPI</a> · '
    '<a href="{base}/readiness">estado</a>{note}</li>'
)
_NOTE = '<p class="maintenance"><strong>Em manutenção.</strong> {}</p>'


def mount_pages(
    platform: Platform,
    services: Sequence[Service],
    gauges: Sequence[Gauge],
    keeper: BoardKeeper,
    *,
    has_panel: bool = False,
) -> Mount:
    """Return the pages at the root; `/` leads to `/docs`, and `/metrics` is here unless it has a port of its own.

    `/docs` is the front door: to the panel, where there is one, to the APIs, and to how the services stand.
    """
    settings = platform.settings
    instance = {HEADER: name_instance(settings)}
    titles = list_titles(services)
    page = StatusPage(keeper, settings.console_city)
    address = (*settings.server_urls, settings.base_url)[0].rstrip("/")

    def root(_: Request) -> Response[None]:
        return redirect("/docs")

    def docs(_: Request) -> Response[str]:
        closed = platform.live.maintenance
        items = "".join(_format_item(service, titles[service.name], closed.get(service.name)) for service in services)
        listing = _PAGE.format(style=_STYLE, panel=_PANEL if has_panel else "", items=items)
        return Response(listing.encode(), media_type=HTML, headers={"Content-Security-Policy": _POLICY})

    def liveness(_: Request) -> Response[Any]:
        return to_json({"status": "healthy", "service": "gateway", "timestamp": utc_now()}, headers=instance)

    def refuse(request: Request, fault: BalcaoError) -> Response[Any]:
        if isinstance(fault, (Unauthenticated, NotFound)):
            return refuse_path(platform.refusals, request, ERROR_TEXT, fault)
        return ERROR_TEXT.response(fault)

    def status(_: Request) -> Response[str]:
        return page.render(keeper.show(utc_now()))

    def status_json(_: Request) -> Response[Any]:
        return feeds.to_json(keeper.show(utc_now()))

    def status_atom(_: Request) -> Response[Any]:
        return feeds.to_atom(keeper.show(utc_now()), keeper.titles, address)

    handlers: dict[str, Handler] = {
        "/": root,
        "/docs": docs,
        "/status": status,
        "/status.json": status_json,
        "/status.atom": status_atom,
        "/liveness": liveness,
    }
    if settings.management_port is None:
        handlers[METRICS] = answer_scraper(settings, platform.database, platform.metrics, gauges, apart=False)
    endpoints = [
        ("GET", path, PageEndpoint("gateway", "", "GET", handler, refuse)) for path, handler in handlers.items()
    ]
    return Mount("gateway", "", endpoints, lambda _: ERROR_TEXT)


def list_titles(services: Sequence[Service]) -> dict[str, str]:
    """Return what people call the services, by name."""
    titles = {service.name: service.title.removeprefix("Balcão: ") for service in services}
    return {name: title[:1].upper() + title[1:] for name, title in titles.items()}


def _format_item(service: Service, title: str, maintenance: Maintenance | None) -> str:
    refusal = maintenance.refusal() if maintenance else None
    return _ITEM.format(
        base=escape(service.prefix + service.base),
        name=escape(title),
        note=_NOTE.format(escape(refusal.message)) if refusal else "",
    )
