"""Login and logout: the redirect to the provider and back, and the provider's logout notifications."""

import base64
import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from balcao.core.access.caller import subject_key
from balcao.core.access.logout_tokens import read_logout_token
from balcao.core.access.refusals import LOGIN as LOGIN_KIND
from balcao.core.access.refusals import PAGE, TOKEN
from balcao.core.errors import BalcaoError
from balcao.core.http.cookies import format_cookie, read_cookies
from balcao.core.http.forms import FormData, parse_fields, read_form
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response, redirect
from balcao.core.http.unauthenticated_refusals import count_anonymous
from balcao.core.logs import log
from balcao.web import guard
from balcao.web.faults import LoginFailed, PageFault
from balcao.web.provider import GrantRefused, ProviderAway
from balcao.web.provider import Login as ProviderLogin
from balcao.web.sealing import InvalidSeal
from balcao.web.sessions.service import hash_cookie
from balcao.web.sessions.session import Session
from balcao.web.surface import Surface

LOGIN, RETURN, LOGOUT, LEFT = "/entrar", "/retorno", "/sair", "/saiu"
BACKCHANNEL = "/backchannel-logout"
# A login at the provider must finish within this time.
_ATTEMPT_SECONDS = 900
# A browser can have at most this many unfinished logins. Each tab has its own login cookie. Older cookies are deleted,
# because they would make the request's headers too large.
_MOST_ATTEMPTS = 4
_SEAL_CONTEXT = b"login attempt"
# The query parameter that tells the logout page that the provider's session is still open.
_ONLY_HERE = "so-aqui"


class Attempt(msgspec.Struct, frozen=True):
    """An unfinished login.

    It is stored in an encrypted cookie, so that starting logins cannot fill a database table.
    """

    state: str
    nonce: str
    verifier: str
    back: str
    begun_at: float
    key_before: bytes


