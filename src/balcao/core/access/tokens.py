"""Convert the Authorization header into a Caller. The gateway and all services share this code.

Only RS256 signatures are accepted.
"""

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
# The tolerated difference between our clock and an issuer's.
LEEWAY_SECONDS = 10
MAX_TOKEN_BYTES = 16_384
# The maximum number of cached tokens. A full cache drops the token that was added or checked least recently.
CACHE_SIZE = 50_000
# How many cached tokens are checked for each new token. This keeps expired tokens below a third of the valid ones.
CHECKED_PER_TOKEN = 4
LATEST_INSTANT = 253_402_300_799  # the last second of the year 9999


class TokenVerifier:
    """A verifier for bearer tokens of the configured issuers. It caches verified tokens until they expire."""

    def __init__(
        self,
        issuers: Sequence[str],
        audience: str,
        client: httpx.AsyncClient,
        policy: ClaimPolicy = NO_MACHINES,
        has_ended: Callable[[Caller], bool] = lambda _: False,
    ) -> None:
        """`has_ended` returns whether a token's session has ended although the token has not expired."""
        self._audience = audience
        self._has_ended = has_ended
        self._policy = policy
        self._verified: OrderedDict[bytes, Caller] = OrderedDict()
        forget = self._verified.clear  # to be called after a key rotation
        self._issuers = {issuer.rstrip("/"): IssuerKeys(issuer, client, forget) for issuer in issuers}
        self._refreshers: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start refreshing the issuers' keys."""
        self._refreshers = [asyncio.create_task(keys.keep_fresh()) for keys in self._issuers.values()]

    def stop(self) -> None:
        """Stop refreshing."""
        for task in self._refreshers:
            task.cancel()

    @property
    def issuers(self) -> Sequence[IssuerKeys]:
        """The issuers with their keys."""
        return list(self._issuers.values())

    def known(self, authorization: bytes | None) -> Caller | None:
        """Return the cached caller for a header if its token is still valid, otherwise None."""
        if authorization is None:
            return None
        caller = self._verified.get(digest_of(authorization))
        if caller is None or caller.expires_at + LEEWAY_SECONDS <= time.time() or self._has_ended(caller):
            return None
        return caller

    async def refresh_keys(self) -> None:
        """Fetch the keys of every issuer now.

        Tokens signed with a key that an issuer deleted are refused immediately.
        """
        await asyncio.gather(*(keys.refresh() for keys in self._issuers.values()))

    async def caller(self, authorization: bytes | None) -> Caller:
        """Return the caller for a header.

        Raises:
            TokenRefused: if the token is invalid or its session has ended. The reason is logged, but not returned.
            KeyPending: if the token's key may be new.
            KeysAway: if no key is known.
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
        """Return the claims of a token that a trusted issuer signed, without checking the claims.

        Raises the same errors as `caller`.
        """
        signed, claims = _parse_parts(token)
        header = signed.headers()
        if header.get("alg") not in ALGORITHMS:
            raise TokenRefused("token-algorithm")
        if "crit" in header:  # `crit` requires extensions, and this verifier supports none
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
        """Return a key of the token's own issuer. A key of one issuer never verifies a token of another.

        The issuer and the age are read before the signature is verified, but they are used only to choose the key.
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
        """Check audience and times. `iss` was already checked when the key was chosen."""
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
        """Check the next few cached tokens, and drop those that have expired."""
        now = time.time()
        for _ in range(min(CHECKED_PER_TOKEN, len(self._verified))):
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
    """Split a token into its parts without verifying anything."""
    try:
        signed = jws.extract_compact(token)
        return signed, msgspec.json.decode(signed.payload, type=dict[str, Any])
    except (JoseError, msgspec.MsgspecError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise TokenRefused("token-malformed") from None


def parse_date(value: object) -> float | None:
    """Return the value if it is a numeric date within range, otherwise None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= LATEST_INSTANT:
        return None
    return float(value)
