"""Sources of access tokens: client credentials of a machine, a person's login, or a function of the caller.

Client credentials and logins cache their token and renew it before it expires. Concurrent callers share one request.
"""

import asyncio
import base64
import hashlib
import secrets
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple, Protocol, TypeVar
from urllib.parse import urlencode

import httpx
import msgspec

from balcao_client.calls import name_agent
from balcao_client.faults import BalcaoError, ConnectionFailed, UnexpectedResponse, make_fault

# A token is renewed this many seconds before it expires, or a fifth of its lifetime before, if that is shorter.
MARGIN = 30.0
# The statuses of a provider's refusal of a token request. The body is an OAuth error.
_REFUSED = {400, 401, 403}
_DISCOVERY = "/.well-known/openid-configuration"


class LoginFailed(BalcaoError):
    """The identity provider refused a login or a token.

    `error` and `error_description` come from the provider (RFC 6749, 5.2), and `status` is its response's status. If
    this client refused, `status` is None: `invalid_nonce` means that the tokens belong to another login.
    """

    def __init__(self, error: str, error_description: str = "", status: int | None = None) -> None:
        self.error = error
        self.error_description = error_description
        self.status = status
        super().__init__(f"{error}: {error_description}" if error_description else error)


class LoginEnded(LoginFailed):
    """The person must log in again, because the refresh token has expired or is missing."""


class Tokens(msgspec.Struct):
    """A response of a token endpoint."""

    access_token: str
    expires_in: float = 60.0
    refresh_token: str | None = None
    id_token: str | None = None


class _Discovered(msgspec.Struct):
    authorization_endpoint: str
    token_endpoint: str
    end_session_endpoint: str | None = None


class _Refusal(msgspec.Struct):
    error: str
    error_description: str | None = None


class _Nonce(msgspec.Struct):
    nonce: str = ""


_Received = TypeVar("_Received", Tokens, _Discovered)


class TokenSource(Protocol):
    """A source of tokens. `used_up` is a token that the platform has refused, or None."""

    def get_token(self, http: httpx.Client, base_url: str, used_up: str | None = None) -> str:
        """Return the token for the next call."""

    async def get_token_async(self, http: httpx.AsyncClient, base_url: str, used_up: str | None = None) -> str:
        """Return the token for the next call."""


class FixedToken:
    """A fixed token. An empty string makes anonymous calls."""

    def __init__(self, token: str) -> None:
        self._token = token

    def get_token(self, http: httpx.Client, base_url: str, used_up: str | None = None) -> str:
        """Return the token."""
        return self._token

    async def get_token_async(self, http: httpx.AsyncClient, base_url: str, used_up: str | None = None) -> str:
        """Return the token."""
        return self._token


class CallableToken:
    """The caller's function, which returns the token for each call.

    `AsyncBalcao` also accepts a coroutine function.
    """

    def __init__(self, ask: Callable[[], str | Awaitable[str]]) -> None:
        self._ask = ask

    def get_token(self, http: httpx.Client, base_url: str, used_up: str | None = None) -> str:
        """Return the function's result."""
        token = self._ask()
        if not isinstance(token, str):
            raise TypeError("a function that is awaited belongs to AsyncBalcao")
        return token

    async def get_token_async(self, http: httpx.AsyncClient, base_url: str, used_up: str | None = None) -> str:
        """Return the function's result, awaited if necessary."""
        token = self._ask()
        return token if isinstance(token, str) else await token


class _Renewed(ABC):
    """A token that is renewed before it expires.

    A source serves one `Balcao` or one `AsyncBalcao`, because its two locks do not exclude each other.
    """

    def __init__(self, issuer: str | None, realm: str) -> None:
        self._issuer = issuer
        self._realm = realm
        self._discovered: _Discovered | None = None
        self._tokens: Tokens | None = None
        self._renew_at = 0.0
        self._lock = threading.Lock()
        self._async_lock = asyncio.Lock()

    def get_token(self, http: httpx.Client, base_url: str, used_up: str | None = None) -> str:
        """Return the cached token, or a new one if the cached token expires soon or was refused."""
        with self._lock:
            if (token := self._kept(used_up)) is None:
                endpoint = self._discover(http, base_url).token_endpoint
                token = self._keep(_ask(http, endpoint, self._form()))
            return token

    async def get_token_async(self, http: httpx.AsyncClient, base_url: str, used_up: str | None = None) -> str:
        """Return the cached token, or a new one if the cached token expires soon or was refused."""
        async with self._async_lock:
            if (token := self._kept(used_up)) is None:
                endpoint = (await self._discover_async(http, base_url)).token_endpoint
                token = self._keep(await _ask_async(http, endpoint, self._form()))
            return token

    @abstractmethod
    def _form(self) -> dict[str, str]:
        """Return the form to send to the token endpoint."""

    def _kept(self, used_up: str | None) -> str | None:
        if self._tokens is None or time.monotonic() >= self._renew_at or self._tokens.access_token == used_up:
            return None
        return self._tokens.access_token

    def _keep(self, tokens: Tokens) -> str:
        lasts = tokens.expires_in - min(MARGIN, tokens.expires_in / 5)
        self._renew_at = time.monotonic() + lasts
        self._tokens = tokens
        return tokens.access_token

    def _discover(self, http: httpx.Client, base_url: str) -> _Discovered:
        if self._discovered is None:
            self._discovered = _read_discovery(_get(http, self._address(base_url)))
        return self._discovered

    async def _discover_async(self, http: httpx.AsyncClient, base_url: str) -> _Discovered:
        if self._discovered is None:
            self._discovered = _read_discovery(await _get_async(http, self._address(base_url)))
        return self._discovered

    def _address(self, base_url: str) -> str:
        issuer = self._issuer or f"{base_url}/auth/realms/{self._realm}"
        return issuer.rstrip("/") + _DISCOVERY


