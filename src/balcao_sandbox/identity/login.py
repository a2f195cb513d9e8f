"""Logs a person in through a browser: shows the page, checks the password, and redirects to the client with a code."""

import hmac
from collections.abc import Awaitable, Mapping
from typing import Any, Literal
from urllib.parse import urlencode

from balcao.core.errors import TooMany
from balcao.core.http.responses import Response, redirect
from balcao.core.values.cpf import Cpf
from balcao_sandbox.identity import authorization, browser, forms, pages
from balcao_sandbox.identity.authorization import Destination
from balcao_sandbox.identity.demo import Person, people_by_login
from balcao_sandbox.identity.faults import SentBack
from balcao_sandbox.identity.realm import Realm, RealmRequest
from balcao_sandbox.identity.records import make_secret
from balcao_sandbox.identity.store import Session
from balcao_sandbox.identity.tokens import compute_subject

ACCOUNT_RATE = "10/minute"
ADDRESS_RATE = "60/minute"

WRONG_LOGIN = "CPF ou senha incorretos."
OUTDATED_FORM = "O formulário expirou. Tente de novo."


async def start_login(request: RealmRequest, parameters: Mapping[str, str]) -> Response[Any]:
    """Show the login page. If the person is already logged in, redirect to the client with a code instead."""
    realm = request.realm
    target = await authorization.find_destination(realm, parameters)
    return await _redirect_refusal(realm, target, _answer_request(request, target, parameters))


async def _answer_request(request: RealmRequest, target: Destination, parameters: Mapping[str, str]) -> Response[Any]:
    realm = request.realm
    authorization.check_request(target.client, parameters)
    session = authorization.choose_session(await browser.find_session(request), parameters)
    if session is None:
        return _show_page(request, parameters, parameters.get("login_hint", ""))
    return await _redirect_with_code(realm, target, session, parameters, 302)


async def attempt_login(request: RealmRequest) -> Response[Any]:
    """Process the login form.

    The form's address contains the authorization request, which is validated again.
    """
    realm, parameters, form = request.realm, forms.read_query(request), forms.read_form(request)
    target = await authorization.find_destination(realm, parameters)
    username = form.get("username", "")
    if not browser.is_our_form(request, form):
        return _show_page(request, parameters, username, OUTDATED_FORM, 400)
    try:
        person = await find_person(realm, username, form.get("password", ""), request.address)
    except TooMany as fault:
        return _show_too_many(request, parameters, username, fault)
    if person is None:
        return _show_page(request, parameters, username, WRONG_LOGIN, 400)
    return await _redirect_refusal(realm, target, _log_in(realm, target, person, parameters))


async def _log_in(realm: Realm, target: Destination, person: Person, parameters: Mapping[str, str]) -> Response[Any]:
    authorization.check_request(target.client, parameters)
    session, proof = await realm.records.log_in(person.username)
    response = await _redirect_with_code(realm, target, session, parameters, 303)
    return response.with_added(cookies=(browser.format_realm_cookie(realm, browser.SESSION, proof),))


async def find_person(realm: Realm, username: str, password: str, address: str) -> Person | None:
    """Return the person with this password and this user name or CPF. Return None if there is none.

    Raises TooMany after too many attempts.
    """
    await realm.limits.spend(realm.declared_rate(ADDRESS_RATE), "login-address", address)
    cpf = Cpf.parse_claim(username)
    person = people_by_login().get(cpf.digits if cpf else username.strip().lower())
    if person is not None:
        await realm.limits.spend(realm.declared_rate(ACCOUNT_RATE), "login-account", compute_subject(person))
    # For an unknown person too, compare passwords, so that the response time does not reveal who exists.
    expected = person.password if person is not None else make_secret()
    return person if hmac.compare_digest(password.encode(), expected.encode()) else None


async def _redirect_with_code(
    realm: Realm, target: Destination, session: Session, parameters: Mapping[str, str], status: Literal[302, 303]
) -> Response[Any]:
    code = await authorization.grant_code(realm, session, target.client, parameters)
    return redirect(target.format_redirect(realm, {"code": code}), status)


async def _redirect_refusal(realm: Realm, target: Destination, response: Awaitable[Response[Any]]) -> Response[Any]:
    """Await the response and return it. If that raises SentBack, redirect the browser to the client with the error."""
    try:
        return await response
    except SentBack as fault:
        words = {"error": fault.error, "error_description": fault.message}
        return redirect(target.format_redirect(realm, words), fault.status).with_added({"Error-Code": fault.code})


def _show_page(
    request: RealmRequest, parameters: Mapping[str, str], username: str = "", fault: str = "", status: int = 200
) -> Response[str]:
    realm, csrf = request.realm, browser.choose_form_secret(request)
    site = realm.find_site(parameters.get("client_id", ""))
    action = f"{realm.path}/protocol/openid-connect/authenticate?{urlencode(parameters)}"
    response = pages.render_login(action, csrf, parameters.get("redirect_uri", ""), username, fault, status, site=site)
    return response.with_added(cookies=(browser.format_realm_cookie(realm, browser.CSRF, csrf),))


def format_too_many(fault: TooMany) -> str:
    """Return the error message for too many attempts."""
    return f"Muitas tentativas. Tente de novo em {fault.retry_after} segundos."


def _show_too_many(
    request: RealmRequest, parameters: Mapping[str, str], username: str, fault: TooMany
) -> Response[str]:
    response = _show_page(request, parameters, username, format_too_many(fault), fault.status)
    return response.with_added({"Retry-After": str(fault.retry_after), "Error-Code": fault.code})
