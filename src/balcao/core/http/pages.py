"""The OpenAPI document of a service and the page that displays it. All assets are local, so the page works offline."""

import functools
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias
from urllib.parse import urlsplit

import msgspec

from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.http.encoded_bodies import EncodedBody
from balcao.core.http.operations import PLATFORM_TAG, Operation, Routes
from balcao.core.http.parameters import InPath, OfRequest
from balcao.core.http.responses import HTML, Response
from balcao.core.http.shared_refusals import share_refusals
from balcao.core.once import Once

if TYPE_CHECKING:
    from balcao.core.http.openapi import Described

_PAGE = """<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{base}/docs/assets/swagger-ui.css">
<link rel="stylesheet" href="{base}/docs/assets/page.css">
</head>
<body>
<header class="platform">
<a href="{listing}">Todos os serviços</a>
<a href="{base}/openapi.json">OpenAPI</a>
<span id="login-status" role="status"></span>
<button id="login" type="button" hidden>Entrar</button>
</header>
<main id="api" data-base="{base}" data-issuer="{issuer}" data-client="{client}" data-pages="{pages}"></main>
<script src="{base}/docs/assets/swagger-ui-bundle.js"></script>
<script src="{base}/docs/assets/page.js" type="module"></script>
</body>
</html>
"""
# Scripts and styles are the page's own files. The page may connect only to its service and the identity provider.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' {issuer}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# The prefix that a gateway has added to the request's path, or "".
Prefix: TypeAlias = Annotated[str, OfRequest(lambda request: request.prefix)]
AssetInPath: TypeAlias = Annotated[str, InPath(str, "Nome do arquivo", "page.js")]
_ASSETS = {
    "swagger-ui.css": "text/css; charset=utf-8",
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "login.js": "text/javascript; charset=utf-8",
    "labels.js": "text/javascript; charset=utf-8",
}


def description_operations(service: "Described") -> list[Operation]:
    """Declare `/openapi.json`, `/docs` and the page's assets at the base of a service."""
    routes = Routes(tags=list(PLATFORM_TAG), dialect=service.dialect(""))

    @routes.get(
        "/openapi.json",
        f"{service.name}.openapi",
        public(),
        "Descrição da API em OpenAPI",
        errors=[304],
    )
    async def read_openapi(call: Call) -> Response[dict[str, Any]]:
        """Devolve este documento, em OpenAPI 3.1, com os endereços em que a cidade oferece a plataforma."""
        settings = call.platform.settings
        # Use the addresses that the city has configured, or else the address of this process.
        described = await _describe_once(service, settings.server_urls or (settings.base_url,)).get()
        return described.respond(call)

    @routes.get("/docs", f"{service.name}.docs", public(), "Página da API", in_description=False)
    def read_docs(call: Call, prefix: Prefix) -> Response[str]:
        settings = call.platform.settings
        issuer = settings.issuers[0]
        page = _PAGE.format(
            title=escape(service.title),
            base=escape(prefix + service.base),
            listing="/docs" if prefix else f"{service.base}/docs",
            issuer=escape(issuer),
            client=escape(settings.docs_client),
            # This address, followed by an operation's key, is the page on which the gateway documents the operation.
            pages=f"/docs/pt-BR/operacoes/{service.name}" if prefix else "",
        )
        policy = _POLICY.format(issuer=_origin(issuer))
        return Response(page.encode(), media_type=HTML, headers={"Content-Security-Policy": policy})

    @routes.get(
        "/docs/assets/{name}", f"{service.name}.docs_asset", public(), "Arquivo da página da API", in_description=False
    )
    async def read_asset(call: Call, name: AssetInPath) -> Response[bytes]:
        if name not in _ASSETS:
            raise NotFound()
        asset = await _encode_asset_once(name).get()
        return asset.respond(call, "public, max-age=86400", _ASSETS[name])

    return routes.declared


@functools.cache
def _encode_asset_once(name: str) -> Once[EncodedBody]:
    return Once(lambda: EncodedBody.of((files("balcao.core.http") / "static" / name).read_bytes()))


def _origin(address: str) -> str:
    """Return the scheme, host and port of an address, for a content security policy."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


@functools.cache
def _describe_once(service: "Described", gateways: tuple[str, ...]) -> Once[EncodedBody]:
    return Once(lambda: EncodedBody.of(document(service, gateways)))


@functools.cache
def document(service: "Described", gateways: tuple[str, ...] = ()) -> bytes:
    """Return the OpenAPI document as bytes. They are the same after every start.

    Paths are relative to the service's base. `gateways` are the addresses of the city's platform. If there are none,
    the document contains a default address.
    """
    from balcao.core.http import openapi  # imported here, because `operations` imports this module

    found = openapi.describe_api(service, [f"{gateway}{service.prefix}{service.base}" for gateway in gateways])
    share_refusals(found)
    return msgspec.json.format(msgspec.json.encode(found, order="sorted"), indent=2)
