"""The public keys of the trusted issuers: found by OIDC discovery, refreshed, and retained while an issuer is down."""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from time import monotonic, time
from typing import Any

import httpx
import msgspec
from joserfc.jwk import RSAKey

from balcao.core.errors import Unavailable
from balcao.core.logs import log
from balcao.core.telemetry import counter

# While the issuer responds, a key that it has deleted is trusted for at most this long. An operator can trigger an
# immediate fetch.
REFRESH_SECONDS = 300.0
# A NOTIFY on this channel makes every process fetch the keys immediately.
CHANNEL = "balcao_identity"
# Keys that no fetch has confirmed for this long are dropped, because the issuer may have deleted them.
LONGEST_AGE_SECONDS = 3600.0
# The minimum pause between two fetches for unknown keys, so that invented key ids cause at most one fetch in this time.
UNKNOWN_KEY_SECONDS = 3.0
# The same pause while no key is known. It is short because no token can be verified without a key.
FIRST_KEYS_SECONDS = 0.5
FETCH_TIMEOUT = httpx.Timeout(3.0, connect=2.0)
# The deadline for fetching the discovery document and the keys. `FETCH_TIMEOUT` applies to each read, so a server that
# sends byte by byte would never exceed it.
FETCH_SECONDS = 5.0
# The maximum size of a discovery document or a key set. Their usual size is a few kilobytes.
MAX_DOCUMENT_BYTES = 262_144

failed_fetches = counter("balcao_identity_keys_not_refreshed", "Fetches of the issuers' keys that failed")


class KeysAway(Unavailable):
    """No key is known, so no caller can be identified."""

    default_message = (
        "A chave deste token não pôde ser consultada no provedor de identidade. Tente de novo em instantes."
    )
    default_code = "identity-away"


class KeyPending(KeysAway):
    """Other keys are known, but this key is not: it is either too new to have been fetched, or invented."""


