"""Logging out: through the browser (OpenID Connect RP-Initiated Logout), or behind it by a refresh token."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from balcao.core.http.responses import NO_CONTENT, Response, redirect
from balcao.identity import browser, forms, pages, tokens
from balcao.identity.clients import authenticated, may_return_to
from balcao.identity.faults import InvalidRequest
from balcao.identity.grants import invalid_grant
from balcao.identity.realm import Realm, RealmRequest


async def posted(request: RealmRequest) -> Response[Any]:
    """Three senders use one address: a client's server, our own page, and a client through the browser."""
    form = forms.form(request)
    if "refresh_token" in form:
        return await _behind(request.realm, form, request.header("authorization") or None)
    if "csrf" in form:
        return await _confirmed(request, form)
    return await asked(request, form)


async def asked(request: RealmRequest, parameters: Mapping[str, str]) -> Response[Any]:
    """With an ID token of ours the session ends at once, else the person is asked. Raises InvalidRequest."""
    realm = request.realm
    hint = _hint(realm, parameters)
    back = _way_back(realm, parameters, hint)
    if hint is None:
        return _confirmation(request, parameters)
    current = await browser.session(request)
    response = _done(back)
    if current is None or current.id == hint["sid"]:
        response = response.adding(cookies=(browser.cookie(realm, browser.SESSION, ""),))
    await realm.records.end_session(str(hint["sid"]))
    return response


async def _confirmed(request: RealmRequest, form: Mapping[str, str]) -> Response[Any]:
    realm = request.realm
    back = _way_back(realm, form, None)
    if not browser.sent_our_form(request, form):
        return _confirmation(request, form)
    current = await browser.session(request)
    if current is not None:
        await realm.records.end_session(current.id)
    response = _done(back)
    return response.adding(cookies=(browser.cookie(realm, browser.SESSION, ""),))


async def _behind(realm: Realm, form: Mapping[str, str], authorization: str | None) -> Response[Any]:
    """As Keycloak does it: the client's secret, where it has one, and the refresh token; 204."""
    client = authenticated(realm, form, authorization, "authorization_code")
    if not await realm.records.end_session_of(form["refresh_token"], client.client_id):
        raise invalid_grant()
    return Response(status=NO_CONTENT)


def _hint(realm: Realm, parameters: Mapping[str, str]) -> Mapping[str, Any] | None:
    """An expired ID token serves as well."""
    if "id_token_hint" not in parameters:
        return None
    claims = tokens.read(realm, parameters["id_token_hint"])
    if claims is None or "sid" not in claims or claims["aud"] != parameters.get("client_id", claims["aud"]):
        raise InvalidRequest("id_token_hint não é um ID token deste provedor para este aplicativo.")
    return claims


def _way_back(realm: Realm, parameters: Mapping[str, str], hint: Mapping[str, Any] | None) -> str | None:
    address = parameters.get("post_logout_redirect_uri")
    if address is None:
        return None
    client = realm.clients.get(hint["aud"] if hint else parameters.get("client_id", ""))
    if client is None or not may_return_to(client, address):
        raise InvalidRequest("O endereço de retorno não está cadastrado para este aplicativo.")
    state = urlencode({"state": parameters["state"]}) if "state" in parameters else ""
    return f"{address}{('&' if urlsplit(address).query else '?') if state else ''}{state}"


def _confirmation(request: RealmRequest, parameters: Mapping[str, str]) -> Response[Any]:
    realm, csrf = request.realm, browser.csrf(request)
    kept = {n: parameters[n] for n in ("client_id", "post_logout_redirect_uri", "state") if n in parameters}
    response = pages.logout(f"{realm.path}/protocol/openid-connect/logout", kept | {"csrf": csrf})
    return response.adding(cookies=(browser.cookie(realm, browser.CSRF, csrf),))


def _done(back: str | None) -> Response[Any]:
    return pages.logged_out() if back is None else redirect(back, 303)
