"""The embedded identity provider: OpenID Connect on the paths of the specification, for trial and tests only."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.errors import BalcaoError, NotFound
from balcao.core.http.endpoint import PageEndpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import NO_STORE, Response, to_json
from balcao.gateway.gateway import Mount
from balcao.identity import discovery, faults, forms, grants, login, logout, pages, tokens
from balcao.identity.faults import OAUTH, TokenRefused
from balcao.identity.realm import Realm, RealmRequest
from balcao.settings import Settings, SettingsError

PREFIX = "/auth"
# Tokens, codes and pages are for one reader, and keys must be seen fresh after a rotation.
_NEVER_STORED = {"Cache-Control": NO_STORE}

Answer = Response[Any] | Awaitable[Response[Any]]


def mount(settings: Settings, platform: Platform) -> Mount:
    """Compile the provider's addresses. Raises SettingsError in production and for keys that cannot be used."""
    if not settings.sandbox:
        raise SettingsError("O provedor de identidade embutido não funciona com BALCAO_PROFILE=production.")
    return mount_realm(Realm(settings, platform.database, platform.limits))


def mount_realm(realm: Realm) -> Mount:
    """Compile the addresses of one realm."""
    openid = "/protocol/openid-connect"
    addresses: list[tuple[str, str, Callable[[RealmRequest], Answer]]] = [
        ("GET", "/.well-known/openid-configuration", _configuration),
        ("GET", f"{openid}/certs", _certs),
        ("GET", "/login.css", _style),
        ("GET", f"{openid}/auth", _authorize),
        ("POST", f"{openid}/auth", _authorize),
        ("POST", f"{openid}/authenticate", login.attempt),
        ("POST", f"{openid}/token", _token),
        ("GET", f"{openid}/userinfo", _user_info),
        ("POST", f"{openid}/userinfo", _user_info),
        ("GET", f"{openid}/logout", _end),
        ("POST", f"{openid}/logout", logout.posted),
    ]
    endpoints = [
        (method, f"/realms/{{realm}}{path}", _endpoint(realm, method, handler)) for method, path, handler in addresses
    ]
    return Mount("identity", PREFIX, endpoints, lambda _: OAUTH)


def _endpoint(realm: Realm, method: str, handler: Callable[[RealmRequest], Answer]) -> PageEndpoint:
    async def respond(request: Request) -> Response[Any]:
        if request.path_values[0] != realm.name:
            raise NotFound("Este domínio (realm) não existe.")
        answer = handler(RealmRequest(realm, request))
        return (await answer if inspect.isawaitable(answer) else answer).adding(_NEVER_STORED)

    def refuse(request: Request, fault: BalcaoError) -> Response[Any]:
        return faults.refuse(request, fault).adding(_NEVER_STORED)

    key = f"identity.{handler.__name__.lstrip('_')}"
    return PageEndpoint("identity", key, method, respond, refuse, forms.MAX_FORM_BYTES)


def _configuration(request: RealmRequest) -> Answer:
    return to_json(discovery.document(request.realm))


def _certs(request: RealmRequest) -> Answer:
    return to_json(request.realm.keys.published())


def _style(_: RealmRequest) -> Answer:
    return pages.style()


def _authorize(request: RealmRequest) -> Answer:
    return login.begin(request, forms.either(request))


async def _token(request: RealmRequest) -> Response[Any]:
    form, authorization = forms.form(request), request.header("authorization") or None
    return to_json(await grants.exchange(request.realm, form, authorization))


async def _user_info(request: RealmRequest) -> Response[Any]:
    scheme, _, given = request.header("authorization").partition(" ")
    grant = await tokens.grant_of(request.realm, given) if scheme.lower() == "bearer" else None
    if grant is None:
        raise TokenRefused()
    return to_json(tokens.user_info(grant))


def _end(request: RealmRequest) -> Answer:
    return logout.asked(request, forms.query(request))
