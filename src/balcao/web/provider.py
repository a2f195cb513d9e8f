"""A confidential client's calls to the identity provider: login (authorization code with PKCE), refresh and logout."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import httpx
import msgspec
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from balcao.core.access.caller import TokenRefused
from balcao.core.access.tokens import LEEWAY_SECONDS, TokenVerifier, parse_date
from balcao.core.errors import Unavailable

SCOPE = "openid profile"
# The discovery document is cached for this long, so that a changed endpoint is found without a restart.
_DOCUMENT_SECONDS = 300.0
_TIMEOUT = httpx.Timeout(5.0, connect=2.0)


class ProviderAway(Unavailable):
    default_message = "O provedor de identidade não respondeu. Tente de novo em instantes."


class GrantRefused(Exception):
    """Raised if the provider refuses to issue tokens for a code or a refresh token."""


class Tokens(msgspec.Struct, frozen=True):
    """A session's tokens. `expires_at` is in Unix seconds."""

    access_token: str
    refresh_token: str
    expires_at: float


_FORM: Mapping[str, str] = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}


class Login(msgspec.Struct, frozen=True):
    """The result of a login: the person whom the ID token identifies, and the tokens."""

    issuer: str
    subject: str
    session: str | None
    name: str
    tokens: Tokens


class _Document(msgspec.Struct, frozen=True):
    authorization_endpoint: str
    token_endpoint: str
    end_session_endpoint: str | None = None


