"""The machine-readable description of a service and the page that shows it; assets are our own, it works offline."""

import functools
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec
from litestar import MediaType, Request, Response
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.responses import PUBLIC, etag_of, from_bytes

if TYPE_CHECKING:
    from balcao.core.service import Service

# Where the front door tells under which prefix a service is reached.
PREFIX = "balcao.prefix"

_PAGE = """<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{base}/docs/assets/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="{base}/docs/assets/swagger-ui-bundle.js"></script>
<script src="{base}/docs/assets/start.js" data-description="{base}/openapi.json"></script>
</body>
</html>
"""
_ASSETS = {
    "swagger-ui.css": "text/css; charset=utf-8",
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "start.js": "text/javascript; charset=utf-8",
}


def description_routes(service: "Service") -> list[HTTPRouteHandler]:
    """`/openapi.json`, `/docs` and the page's assets, at the base of every service."""
    dialect = service.dialect("")

    @operation(
        "GET", "/openapi.json", f"{service.name}.openapi", public(), "Descrição da API em OpenAPI", dialect=dialect
    )
    async def openapi(call: CurrentCall) -> Response[dict[str, Any]]:
        body = document(service, call.platform.settings.server_urls)
        return from_bytes(body, etag_of(body), call, PUBLIC)

    @operation(
        "GET",
        "/docs",
        f"{service.name}.docs",
        public(),
        "Página da API",
        dialect=dialect,
        in_description=False,
    )
    async def docs(request: Request[Any, Any, Any]) -> Response[str]:
        scope: Any = request.scope
        base = scope.get(PREFIX, "") + service.base
        return Response(_PAGE.format(title=service.title, base=base), media_type=MediaType.HTML)

    @operation(
        "GET",
        "/docs/assets/{name:str}",
        f"{service.name}.docs_asset",
        public(),
        "Arquivo da página da API",
        dialect=dialect,
        in_description=False,
    )
    async def asset(call: CurrentCall, name: FromPath[str]) -> Response[bytes]:
        return asset_answer(name, call)

    return [openapi, docs, asset]


def asset_answer(name: str, call: Call) -> Response[bytes]:
    """A file of the API page. Raises NotFound."""
    if name not in _ASSETS:
        raise NotFound()
    body, etag = _asset(name)
    answer: Response[bytes] = from_bytes(body, etag, call, "public, max-age=86400")
    answer.media_type = _ASSETS[name]
    return answer


@functools.cache
def _asset(name: str) -> tuple[bytes, str]:
    body = (files("balcao.core.http") / "static" / name).read_bytes()
    return body, etag_of(body)


@functools.cache
def document(service: "Service", gateways: tuple[str, ...] = ()) -> bytes:
    """The OpenAPI document as bytes: paths relative to the service's base, the same at every start.

    `gateways` are the addresses under which the city offers the platform; none: the document's own address.
    """
    from balcao.core.service import description  # the service is built from these routes

    found = description(service, [f"{gateway}{service.prefix}{service.base}" for gateway in gateways])
    found["paths"] = {path.removeprefix(service.base) or "/": item for path, item in found["paths"].items()}
    return msgspec.json.format(msgspec.json.encode(found, order="sorted"), indent=2)
