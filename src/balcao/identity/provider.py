"""The embedded identity provider: OpenID Connect on the paths of the specification, for trial and tests only."""

from collections.abc import Callable
from typing import Any

from litestar import Litestar, Response, route
from litestar.datastructures import MutableScopeHeaders, State
from litestar.handlers import HTTPRouteHandler

from balcao.core.access.check import OPERATION
from balcao.core.context.platform import Platform
from balcao.core.errors import NotFound
from balcao.gateway.front_door import Mount
from balcao.identity import discovery, forms, grants, login, logout, pages, tokens
from balcao.identity.faults import HANDLERS, OAUTH, TokenRefused
from balcao.identity.realm import AnyRequest, Realm, realm_of
from balcao.settings import Settings, SettingsError

PREFIX = "/auth"
_OPENID = "/protocol/openid-connect"


def mount(settings: Settings, platform: Platform) -> Mount:
    """Raises SettingsError in the production profile and for keys that cannot be used."""
    if not settings.sandbox:
        raise SettingsError("O provedor de identidade embutido não funciona com BALCAO_PROFILE=production.")
    app = Litestar(
        [configuration, certs, style, authorize, authenticate, token, user_info, end, end_posted],
        path="/realms/{realm:str}",
        before_request=_admit,
        before_send=[_never_stored],
        exception_handlers=HANDLERS,
        request_max_body_size=forms.MAX_FORM_BYTES,
        state=State({"realm": Realm(settings, platform)}),
        openapi_config=None,
        logging_config=None,
    )
    return Mount("identity", PREFIX, app, lambda _: OAUTH)


def _admit(request: AnyRequest) -> None:
    """One realm exists. The operation's name is for the log."""
    scope: Any = request.scope
    scope[OPERATION] = f"identity.{request.route_handler.handler_name}"
    if request.path_params["realm"] != realm_of(request).name:
        raise NotFound("Este domínio (realm) não existe.")


async def _never_stored(message: Any, _: Any) -> None:
    """Tokens, codes and pages are for one reader, and keys must be seen fresh after a rotation."""
    if message["type"] == "http.response.start":
        MutableScopeHeaders.from_message(message)["Cache-Control"] = "no-store"


def _on(path: str, *methods: Any, status: int = 200) -> Callable[[Callable[..., Any]], HTTPRouteHandler]:
    return route(path, http_method=methods, status_code=status)


@_on("/.well-known/openid-configuration", "GET")
async def configuration(request: AnyRequest) -> dict[str, Any]:
    return discovery.document(realm_of(request))


@_on(f"{_OPENID}/certs", "GET")
async def certs(request: AnyRequest) -> dict[str, Any]:
    return realm_of(request).keys.published()


@_on("/login.css", "GET")
async def style() -> Response[str]:
    return pages.style()


@_on(f"{_OPENID}/auth", "GET", "POST")
async def authorize(request: AnyRequest) -> Response[Any]:
    return await login.begin(request, await forms.either(request))


@_on(f"{_OPENID}/authenticate", "POST")
async def authenticate(request: AnyRequest) -> Response[Any]:
    return await login.attempt(request)


@_on(f"{_OPENID}/token", "POST")
async def token(request: AnyRequest) -> dict[str, Any]:
    form = await forms.form(request)
    return await grants.exchange(realm_of(request), form, request.headers.get("authorization"))


@_on(f"{_OPENID}/userinfo", "GET", "POST")
async def user_info(request: AnyRequest) -> dict[str, Any]:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    grant = await tokens.grant_of(realm_of(request), given) if scheme.lower() == "bearer" else None
    if grant is None:
        raise TokenRefused()
    return tokens.user_info(grant)


@_on(f"{_OPENID}/logout", "GET")
async def end(request: AnyRequest) -> Response[Any]:
    return await logout.asked(request, forms.query(request))


@_on(f"{_OPENID}/logout", "POST")
async def end_posted(request: AnyRequest) -> Response[Any]:
    return await logout.posted(request)