class Provider:
    """A confidential client of one issuer. The endpoints come from the issuer's discovery document."""

    def __init__(self, issuer: str, client_id: str, client_secret: str, http: httpx.AsyncClient) -> None:
        self.issuer = issuer.rstrip("/")
        self.client_id = client_id
        self._http = http
        self._secret = client_secret
        self._proof = ClientAuth(client_id, client_secret, "client_secret_basic")
        # This verifier expects the audience of access tokens. The audience of an ID token is the client, which
        # `_read_login` checks.
        self.tokens = TokenVerifier([issuer], client_id, http)
        self._document: _Document | None = None
        self._read_at = float("-inf")
        self._reading = asyncio.Lock()

    def start(self) -> None:
        """Start refreshing the provider's keys."""
        self.tokens.start()

    def stop(self) -> None:
        """Stop refreshing the provider's keys."""
        self.tokens.stop()

    async def build_login_url(
        self, redirect_uri: str, state: str, nonce: str, verifier: str, max_age: int | None = None
    ) -> str:
        """Return the provider's address for a browser login. Raises ProviderAway if the provider is down."""
        document = await self._read_document()
        fresh = {} if max_age is None else {"max_age": max_age}
        address: str = prepare_grant_uri(
            document.authorization_endpoint,
            self.client_id,
            "code",
            redirect_uri,
            SCOPE,
            state,
            nonce=nonce,
            code_challenge=create_s256_code_challenge(verifier),
            code_challenge_method="S256",
            **fresh,
        )
        return address

    async def exchange_code(self, code: str, redirect_uri: str, nonce: str, verifier: str) -> Login:
        """Exchange an authorization code for a login.

        Raises GrantRefused if the code is invalid, or if the ID token is invalid or belongs to another login. Raises
        ProviderAway if the provider is down, and KeyPending or KeysAway if the key for the ID token is not available.
        """
        given = await self._fetch("authorization_code", code=code, redirect_uri=redirect_uri, code_verifier=verifier)
        try:
            claims = await self.tokens.read_signed(str(given.get("id_token") or "").encode())
        except TokenRefused as fault:
            raise GrantRefused(fault.reason) from None
        return self._read_login(claims, given, nonce)

    async def refresh(self, tokens: Tokens) -> Tokens:
        """Return new tokens.

        Raises GrantRefused if the provider refuses, for example because its session has ended. Raises ProviderAway if
        it is down.
        """
        return _read_tokens(
            await self._fetch("refresh_token", refresh_token=tokens.refresh_token), tokens.refresh_token
        )

    async def request_token(self, form: Mapping[str, str]) -> Mapping[str, Any]:
        """Request tokens. `form` contains the credentials of another client.

        Raises GrantRefused if the provider refuses, and ProviderAway if it is down.
        """
        document = await self._read_document()
        return await self._post(document.token_endpoint, urlencode(form), _FORM)

    async def end_session(self, tokens: Tokens) -> bool:
        """End the provider's session with the refresh token, without using the browser. Return whether that succeeded.

        Providers without an end session endpoint do not support this. Raises ProviderAway if the provider is down.
        """
        document = await self._read_document()
        if document.end_session_endpoint is None:
            return False
        form = {"client_id": self.client_id, "refresh_token": tokens.refresh_token}
        form["client_secret"] = self._secret
        try:
            answer = await self._http.post(document.end_session_endpoint, data=form, timeout=_TIMEOUT)
        except httpx.HTTPError as fault:
            raise ProviderAway() from fault
        if answer.status_code >= 500:
            raise ProviderAway()
        return answer.status_code in {200, 204}

    async def build_logout_url(self, back: str) -> str | None:
        """Return the provider's logout address for browsers. It contains no token.

        Return None if the provider has no logout page.
        """
        document = await self._read_document()
        if document.end_session_endpoint is None:
            return None
        asked = urlencode({"client_id": self.client_id, "post_logout_redirect_uri": back})
        return f"{document.end_session_endpoint}?{asked}"

    async def _fetch(self, grant_type: str, **values: str) -> Mapping[str, Any]:
        """Request tokens with this client's credentials. Raises the same errors as `_post`."""
        document = await self._read_document()
        body = prepare_token_request(grant_type, **values)
        address, headers, body = self._proof.prepare("POST", document.token_endpoint, dict(_FORM), body)
        return await self._post(address, body, headers)

    async def _post(self, address: str, body: str, headers: Mapping[str, str]) -> Mapping[str, Any]:
        """Post a form to the token endpoint and return the response.

        Raises GrantRefused if the provider refuses, and ProviderAway if it is down or its response is malformed.
        """
        try:
            answer = await self._http.post(address, content=body, headers=headers, timeout=_TIMEOUT)
            given = msgspec.json.decode(answer.content, type=dict[str, Any])
        except (httpx.HTTPError, msgspec.MsgspecError) as fault:
            raise ProviderAway() from fault
        if answer.status_code >= 500:
            raise ProviderAway()
        if answer.status_code >= 400:
            raise GrantRefused(str(given.get("error")))
        return given

    def _read_login(self, claims: Mapping[str, Any], given: Mapping[str, Any], nonce: str) -> Login:
        """Check the claims of an ID token (OpenID Connect Core 3.1.3.7). Its signature and issuer are already verified.

        Raises GrantRefused if a claim is wrong.
        """
        audience = claims.get("aud")
        named = audience if isinstance(audience, list) else [audience]
        expires, subject = parse_date(claims.get("exp")), claims.get("sub")
        if self.client_id not in named or claims.get("azp", self.client_id) != self.client_id:
            raise GrantRefused("token-audience")
        if expires is None or expires + LEEWAY_SECONDS <= time.time():
            raise GrantRefused("token-expired")
        if claims.get("nonce") != nonce or not isinstance(subject, str) or not subject:
            raise GrantRefused("token-nonce")
        session = claims.get("sid")
        return Login(
            issuer=self.issuer,
            subject=subject,
            session=session if isinstance(session, str) else None,
            name=str(claims.get("name") or claims.get("preferred_username") or "")[:120],
            tokens=_read_tokens(given, ""),
        )

    async def _read_document(self) -> _Document:
        """Return the discovery document. While the provider is down, return the cached document.

        Raises ProviderAway if the provider is down and no document is cached.
        """
        async with self._reading:
            if self._document is not None and time.monotonic() - self._read_at < _DOCUMENT_SECONDS:
                return self._document
            try:
                answer = await self._http.get(f"{self.issuer}/.well-known/openid-configuration", timeout=_TIMEOUT)
                answer.raise_for_status()
                self._document = msgspec.json.decode(answer.content, type=_Document)
                self._read_at = time.monotonic()
            except (httpx.HTTPError, msgspec.MsgspecError) as fault:
                if self._document is None:
                    raise ProviderAway() from fault
            return self._document


def _read_tokens(given: Mapping[str, Any], former_refresh_token: str) -> Tokens:
    """Extract the tokens from a token response. Raises GrantRefused if there is no access token."""
    access, lifetime = given.get("access_token"), given.get("expires_in")
    if not isinstance(access, str) or not access:
        raise GrantRefused("no-access-token")
    seconds = float(lifetime) if isinstance(lifetime, int | float) else 60.0
    return Tokens(access, str(given.get("refresh_token") or former_refresh_token), time.time() + seconds)
