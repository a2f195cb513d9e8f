"""The pages on which developers create clients in the trial. They require a login at the provider itself."""

from collections.abc import Mapping
from typing import Any

from balcao.core.errors import BalcaoError, TooMany
from balcao.core.http.responses import Response, redirect
from balcao.identity.oauth import Refused
from balcao_sandbox.identity import browser, forms, login, own_clients, pages
from balcao_sandbox.identity.own_clients import ClientUnknown
from balcao_sandbox.identity.realm import RealmRequest
from balcao_sandbox.identity.store import Session


async def show_clients(request: RealmRequest) -> Response[Any]:
    """Show the person's clients. Show the login form if there is no session."""
    session = await browser.find_session(request)
    return _show_login(request) if session is None else await _show(request, session)


async def log_in(request: RealmRequest) -> Response[Any]:
    """Log a person in for these pages."""
    realm, form = request.realm, forms.read_form(request)
    username = form.get("username", "")
    if not browser.is_our_form(request, form):
        return _show_login(request, username, login.OUTDATED_FORM, 400)
    try:
        person = await login.find_person(realm, username, form.get("password", ""), request.address)
    except TooMany as fault:
        return _show_login(request, username, login.format_too_many(fault), fault.status)
    if person is None:
        return _show_login(request, username, login.WRONG_LOGIN, 400)
    _, proof = await realm.records.log_in(person.username)
    return redirect(f"{realm.path}/clients", 303).with_added(
        cookies=(browser.format_realm_cookie(realm, browser.SESSION, proof),)
    )


async def add_client(request: RealmRequest) -> Response[Any]:
    """Add a client and show its secret, which is never shown again."""
    session, form = await _read_post(request)
    if session is None:
        return _show_login(request, fault=login.OUTDATED_FORM, status=400)
    try:
        shown = await request.realm.own_clients.add(session.username, own_clients.parse_wanted(form))
    except (Refused, own_clients.TooManyClients) as fault:
        return await _show(request, session, fault=fault, sent=form)
    return await _show(request, session, shown=shown, status=201)


async def renew_secret(request: RealmRequest) -> Response[Any]:
    """Create a new secret for one of the person's clients, and show it once.

    Raises ClientUnknown if the person has no such client.
    """
    session, _ = await _read_post(request)
    if session is None:
        return _show_login(request, fault=login.OUTDATED_FORM, status=400)
    (client_id,) = request.path_values
    secret = await request.realm.own_clients.renew_secret(session.username, client_id)
    return await _show(request, session, shown=(client_id, secret))


async def confirm_end(request: RealmRequest) -> Response[Any]:
    """Explain the effects of deleting a client, and ask for confirmation.

    Raises ClientUnknown if the person has no such client.
    """
    session = await browser.find_session(request)
    if session is None:
        return _show_login(request)
    (client_id,) = request.path_values
    own = await request.realm.own_clients.list_clients(session.username)
    client = next((each for each in own if each.client_id == client_id), None)
    if client is None:
        raise ClientUnknown()
    return _render(request, "end_client.html", 200, client=client)


async def end_client(request: RealmRequest) -> Response[Any]:
    """Delete one of the person's clients. Raises ClientUnknown if the person has no such client."""
    session, _ = await _read_post(request)
    if session is None:
        return _show_login(request, fault=login.OUTDATED_FORM, status=400)
    (client_id,) = request.path_values
    await request.realm.own_clients.end(session.username, client_id)
    return redirect(f"{request.realm.path}/clients", 303)


async def _read_post(request: RealmRequest) -> tuple[Session | None, Mapping[str, str]]:
    """Return the session and the form. The session is None if the form did not come from one of our pages."""
    form = forms.read_form(request)
    return (await browser.find_session(request) if browser.is_our_form(request, form) else None), form


async def _show(
    request: RealmRequest,
    session: Session,
    *,
    fault: BalcaoError | None = None,
    sent: Mapping[str, str] | None = None,
    shown: tuple[str, str] | None = None,
    status: int = 200,
) -> Response[Any]:
    response = _render(
        request,
        "clients.html",
        fault.status if fault else status,
        owner=session.username,
        clients=await request.realm.own_clients.list_clients(session.username),
        scopes=own_clients.list_scopes(),
        issuer=request.realm.issuer,
        fault=fault.message if fault else "",
        sent=dict.fromkeys(("name", "redirect_uris", "access_seconds", "refresh_seconds"), "") | dict(sent or {}),
        shown=shown,
    )
    return response.with_added({"Error-Code": fault.code}) if fault else response


def _render(request: RealmRequest, template: str, status: int, **values: object) -> Response[str]:
    csrf = browser.choose_form_secret(request)
    response = pages.render(template, status, path=request.realm.path, csrf=csrf, **values)
    return response.with_added(cookies=(browser.format_realm_cookie(request.realm, browser.CSRF, csrf),))


def _show_login(request: RealmRequest, username: str = "", fault: str = "", status: int = 200) -> Response[str]:
    realm, csrf = request.realm, browser.choose_form_secret(request)
    style = f"{realm.path}/login.css"
    response = pages.render_login(f"{realm.path}/clients/login", csrf, "", username, fault, status, style)
    return response.with_added(cookies=(browser.format_realm_cookie(realm, browser.CSRF, csrf),))