class Login:
    """The handlers for login and logout."""

    def __init__(self, surface: Surface[Any], render: Callable[..., Response[Any]]) -> None:
        """Set up the handlers. `render` renders a page without a session from a template, a status and values."""
        self._surface = surface
        self._render = render
        self._return_url = find_return_url(surface.address, surface.prefix)
        self._session, self._attempt = surface.cookie, f"{surface.cookie}-entrada-"

    async def begin(self, request: Request) -> Response[Any]:
        """Redirect the browser to the provider. An encrypted cookie stores the address to which the person returns."""
        count_anonymous(self._surface.refusals, request, LOGIN_KIND)
        query, cookies = parse_fields(request.query_string), read_cookies(request.headers)
        attempt = Attempt(
            state=secrets.token_urlsafe(24),
            nonce=secrets.token_urlsafe(24),
            verifier=secrets.token_urlsafe(48),
            back=guard.read_return_path(query.first("para"), self._surface.prefix),
            begun_at=time.time(),
            key_before=hash_cookie(cookies.get(self._surface.name_cookie(self._session), "")),
        )
        sealed = self._surface.sealer.seal(_SEAL_CONTEXT, msgspec.json.encode(attempt))
        value = base64.urlsafe_b64encode(sealed).decode()
        cookie = self._format_cookie(self._name_attempt(attempt.state), value, seconds=_ATTEMPT_SECONDS)
        address = await self._surface.provider.build_login_url(
            self._return_url, attempt.state, attempt.nonce, attempt.verifier
        )
        return redirect(address, 303, cookies=(cookie, *self._drop_older_attempts(cookies)))

    async def finish(self, request: Request) -> Response[Any]:
        """Start a session after the provider has redirected the browser back.

        Raises LoginFailed if the login failed. The failure counts toward the limit for requests without a session.
        """
        try:
            return await self._finish(request)
        except LoginFailed:
            count_anonymous(self._surface.refusals, request, LOGIN_KIND)
            raise

    async def _finish(self, request: Request) -> Response[Any]:
        surface, query = self._surface, parse_fields(request.query_string)
        former = await self.find_session(request)
        sealed = read_cookies(request.headers).get(surface.name_cookie(self._name_attempt(query.first("state"))), "")
        attempt = self._open_attempt(sealed)
        is_ours = attempt is not None and hmac.compare_digest(attempt.state.encode(), query.first("state").encode())
        if attempt is None or not is_ours or query.first("iss") not in {"", surface.provider.issuer}:
            if former is not None and former.is_active:  # the person has since logged in in another window
                return redirect(surface.prefix, 303)
            raise LoginFailed("O login demorou demais ou começou em outra janela.")
        if query.first("error"):
            raise LoginFailed("O provedor de identidade não concluiu o login.")
        try:
            login = await surface.provider.exchange_code(
                query.first("code"), self._return_url, attempt.nonce, attempt.verifier
            )
        except GrantRefused as fault:
            log.warning(f"{surface.name}.login_refused", code=str(fault))
            raise LoginFailed("O provedor de identidade não confirmou o login.") from None
        if former is not None:  # the new session replaces it
            await surface.sessions.end(former)
        is_of_other_tab = former is not None and _began_in_other_tab(former, login, attempt)
        cookie = await surface.sessions.begin(
            login, former.identity.form_secret if former and is_of_other_tab else None
        )
        log.info(f"{surface.name}.login")
        ended = self._format_cookie(self._name_attempt(attempt.state), "")
        return redirect(attempt.back, 303, cookies=(self._format_cookie(self._session, cookie), ended))

    async def leave(self, request: Request) -> Response[Any]:
        """End the session here and at the provider.

        First end the provider's session directly, with the refresh token. If the provider does not support that,
        redirect the browser to the provider's logout page, without a token.
        """
        surface, session = self._surface, await self.find_session(request)
        gone = self._format_cookie(self._session, "")
        if session is None or not session.is_active:
            count_anonymous(surface.refusals, request, PAGE)
            return redirect(surface.prefix + LEFT, 303, cookies=(gone,))
        self.check_site(request)
        self.check_secret(request, session, read_form(request))
        await surface.sessions.end(session)
        log.info(f"{surface.name}.logout")
        address: str | None = None
        if session.tokens is not None:
            try:
                if not await surface.provider.end_session(session.tokens):
                    address = await surface.provider.build_logout_url(f"{surface.address}{surface.prefix}{LEFT}")
            except ProviderAway:  # the browser could not reach the provider either
                address = f"{surface.prefix}{LEFT}?{_ONLY_HERE}=1"
        return redirect(address or surface.prefix + LEFT, 303, cookies=(gone,))

    async def show_end(self, request: Request) -> Response[Any]:
        """Show the page that follows a logout. Warn if the provider's session may still be open."""
        count_anonymous(self._surface.refusals, request, PAGE)
        only_here = bool(parse_fields(request.query_string).first(_ONLY_HERE))
        return self._render("frame/left.html", 200, only_here=only_here)

    async def receive_logout_token(self, request: Request) -> Response[Any]:
        """End the sessions that the provider's logout token names (OpenID Connect Back-Channel Logout 1.0)."""
        try:
            token = read_form(request).first("logout_token")
            ending = await read_logout_token(self._surface.provider.tokens, token)
        except BalcaoError:
            count_anonymous(self._surface.refusals, request, TOKEN)
            raise
        await self._surface.sessions.end_by_logout_token(ending)
        return Response(status=200, headers={"Cache-Control": "no-store"})

    async def find_session(self, request: Request, *, is_use: bool = True) -> Session | None:
        """Return the session that the browser's cookie identifies, even if it has ended."""
        cookies = read_cookies(request.headers)
        return await self._surface.sessions.find(
            cookies.get(self._surface.name_cookie(self._session), ""), is_use=is_use
        )

    def check_site(self, request: Request) -> None:
        """Raise PageFault if the form comes from another site. This check does not need the body."""
        if not guard.is_from_here(request.headers, self._surface.origin):
            raise _make_foreign()

    def check_secret(self, request: Request, session: Session, form: FormData) -> None:
        """Raise PageFault if the form does not come from a page of this session."""
        if not guard.has_secret(session, request.headers, form):
            raise _make_foreign()

    def _open_attempt(self, sealed: str) -> Attempt | None:
        try:
            opened = self._surface.sealer.open(_SEAL_CONTEXT, base64.urlsafe_b64decode(sealed))
            attempt = msgspec.json.decode(opened, type=Attempt)
        except (InvalidSeal, ValueError):
            return None
        return attempt if time.time() - attempt.begun_at < _ATTEMPT_SECONDS else None

    def _drop_older_attempts(self, cookies: Mapping[str, str]) -> list[str]:
        """Return cookies that delete all unfinished logins except the newest. Unreadable logins are deleted first."""
        attempts = {name: self._open_attempt(cookies[self._surface.name_cookie(name)]) for name in self._find(cookies)}
        newest_first = sorted(attempts, key=lambda name: -(one.begun_at if (one := attempts[name]) else 0))
        return [self._format_cookie(name, "") for name in newest_first[_MOST_ATTEMPTS - 1 :]]

    def _find(self, cookies: Mapping[str, str]) -> list[str]:
        """Return the names of the cookies for unfinished logins, without the parts that `name_cookie` adds."""
        start, end = self._surface.name_cookie(f"{self._attempt}|").split("|")
        return [
            name[len(start) - len(self._attempt) : len(name) - len(end)]
            for name in cookies
            if name.startswith(start) and name.endswith(end)
        ]

    def _name_attempt(self, state: str) -> str:
        """Return the name of the cookie for one login. Each tab in which a login starts has its own cookie."""
        return self._attempt + state[:16]

    def _format_cookie(self, name: str, value: str, seconds: int | None = None) -> str:
        surface = self._surface
        return format_cookie(surface.name_cookie(name), value, secure=surface.is_secure, seconds=seconds)


def _began_in_other_tab(former: Session, login: ProviderLogin, attempt: Attempt) -> bool:
    """Return whether the same person started the former session in another tab while this login was in progress."""
    is_same_person = former.stored.subject_key == subject_key(login.issuer, login.subject)
    return former.is_active and is_same_person and former.stored.key != attempt.key_before


def _make_foreign() -> PageFault:
    return PageFault(
        403,
        "O formulário não pôde ser conferido",
        "Ele veio de outra página ou de uma sessão anterior. Nada foi enviado: volte, recarregue e repita.",
    )


def find_return_url(address: str, prefix: str) -> str:
    """Return the address to which the provider redirects after a login."""
    return f"{address}{prefix}{RETURN}"
