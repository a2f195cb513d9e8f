"""What the gateway answers itself: the list of services, metrics, and whether the process lives."""

from collections.abc import Sequence
from html import escape

from litestar import Litestar, MediaType, Response, get
from litestar.response import Redirect

from balcao.core.context.platform import Platform
from balcao.core.http.dialects import ERROR_TEXT, exception_handlers
from balcao.core.service import Service
from balcao.core.telemetry import MEDIA_TYPE
from balcao.core.values.clock import utc_now

_STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem; padding: 0 1rem; color: #1b1b1b; }
h1 { font-size: 1.6rem; } a { color: #0b5394; } code { background: #f2f2f2; padding: 0 .3em; }
ul { list-style: none; padding: 0; border-top: 1px solid #d9dce1; }
li { padding: .6rem 0; border-bottom: 1px solid #d9dce1; } li > a:first-child { display: block; font-weight: 600; }
"""
_PAGE = """<!doctype html>
<html lang="pt-BR"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Balcão: APIs</title><link rel="icon" href="data:,"><style>{style}</style></head>
<body><main><h1>Balcão: serviços ao cidadão</h1>
<p>Cada serviço tem uma página com as suas operações, que podem ser experimentadas ali mesmo, e uma descrição em
OpenAPI.</p>
<ul>{items}</ul>
<p>Quase todas as operações pedem um token de acesso: na página do serviço, cole-o em <strong>Authorize</strong>.
Com os dados de demonstração, <code>balcao token ana</code> mostra um.</p></main></body></html>
"""
_ITEM = '<li><a href="{base}/docs">{name}</a> <code>{base}</code> · <a href="{base}/openapi.json">OpenAPI</a></li>'


def pages(platform: Platform, served: Sequence[tuple[Service, Litestar]]) -> Litestar:
    """`/` leads to `/docs`; `/metrics` carries no path and no person."""
    listing = _PAGE.format(style=_STYLE, items="".join(_item(service) for service, _ in served))

    @get("/")
    async def root() -> Redirect:
        return Redirect("/docs")

    @get("/docs", media_type=MediaType.HTML)
    async def docs() -> str:
        return listing

    @get("/metrics")
    async def metrics() -> Response[bytes]:
        return Response(platform.metrics.exposition(), media_type=MEDIA_TYPE)

    @get("/liveness")
    async def liveness() -> dict[str, str]:
        return {"status": "healthy", "service": "gateway", "timestamp": utc_now().isoformat()}

    return Litestar(
        [root, docs, metrics, liveness],
        exception_handlers=exception_handlers(lambda _: ERROR_TEXT),
        openapi_config=None,
        logging_config=None,
    )


def _item(service: Service) -> str:
    name = service.title.removeprefix("Balcão: ")
    return _ITEM.format(base=escape(service.prefix + service.base), name=escape(name[:1].upper() + name[1:]))
