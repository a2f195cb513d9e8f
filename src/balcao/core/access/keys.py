"""The public keys of the issuers we trust: found by OIDC discovery, kept fresh, kept while the issuer is away."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, RSAKey

from balcao.core.errors import Unavailable
from balcao.core.logs import log

REFRESH_SECONDS = 300.0
# The least pause between two fetches that tokens cause: made-up key ids must not make us flood the issuer.
UNKNOWN_KEY_SECONDS = 10.0
FIRST_KEYS_SECONDS = 0.5
FETCH_TIMEOUT = httpx.Timeout(3.0, connect=2.0)


class IssuerKeys:
    """Keys of one issuer, by `kid`."""

    def __init__(self, issuer: str, client: httpx.AsyncClient, on_rotation: Callable[[], None]) -> None:
        self.issuer = issuer.rstrip("/")
        self._client = client
        self._on_rotation = on_rotation
        self._keys: Mapping[str, RSAKey] = {}
        self._tried_at = float("-inf")
        self._lock = asyncio.Lock()

    async def get(self, kid: str) -> RSAKey | None:
        """Return the key; None for one that the issuer does not publish.

        Raises Unavailable before the first successful fetch.
        """
        if kid not in self._keys and self._may_fetch(UNKNOWN_KEY_SECONDS if self._keys else FIRST_KEYS_SECONDS):
            await self.refresh()
        if not self._keys:
            text = "O provedor de identidade não respondeu. Tente de novo em instantes."
            raise Unavailable(text, code="identity-away", retry_after=1)
        return self._keys.get(kid)

    async def keep_fresh(self) -> None:
        """Refresh the keys at intervals, for the life of the process."""
        while True:
            await asyncio.sleep(REFRESH_SECONDS)
            await self.refresh()

    async def refresh(self) -> None:
        """Fetch the keys again; on any failure the known ones stay in use."""
        waited_since = time.monotonic()
        async with self._lock:
            if self._tried_at >= waited_since:
                return  # another request fetched them while this one waited for the lock
            try:
                keys = _select_signing_keys(await self._fetch())
            except (httpx.HTTPError, JoseError, ValueError, KeyError, TypeError) as failure:
                log.warning("identity.keys_not_refreshed", code=type(failure).__name__)
                return
            finally:
                # Counted from its end, so that whoever comes meanwhile waits for the keys instead of being refused.
                self._tried_at = time.monotonic()
            if keys.keys() != self._keys.keys():
                self._on_rotation()
            self._keys = keys

    def _may_fetch(self, pause: float) -> bool:
        return time.monotonic() - self._tried_at >= pause

    async def _fetch(self) -> Any:
        address = await self._discover() or f"{self.issuer}/protocol/openid-connect/certs"
        response = await self._client.get(address, timeout=FETCH_TIMEOUT)
        return response.raise_for_status().json()

    async def _discover(self) -> str | None:
        response = await self._client.get(f"{self.issuer}/.well-known/openid-configuration", timeout=FETCH_TIMEOUT)
        if response.status_code != httpx.codes.OK:
            return None
        found = response.json().get("jwks_uri")
        return found if isinstance(found, str) else None


def _select_signing_keys(document: Any) -> dict[str, RSAKey]:
    """Return the RSA signature keys of a JWKS document; a key of any other kind never verifies a token of ours."""
    usable = [key for key in document["keys"] if key.get("kty") == "RSA" and key.get("use", "sig") == "sig"]
    keys = KeySet.import_key_set({"keys": usable}).keys
    found = {key.kid: key for key in keys if isinstance(key, RSAKey) and key.kid}
    if not found:
        raise ValueError("no signing key")
    return found
