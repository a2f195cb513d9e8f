"""Turns the Authorization header into a Caller. RS256 only; the same code serves the gateway and every service."""

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import httpx
import msgspec
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from balcao.core.access.authorization import digest_of
from balcao.core.access.caller import (
    NO_MACHINES,
    Caller,
    ClaimPolicy,
    TokenMissing,
    TokenRefused,
    find_client,
    from_claims,
)
from balcao.core.access.keys import IssuerKeys

ALGORITHMS = ["RS256"]
LEEWAY_SECONDS = 10
MAX_TOKEN_BYTES = 16_384
CACHE_SIZE = 50_000
# How many remembered tokens are looked at for each new one: expired ones are then at most a third of the others.
LOOKS = 4
LATEST_INSTANT = 253_402_300_799  # the last second of the year 9999


class TokenVerifier:
    """Verifies bearer tokens of the configured issuers and remembers the verified ones until they expire."""

    def __init__(
        self,
        issuers: Sequence[str],
        audience: str,
        client: httpx.AsyncClient,
        policy: ClaimPolicy = NO_MACHINES,
        has_ended: Callable[[Caller], bool] = lambda _: False,
    ) -> None:
        """`has_ended` tells whether the session of a token is over before the token expires."""
        self._audience = audience
        self._has_ended = has_ended
        self._policy = policy
        self._verified: OrderedDict[bytes, Caller] = OrderedDict()
        forget = self._verified.clear  # once keys were rotated
        self._issuers = {issuer.rstrip("/"): IssuerKeys(issuer, client, forget) for issuer in issuers}
        self._refreshers: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to refresh the issuers' keys."""
        self._refreshers = [asyncio.create_task(keys.keep_fresh()) for keys in self._issuers.values()]

    def stop(self) -> None:
        """Stop refreshing."""
        for task in self._refreshers:
            task.cancel()

    @property
    def issuers(self) -> Sequence[IssuerKeys]:
        """Return the issuers with their keys."""
        return list(self._issuers.values())

    def known(self, authorization: bytes | None) -> Caller | None:
        """Return the caller of a header whose token was verified before and is still valid."""
        if authorization is None:
            return None
        caller = self._verified.get(digest_of(authorization))
        if caller is None or caller.expires_at + LEEWAY_SECONDS <= time.time() or self._has_ended(caller):
            return None
        return caller

    async def refresh_keys(self) -> None:
        """Fetch the keys of every issuer now; deleted ones lose trust at once."""
        await asyncio.gather(*(keys.refresh() for keys in self._issuers.values()))

    async def caller(self, authorization: bytes | None) -> Caller:
        """Return the caller of a header.

        Raises TokenRefused, which says to the log alone which check failed; KeyPending while its key may be new, and
        KeysAway while there are none.
        """
        claims = await self.read_signed(_parse_bearer(authorization))
        try:
            caller = self._read_caller(claims)
        except TokenRefused as refused:
            refused.is_genuine = True
            refused.client_key = find_client(claims)
            raise
        self._remember(digest_of(authorization or b""), caller)
        return caller

    def _read_caller(self, claims: Mapping[str, Any]) -> Caller:
        self._check(claims)
        caller = from_claims(claims, self._policy)
        if self._has_ended(caller):
            raise TokenRefused("token-session-ended")
        return caller

    async def read_signed(self, token: bytes) -> Mapping[str, Any]:
        """Return the claims of a token that an issuer of ours signed, whatever they say.

        Raises as `caller` does.
        """
        signed, claims = _parse_parts(token)
        header = signed.headers()
        if header.get("alg") not in ALGORITHMS:
            raise TokenRefused("token-algorithm")
        if "crit" in header:  # we understand none of the extensions that it could demand
            raise TokenRefused("token-critical")
        if "kid" in header and not isinstance(header["kid"], str):
            raise TokenRefused("token-key-unknown")
        key = await self._find_key(header.get("kid"), claims)
        try:
            genuine = jws.validate_compact(signed, key, algorithms=ALGORITHMS)
        except (JoseError, ValueError, KeyError, TypeError, AttributeError):
            genuine = False
        if not genuine:
            raise TokenRefused("token-signature")
        return claims

    async def _find_key(self, kid: str | None, claims: Mapping[str, Any]) -> RSAKey:
        """Return the key of the token's own issuer: a key of one issuer never vouches for another.

        Issuer and age are read before the signature is verified, and only to choose the key.
        """
        issuer = claims.get("iss")
        keys = self._issuers.get(issuer.rstrip("/")) if isinstance(issuer, str) else None
        if keys is None:
            raise TokenRefused("token-issuer")
        issued_by = (parse_date(claims["iat"]) or 0) + LEEWAY_SECONDS if "iat" in claims else math.inf
        key = await keys.get(kid, issued_by)
        if key is None:
            raise TokenRefused("token-key-unknown")
        return key

    def _check(self, claims: Mapping[str, Any]) -> None:
        """Check audience and times; `iss` was checked by choosing its key."""
        now = time.time()
        audience = claims.get("aud")
        if self._audience not in (audience if isinstance(audience, list) else [audience]):
            raise TokenRefused("token-audience")
        expires, issued, begins = (parse_date(claims.get(name, 0)) for name in ("exp", "iat", "nbf"))
        if expires is None or issued is None or begins is None:
            raise TokenRefused("token-times")
        if expires + LEEWAY_SECONDS <= now:
            raise TokenRefused("token-expired")
        if max(issued, begins) - LEEWAY_SECONDS > now:
            raise TokenRefused("token-not-yet-valid")

    def _remember(self, digest: bytes, caller: Caller) -> None:
        self._drop_expired()
        self._verified[digest] = caller
        while len(self._verified) > CACHE_SIZE:
            self._verified.popitem(last=False)

    def _drop_expired(self) -> None:
        """Look at some of the remembered tokens in turn, and drop those that nobody will be known by any more."""
        now = time.time()
        for _ in range(min(LOOKS, len(self._verified))):
            digest, caller = next(iter(self._verified.items()))
            if caller.expires_at + LEEWAY_SECONDS <= now:
                del self._verified[digest]
            else:
                self._verified.move_to_end(digest)


def _parse_bearer(authorization: bytes | None) -> bytes:
    scheme, _, token = (authorization or b"").partition(b" ")
    token = token.strip()
    if scheme.lower() != b"bearer" or not token or len(token) > MAX_TOKEN_BYTES:
        raise TokenMissing("token-oversize" if len(token) > MAX_TOKEN_BYTES else "token-missing")
    return token


def _parse_parts(token: bytes) -> tuple[jws.CompactSignature, dict[str, Any]]:
    """Return the parts of a token, of which nothing is verified yet."""
    try:
        signed = jws.extract_compact(token)
        return signed, msgspec.json.decode(signed.payload, type=dict[str, Any])
    except (JoseError, msgspec.MsgspecError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise TokenRefused("token-malformed") from None


def parse_date(value: object) -> float | None:
    """Return a numeric date; None for anything else and for one that no clock will show."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= LATEST_INSTANT:
        return None
    return float(value)
