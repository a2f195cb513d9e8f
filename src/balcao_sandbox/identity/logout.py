"""Logout: through the browser (OpenID Connect RP-Initiated Logout), or directly with a refresh token."""

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx

from balcao.core.http.responses import NO_CONTENT, Response, redirect
from balcao.core.logs import log
from balcao.identity.oauth import InvalidRequest
from balcao_sandbox.identity import browser, forms, pages, tokens
from balcao_sandbox.identity.clients import accepts_redirect, authenticate
from balcao_sandbox.identity.grants import make_invalid_grant
from balcao_sandbox.identity.realm import Realm, RealmRequest


async def receive_form(request: RealmRequest) -> Response[Any]:
    """Process a logout form from a client's server, from our own page or from a client's page."""
    form = forms.read_form(request)
    if "refresh_token" in form:
        return await _log_out_by_token(request, form)
    if "csrf" in form:
        return await _log_out(request, form)
    return await request_logout(request, form)


async def request_logout(request: RealmRequest, parameters: Mapping[str, str]) -> Response[Any]:
    """End the session if the request contains an ID token from this provider. Otherwise ask the person.

    Raises InvalidRequest if the ID token or the return address is not valid.
    """
    realm = request.realm
    hint = _read_hint(realm, parameters)
    back = await _find_return_address(realm, parameters, hint)
    if hint is None:
        return _show_confirmation(request, parameters)
    current = await browser.find_session(request)
    response = _finish(back)
    if current is None or current.id == hint["sid"]:
        response = response.with_added(cookies=(browser.format_realm_cookie(realm, browser.SESSION, ""),))
    await _end_session(realm, str(hint["sid"]))
    return response


async def _log_out(request: RealmRequest, form: Mapping[str, str]) -> Response[Any]:
    realm = request.realm
    back = await _find_return_address(realm, form, None)
    if not browser.is_our_form(request, form):
        return _show_confirmation(request, form)
    current = await browser.find_session(request)
    if current is not None:
        await _end_session(realm, current.id)
    response = _finish(back)
    return response.with_added(cookies=(browser.format_realm_cookie(realm, browser.SESSION, ""),))


async def _log_out_by_token(request: RealmRequest, form: Mapping[str, str]) -> Response[Any]:
    """Log out without a browser.

    The request needs a refresh token and, unless the client is public, the client's secret. Keycloak has the same
    operation.
    """
    client = (await authenticate(request, form, "authorization_code")).client
    session = await request.realm.records.end_session_by_token(form["refresh_token"], client.client_id)
    if session is None:
        raise make_invalid_grant()
    await _announce_end(request.realm, session)
    return Response(status=NO_CONTENT)


async def _end_session(realm: Realm, session: str) -> None:
    await realm.records.end_session(session)
    await _announce_end(realm, session)


async def _announce_end(realm: Realm, session: str) -> None:
    """Notify the platform, the panel and the site that the session's tokens are no longer valid.

    If a notification fails, the logout still succeeds.
    """
    await asyncio.gather(*(_announce_end_at(realm, address, session) for address in realm.logout_urls))


async def _announce_end_at(realm: Realm, address: str, session: str) -> None:
    try:
        told = await realm.http.post(address, data={"logout_token": tokens.issue_logout_token(realm, session)})
        told.raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as fault:
        log.warning("identity.logout_not_told", code=type(fault).__name__)


def _read_hint(realm: Realm, parameters: Mapping[str, str]) -> Mapping[str, Any] | None:
    """Return the claims of the ID token in the request, even if the token has expired. Return None without an ID token.

    Raises InvalidRequest unless this provider issued the token for the client.
    """
    if "id_token_hint" not in parameters:
        return None
    claims = tokens.read_claims(realm, parameters["id_token_hint"])
    if claims is None or "sid" not in claims or claims["aud"] != parameters.get("client_id", claims["aud"]):
        raise InvalidRequest("id_token_hint não é um ID token deste provedor para este aplicativo.")
    return claims


async def _find_return_address(
    realm: Realm, parameters: Mapping[str, str], hint: Mapping[str, Any] | None
) -> str | None:
    address = parameters.get("post_logout_redirect_uri")
    if address is None:
        return None
    client = await realm.find_client(hint["aud"] if hint else parameters.get("client_id", ""))
    if client is None or not accepts_redirect(client, address):
        raise InvalidRequest("O endereço de retorno não está cadastrado para este aplicativo.")
    state = urlencode({"state": parameters["state"]}) if "state" in parameters else ""
    return f"{address}{('&' if urlsplit(address).query else '?') if state else ''}{state}"


def _show_confirmation(request: RealmRequest, parameters: Mapping[str, str]) -> Response[Any]:
    realm, csrf = request.realm, browser.choose_form_secret(request)
    fields = {n: parameters[n] for n in ("client_id", "post_logout_redirect_uri", "state") if n in parameters}
    action = f"{realm.path}/protocol/openid-connect/logout"
    response = pages.render_logout(action, fields | {"csrf": csrf}, fields.get("post_logout_redirect_uri", ""))
    return response.with_added(cookies=(browser.format_realm_cookie(realm, browser.CSRF, csrf),))


def _finish(back: str | None) -> Response[Any]:
    return pages.render_logged_out() if back is None else redirect(back, 303)