class ClientCredentials(_Renewed):
    """A machine's own token.

    `issuer` is the provider's address. The default is the platform's embedded provider.
    """

    def __init__(
        self, client_id: str, client_secret: str, *, scope: str = "", issuer: str | None = None, realm: str = "balcao"
    ) -> None:
        super().__init__(issuer, realm)
        self._request = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}
        if scope:
            self._request["scope"] = scope

    def _form(self) -> dict[str, str]:
        return self._request


class Login(_Renewed):
    """A person's tokens, renewed as long as the provider allows it. Store `refresh_token`, if there is one."""

    def __init__(
        self,
        refresh_token: str | None,
        client: dict[str, str],
        *,
        tokens: Tokens | None = None,
        issuer: str | None = None,
        realm: str = "balcao",
    ) -> None:
        super().__init__(issuer, realm)
        self._refresh_token = refresh_token
        self._client = client
        if tokens is not None:
            self._keep(tokens)

    @property
    def refresh_token(self) -> str | None:
        """The newest refresh token. Providers that rotate refresh tokens accept each token once."""
        return self._refresh_token

    @property
    def id_token(self) -> str | None:
        """The ID token, which a logout needs."""
        return self._tokens.id_token if self._tokens else None

    def _form(self) -> dict[str, str]:
        if not self._refresh_token:
            raise LoginEnded("invalid_grant", "there is no refresh token")
        return {"grant_type": "refresh_token", "refresh_token": self._refresh_token, **self._client}

    def _keep(self, tokens: Tokens) -> str:
        self._refresh_token = tokens.refresh_token or self._refresh_token
        return super()._keep(tokens)


class Start(NamedTuple):
    """The address for the browser, and the values to store in the browser's session until it returns."""

    url: str
    state: str
    verifier: str
    nonce: str


class CodeFlow:
    """A person's login by authorization code with PKCE.

    `start` returns the address for the browser. Store its values in the browser's session. When the browser returns,
    compare `state`, then call `finish` with `verifier` and `nonce`.
    """

    def __init__(
        self,
        issuer: str,
        client_id: str,
        redirect_uri: str,
        *,
        client_secret: str | None = None,
        scope: str = "openid profile",
    ) -> None:
        self._issuer = issuer.rstrip("/")
        self._redirect_uri = redirect_uri
        self._scope = scope
        self._client = {"client_id": client_id}
        if client_secret is not None:
            self._client["client_secret"] = client_secret

    def start(self, http: httpx.Client | None = None) -> Start:
        """Return the address for the browser."""
        with _borrow(http) as client:
            discovered = _read_discovery(_get(client, self._issuer + _DISCOVERY))
        return self._start(discovered)

    def finish(self, code: str, verifier: str, nonce: str, http: httpx.Client | None = None) -> Login:
        """Exchange the authorization code for the person's login.

        Raises:
            LoginFailed: the provider refused the code, or its tokens belong to another login.
        """
        with _borrow(http) as client:
            discovered = _read_discovery(_get(client, self._issuer + _DISCOVERY))
            return self._finish(_ask(client, discovered.token_endpoint, self._exchange(code, verifier)), nonce)

    async def start_async(self, http: httpx.AsyncClient) -> Start:
        """Return the address for the browser."""
        return self._start(_read_discovery(await _get_async(http, self._issuer + _DISCOVERY)))

    async def finish_async(self, code: str, verifier: str, nonce: str, http: httpx.AsyncClient) -> Login:
        """Exchange the authorization code for the person's login, as `finish` does."""
        discovered = _read_discovery(await _get_async(http, self._issuer + _DISCOVERY))
        form = self._exchange(code, verifier)
        return self._finish(await _ask_async(http, discovered.token_endpoint, form), nonce)

    def resume(self, refresh_token: str) -> Login:
        """Return the login of a person whose refresh token was stored earlier."""
        return Login(refresh_token, self._client, issuer=self._issuer)

    def _start(self, discovered: _Discovered) -> Start:
        state, verifier, nonce = (secrets.token_urlsafe(32) for _ in range(3))
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "response_type": "code",
            "client_id": self._client["client_id"],
            "redirect_uri": self._redirect_uri,
            "scope": self._scope,
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return Start(f"{discovered.authorization_endpoint}?{urlencode(asked)}", state, verifier, nonce)

    def _exchange(self, code: str, verifier: str) -> dict[str, str]:
        return {
            "grant_type": "authorization_code",
            "code": code,
            "code_verifier": verifier,
            "redirect_uri": self._redirect_uri,
            **self._client,
        }

    def _finish(self, tokens: Tokens, nonce: str) -> Login:
        # The tokens come directly from the provider over TLS. So only the nonce is compared, and no signature is
        # checked (OpenID Connect Core 3.1.3.7, step 6).
        if "openid" in self._scope.split() and (not nonce or _read_nonce(tokens.id_token) != nonce):
            raise LoginFailed("invalid_nonce", "the tokens belong to another login, or have no ID token with its nonce")
        return Login(tokens.refresh_token, self._client, tokens=tokens, issuer=self._issuer)


