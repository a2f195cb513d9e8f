"""The embedded identity provider: OpenID Connect with the specification's paths. It is only for the trial and tests."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.errors import BalcaoError, NotFound
from balcao.core.http.endpoint import PageEndpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import NO_STORE, Response, to_json
from balcao.gateway.gateway import Mount
from balcao.identity.backchannel import PREFIX
from balcao.identity.oauth import MAX_FORM_BYTES, OAUTH
from balcao.settings import Settings, SettingsError
from balcao_sandbox.identity import client_pages, discovery, faults, forms, grants, login, logout, pages, tokens
from balcao_sandbox.identity.faults import TokenRefused
from balcao_sandbox.identity.realm import Realm, RealmRequest

# Caches must not store responses: tokens, codes and pages are for a single reader, and a key rotation must be visible
# immediately.
_NEVER_STORED = {"Cache-Control": NO_STORE}

PendingResponse = Response[Any] | Awaitable[Response[Any]]


def mount(settings: Settings, platform: Platform) -> Mount:
    """Build the provider's endpoints. Raises SettingsError in production or if the keys are not usable."""
    if not settings.sandbox:
        raise SettingsError("O provedor de identidade embutido não funciona com BALCAO_PROFILE=production.")
    return mount_realm(Realm(settings, platform.database, platform.limits, platform.http))


def mount_realm(realm: Realm) -> Mount:
    """Build a realm's endpoints."""
    openid = "/protocol/openid-connect"
    # Method, path, name for logs and metrics, and handler.
    addresses: list[tuple[str, str, str, Callable[[RealmRequest], PendingResponse]]] = [
        ("GET", "/.well-known/openid-configuration", "configuration", _read_configuration),
        ("GET", f"{openid}/certs", "certs", _read_keys),
        ("GET", "/login.css", "style", _read_style),
        ("GET", f"{openid}/auth", "authorize", _authorize),
        ("POST", f"{openid}/auth", "authorize", _authorize),
        ("POST", f"{openid}/authenticate", "attempt", login.attempt_login),
        ("POST", f"{openid}/token", "token", _issue_tokens),
        ("GET", f"{openid}/userinfo", "user_info", _read_user_info),
        ("POST", f"{openid}/userinfo", "user_info", _read_user_info),
        ("GET", f"{openid}/logout", "end", _end_session),
        ("POST", f"{openid}/logout", "posted", logout.receive_form),
        ("GET", "/clients", "clients", client_pages.show_clients),
        ("POST", "/clients", "add_client", client_pages.add_client),
        ("POST", "/clients/login", "clients_login", client_pages.log_in),
        ("POST", "/clients/{client}/secret", "renew_secret", client_pages.renew_secret),
        ("GET", "/clients/{client}/end", "confirm_end", client_pages.confirm_end),
        ("POST", "/clients/{client}/end", "end_client", client_pages.end_client),
    ]
    endpoints = [
        (method, f"/realms/{{realm}}{path}", _endpoint(realm, method, name, handler))
        for method, path, name, handler in addresses
    ]
    return Mount("identity", PREFIX, endpoints, lambda _: OAUTH)


def _endpoint(realm: Realm, method: str, name: str, handler: Callable[[RealmRequest], PendingResponse]) -> PageEndpoint:
    async def respond(request: Request) -> Response[Any]:
        if request.path_values[0] != realm.name:
            raise NotFound("Este domínio (realm) não existe.")
        response = handler(RealmRequest(realm, request))
        return (await response if inspect.isawaitable(response) else response).with_added(_NEVER_STORED)

    def refuse(request: Request, fault: BalcaoError) -> Response[Any]:
        return faults.refuse(request, fault).with_added(_NEVER_STORED)

    return PageEndpoint("identity", f"identity.{name}", method, respond, refuse, MAX_FORM_BYTES)


def _read_configuration(request: RealmRequest) -> PendingResponse:
    return to_json(discovery.build_document(request.realm))


def _read_keys(request: RealmRequest) -> PendingResponse:
    return to_json(request.realm.keys.export_public())


def _read_style(_: RealmRequest) -> PendingResponse:
    return pages.read_style()


def _authorize(request: RealmRequest) -> PendingResponse:
    return login.start_login(request, forms.read_parameters(request))


async def _issue_tokens(request: RealmRequest) -> Response[Any]:
    return to_json(await grants.exchange(request, forms.read_form(request)))


async def _read_user_info(request: RealmRequest) -> Response[Any]:
    scheme, _, given = request.header("authorization").partition(" ")
    grant = await tokens.find_grant(request.realm, given) if scheme.lower() == "bearer" else None
    if grant is None:
        raise TokenRefused()
    return to_json(tokens.list_user_info(grant))


def _end_session(request: RealmRequest) -> PendingResponse:
    return logout.request_logout(request, forms.read_query(request))