class IssuerKeys:
    """The keys of one issuer by `kid`.

    A key published without a `kid` is stored under a generated name, which no token contains. `patience` replaces the
    default timeouts of a fetch, in seconds. Commands set it, because no caller waits for them.
    """

    def __init__(
        self,
        issuer: str,
        client: httpx.AsyncClient,
        on_rotation: Callable[[], None],
        patience: float | None = None,
    ) -> None:
        self.issuer = issuer.rstrip("/")
        self._client = client
        self._on_rotation = on_rotation
        self._timeout = FETCH_TIMEOUT if patience is None else httpx.Timeout(patience)
        self._seconds = patience or FETCH_SECONDS
        self._keys: Mapping[str, RSAKey] = {}
        self._tried_at = float("-inf")
        self._fetched_at = float("-inf")
        # When the last successful fetch started, in Unix time. It is compared with the time when a token was issued.
        self._published_at = float("-inf")
        self._lock = asyncio.Lock()

    async def get(self, kid: str | None, issued_by: float) -> RSAKey | None:
        """Return a key, or None if the issuer does not publish it.

        Without a `kid`, return the issuer's only key, or None if there are several (OpenID Connect Core, 10.1).
        `issued_by` is the latest instant at which the token can have been issued, in Unix time of our clock.

        Raises KeyPending if the key may be new: it is unknown, the token may be newer than the last fetch, and the
        issuer does not answer or was asked a moment ago. Raises KeysAway instead if no key at all is known.
        """
        key = self._find(kid)
        if key is not None or (kid is None and self._keys):
            return key
        pause = UNKNOWN_KEY_SECONDS if self._keys else FIRST_KEYS_SECONDS
        left = pause - (monotonic() - self._tried_at)
        if left <= 0:
            # Count failed fetches only while no key is known. Otherwise tokens with invented key ids would cause
            # fetches too, and the count would not show how long the provider has been down.
            if await self.refresh(is_counted=not self._keys):
                return self._find(kid)
            left = pause
        if issued_by <= self._published_at:
            return None
        away = KeyPending if self._keys else KeysAway
        raise away(retry_after=max(1, math.ceil(left)))

    def _find(self, kid: str | None) -> RSAKey | None:
        if kid is not None:
            return self._keys.get(kid)
        return next(iter(self._keys.values())) if len(self._keys) == 1 else None

    @property
    def known(self) -> Mapping[str, RSAKey]:
        """The keys of the last successful fetch, by `kid`."""
        return self._keys

    @property
    def age(self) -> float:
        """The number of seconds since the last successful fetch. Infinity before the first fetch."""
        return monotonic() - self._fetched_at

    async def keep_fresh(self) -> None:
        """Refresh the keys periodically until the process stops."""
        while True:
            await asyncio.sleep(REFRESH_SECONDS)
            await self.refresh()
            self.drop_outdated()

    async def refresh(self, *, is_counted: bool = True) -> bool:
        """Fetch the keys and return whether that succeeded. After a failure, the known keys stay in use.

        Only one fetch runs at a time. Callers that arrive during a fetch wait for it and share the result.
        """
        waited_since = monotonic()
        async with self._lock:
            if self._tried_at >= waited_since:
                return self._fetched_at >= waited_since
            begun = time()
            try:
                async with asyncio.timeout(self._seconds):
                    address = await self._discover() or f"{self.issuer}/protocol/openid-connect/certs"
                    published = await self._read(address)
                self._replace(_select_signing_keys(published))
            except Exception as failure:  # no response may end the refresh task
                if is_counted:
                    failed_fetches.inc()
                log.warning("identity.keys_not_refreshed", issuer=self.issuer, code=type(failure).__name__)
                return False
            finally:
                # Set this after the fetch, so that callers who arrive during it wait for the keys instead of being
                # refused.
                self._tried_at = monotonic()
            self._fetched_at, self._published_at = self._tried_at, begun
            return True

    def drop_outdated(self) -> None:
        """Forget the keys if no fetch has confirmed them for too long. The issuer may have deleted any of them."""
        if self._keys and monotonic() - self._fetched_at > LONGEST_AGE_SECONDS:
            log.warning("identity.keys_outdated", issuer=self.issuer)
            self._replace({})
            self._published_at = float("-inf")

    def _replace(self, keys: Mapping[str, RSAKey]) -> None:
        if _list_thumbprints(keys) != _list_thumbprints(self._keys):
            self._on_rotation()
        self._keys = keys

    async def _discover(self) -> str | None:
        try:
            document = await self._read(f"{self.issuer}/.well-known/openid-configuration")
        except httpx.HTTPStatusError:
            return None
        address = msgspec.json.decode(document, type=_Discovery).jwks_uri
        return address if isinstance(address, str) else None

    async def _read(self, address: str) -> bytes:
        """Fetch a document.

        Raises HTTPError if the call fails, or ValueError if the document exceeds the size limit.
        """
        document = bytearray()
        # Request no compression: a small compressed response could be huge in memory.
        plain = {"Accept-Encoding": "identity"}
        async with self._client.stream("GET", address, headers=plain, timeout=self._timeout) as answer:
            answer.raise_for_status()
            async for part in answer.aiter_raw():
                document += part
                if len(document) > MAX_DOCUMENT_BYTES:
                    raise ValueError("the document is too large")
        return bytes(document)


class _Discovery(msgspec.Struct):
    jwks_uri: Any = None


class _KeySet(msgspec.Struct):
    keys: list[dict[str, Any]]


def _select_signing_keys(document: bytes) -> dict[str, RSAKey]:
    """Return the RSA signature keys of a JWKS document. Keys of other kinds never verify our tokens."""
    published = msgspec.json.decode(document, type=_KeySet).keys
    found = {key.kid or f"without kid {key.thumbprint()}": key for key in _import_keys(published)}
    if not found:
        raise ValueError("no signing key")
    return found


def _import_keys(published: Sequence[dict[str, Any]]) -> list[RSAKey]:
    """Import the RSA signature keys. Skip a broken key, so that the other keys can still be used."""
    keys = []
    for jwk in published:
        if jwk.get("kty") == "RSA" and jwk.get("use", "sig") == "sig" and jwk.get("alg", "RS256") == "RS256":
            try:
                keys.append(RSAKey.import_key(jwk))
            except Exception as failure:  # the library raises many kinds of errors for broken keys
                log.warning("identity.key_unusable", code=type(failure).__name__)
    return keys


def _list_thumbprints(keys: Mapping[str, RSAKey]) -> dict[str, str]:
    return {kid: key.thumbprint() for kid, key in keys.items()}