def make_source(token: "str | Callable[[], str | Awaitable[str]] | TokenSource | None") -> TokenSource:
    """Return the token source for a `token` argument."""
    if token is None or isinstance(token, str):
        return FixedToken(token or "")
    return CallableToken(token) if callable(token) else token


def _borrow(http: httpx.Client | None) -> AbstractContextManager[httpx.Client]:
    """Return a context manager that yields the caller's client, or a new client that it closes at the end."""
    return httpx.Client() if http is None else nullcontext(http)


def _get(http: httpx.Client, url: str) -> httpx.Response:
    try:
        return http.get(url, headers=name_agent(http))
    except httpx.TransportError as fault:
        raise _make_failure(fault) from fault


async def _get_async(http: httpx.AsyncClient, url: str) -> httpx.Response:
    try:
        return await http.get(url, headers=name_agent(http))
    except httpx.TransportError as fault:
        raise _make_failure(fault) from fault


def _ask(http: httpx.Client, url: str, form: dict[str, str]) -> Tokens:
    try:
        response = http.post(url, data=form, headers=name_agent(http))
    except httpx.TransportError as fault:
        raise _make_failure(fault) from fault
    return _read_tokens(response, form)


async def _ask_async(http: httpx.AsyncClient, url: str, form: dict[str, str]) -> Tokens:
    try:
        response = await http.post(url, data=form, headers=name_agent(http))
    except httpx.TransportError as fault:
        raise _make_failure(fault) from fault
    return _read_tokens(response, form)


def _make_failure(fault: httpx.TransportError) -> ConnectionFailed:
    return ConnectionFailed(f"identity provider: {str(fault) or type(fault).__name__}")


def _read_tokens(response: httpx.Response, form: dict[str, str]) -> Tokens:
    if response.status_code in _REFUSED and (refusal := _read_refusal(response)):
        has_ended = form["grant_type"] == "refresh_token" and refusal.error == "invalid_grant"
        kind = LoginEnded if has_ended else LoginFailed
        raise kind(refusal.error, refusal.error_description or "", response.status_code)
    return _read(response, Tokens)


def _read_refusal(response: httpx.Response) -> _Refusal | None:
    try:
        return msgspec.json.decode(response.content, type=_Refusal)
    except msgspec.DecodeError:
        return None


def _read_discovery(response: httpx.Response) -> _Discovered:
    return _read(response, _Discovered)


def _read(response: httpx.Response, kind: type[_Received]) -> _Received:
    if response.is_error:
        raise make_fault(response)
    try:
        return msgspec.json.decode(response.content, type=kind)
    except msgspec.DecodeError as fault:
        raise UnexpectedResponse(f"identity provider: {response.request.url.path}: {fault}") from fault


def _read_nonce(id_token: str | None) -> str:
    """Return the nonce of an ID token, or an empty string. The signature is not checked."""
    try:
        claims = (id_token or "").split(".")[1]
        return msgspec.json.decode(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)), type=_Nonce).nonce
    except (IndexError, ValueError):
        return ""
