"""The login of a person in a browser: the page, the attempt, and the way back to the client with a code."""

import hmac
from collections.abc import Awaitable, Mapping
from typing import Any, Literal
from urllib.parse import urlencode

from balcao.core.errors import TooMany
from balcao.core.http.responses import Response, redirect
from balcao.core.values.cpf import Cpf
from balcao.identity import authorization, browser, forms, pages
from balcao.identity.authorization import Destination
from balcao.identity.demo import Person, people_by_login
from balcao.identity.faults import Refused
from balcao.identity.realm import Realm, RealmRequest
from balcao.identity.records import secret
from balcao.identity.store import Session
from balcao.identity.tokens import subject_of

# A hundred times higher in the sandbox, as every rate.
ACCOUNT_RATE = "10/minute"
ADDRESS_RATE = "60/minute"

WRONG = "CPF ou senha incorretos."
OUTDATED = "O formulário expirou. Tente de novo."


async def begin(request: RealmRequest, asked: Mapping[str, str]) -> Response[Any]:
    """A code at once for who is logged in already, else the page."""
    realm = request.realm
    target = authorization.destination(realm, asked)
    return await _or_back(realm, target, _begin(request, target, asked))


async def _begin(request: RealmRequest, target: Destination, asked: Mapping[str, str]) -> Response[Any]:
    realm = request.realm
    authorization.check(asked)
    session = authorization.usable(await browser.session(request), asked)
    if session is None:
        return _page(request, asked, asked.get("login_hint", ""))
    return await _with_code(realm, target, session, asked, 302)


async def attempt(request: RealmRequest) -> Response[Any]:
    """The form of the page; the authorization request comes with it and is checked again."""
    realm, asked, form = request.realm, forms.query(request), forms.form(request)
    target = authorization.destination(realm, asked)
    username = form.get("username", "")
    if not browser.sent_our_form(request, form):
        return _page(request, asked, username, OUTDATED, 400)
    try:
        person = await _identified(realm, username, form.get("password", ""), request.address)
    except TooMany as fault:
        return _too_many(request, asked, username, fault)
    if person is None:
        return _page(request, asked, username, WRONG, 400)
    return await _or_back(realm, target, _logged_in(realm, target, person, asked))


async def _logged_in(realm: Realm, target: Destination, person: Person, asked: Mapping[str, str]) -> Response[Any]:
    authorization.check(asked)
    session, proof = await realm.records.log_in(person.username)
    response = await _with_code(realm, target, session, asked, 303)
    return response.adding(cookies=(browser.cookie(realm, browser.SESSION, proof),))


async def _identified(realm: Realm, username: str, password: str, address: str) -> Person | None:
    """By CPF, with or without punctuation, or by user name. Raises TooMany."""
    await realm.limits.spend(ADDRESS_RATE, "login-address", address)
    cpf = Cpf.parse_claim(username)
    person = people_by_login().get(cpf.digits if cpf else username.strip().lower())
    if person is not None:
        await realm.limits.spend(ACCOUNT_RATE, "login-account", subject_of(person))
    expected = person.password if person is not None else secret()
    return person if hmac.compare_digest(password.encode(), expected.encode()) else None


async def _with_code(
    realm: Realm, target: Destination, session: Session, asked: Mapping[str, str], status: Literal[302, 303]
) -> Response[Any]:
    code = await authorization.code_for(realm, session, target.client, asked)
    return redirect(target.with_answer(realm, {"code": code}), status)


async def _or_back(realm: Realm, target: Destination, answer: Awaitable[Response[Any]]) -> Response[Any]:
    """What `answer` gives, or its refusal told to the client."""
    try:
        return await answer
    except Refused as fault:
        words = {"error": fault.error, "error_description": fault.message}
        return redirect(target.with_answer(realm, words), 303)


def _page(
    request: RealmRequest, asked: Mapping[str, str], username: str = "", fault: str = "", status: int = 200
) -> Response[str]:
    realm, csrf = request.realm, browser.csrf(request)
    action = f"{realm.path}/protocol/openid-connect/authenticate?{urlencode(asked)}"
    response = pages.login(action, csrf, username, fault, status)
    return response.adding(cookies=(browser.cookie(realm, browser.CSRF, csrf),))


def _too_many(request: RealmRequest, asked: Mapping[str, str], username: str, fault: TooMany) -> Response[str]:
    text = f"Muitas tentativas. Tente de novo em {fault.retry_after} segundos."
    response = _page(request, asked, username, text, fault.status)
    return response.adding({"Retry-After": str(fault.retry_after)})
