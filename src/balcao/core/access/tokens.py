"""Turns the Authorization header into a Caller. RS256 only; the same code serves the gateway and every service."""

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
import msgspec
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from balcao.core.access.caller import Caller, from_claims
from balcao.core.access.keys import IssuerKeys
from balcao.core.errors import Unauthenticated

ALGORITHMS = ["RS256"]
LEEWAY_SECONDS = 10
MAX_TOKEN_BYTES = 16_384
CACHE_SIZE = 50_000


class TokenVerifier:
    """Verifies bearer tokens of the configured issuers and remembers the verified ones until they expire."""

    def __init__(
        self,
        issuers: Sequence[str],
        audience: str,
        client: httpx.AsyncClient,
        role_clients: frozenset[str] = frozenset(),
    ) -> None:
        self._issuers = {issuer.rstrip("/"): IssuerKeys(issuer, client, self._forget) for issuer in issuers}
        self._audience = audience
        self._role_clients = role_clients
        self._verified: OrderedDict[bytes, Caller] = OrderedDict()
        self._refreshers: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to refresh the issuers' keys."""
        self._refreshers = [asyncio.create_task(keys.keep_fresh()) for keys in self._issuers.values()]

    def stop(self) -> None:
        """Stop refreshing."""
        for task in self._refreshers:
            task.cancel()

    def known(self, authorization: bytes | None) -> Caller | None:
        """Return the caller of a header whose token was verified before and is still valid."""
        if authorization is None:
            return None
        caller = self._verified.get(_digest(authorization))
        return caller if caller is not None and caller.expires_at + LEEWAY_SECONDS > time.time() else None

    async def caller(self, authorization: bytes | None) -> Caller:
        """Return the caller of a header.

        Raises Unauthenticated, without saying which check failed; Unavailable while no key is known.
        """
        token = _parse_bearer(authorization)
        caller = from_claims(await self._verify(token), self._role_clients)
        self._remember(_digest(authorization or b""), caller)
        return caller

    async def _verify(self, token: bytes) -> Mapping[str, Any]:
        try:
            signed = jws.extract_compact(token)
            claims = msgspec.json.decode(signed.payload, type=dict[str, Any])
            key = await self._find_key(signed.headers(), claims)
            if not jws.validate_compact(signed, key, algorithms=ALGORITHMS):
                raise Unauthenticated(code="token-invalid")
        except (JoseError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise Unauthenticated(code="token-invalid") from None
        self._check(claims)
        return claims

    async def _find_key(self, header: Mapping[str, Any], claims: Mapping[str, Any]) -> RSAKey:
        """Return the key of the token's own issuer: a key of one issuer never vouches for another.

        The issuer is read before the signature is verified, and only to choose the key.
        """
        issuer = self._issuers[str(claims["iss"]).rstrip("/")]
        key = await issuer.get(header["kid"]) if header.get("alg") in ALGORITHMS else None
        if key is None:
            raise Unauthenticated(code="token-invalid")
        return key

    def _check(self, claims: Mapping[str, Any]) -> None:
        """Check audience and times; `iss` was checked by choosing its key."""
        now = time.time()
        audience = claims.get("aud")
        accepted = (
            self._audience in (audience if isinstance(audience, list) else [audience])
            and _parse_date(claims.get("exp")) + LEEWAY_SECONDS > now
            and _parse_date(claims.get("nbf", 0)) - LEEWAY_SECONDS <= now
            and _parse_date(claims.get("iat", 0)) - LEEWAY_SECONDS <= now
        )
        if not accepted:
            raise Unauthenticated(code="token-invalid")

    def _remember(self, digest: bytes, caller: Caller) -> None:
        self._verified[digest] = caller
        while len(self._verified) > CACHE_SIZE:
            self._verified.popitem(last=False)

    def _forget(self) -> None:
        self._verified.clear()


def _digest(authorization: bytes) -> bytes:
    """Return what stands for a token in memory: tokens are credentials and are not stored there themselves."""
    return hashlib.blake2b(authorization, digest_size=20).digest()


def _parse_bearer(authorization: bytes | None) -> bytes:
    scheme, _, token = (authorization or b"").partition(b" ")
    token = token.strip()
    if scheme.lower() != b"bearer" or not token or len(token) > MAX_TOKEN_BYTES:
        raise Unauthenticated()
    return token


def _parse_date(value: object) -> float:
    """Return a numeric date; NaN for anything else, which passes no comparison: such a token is never valid."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else float("nan")
