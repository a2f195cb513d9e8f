"""An access token from the client credentials grant, requested once and shared until shortly before it expires."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

# A token is replaced this long before it expires.
MARGIN_SECONDS = 60.0
# The lifetime that is assumed if the response states none, and the maximum for a stated lifetime.
LIFETIME_WHEN_UNKNOWN = 1_800.0
LONGEST_LIFETIME = 86_400.0


class RequestToken(Protocol):
    """A function that posts the form of the grant and returns the JSON object in the response, or raises an error."""

    async def __call__(self, form: Mapping[str, str]) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True, repr=False)
class Token:
    value: str
    instance_url: str
    use_until: float


class ClientCredentials:
    """The token of one client. Concurrent callers share one request for it."""

    def __init__(self, ask: RequestToken, client_id: str, client_secret: str) -> None:
        self._ask = ask
        self._form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}
        self._lock = asyncio.Lock()
        self._token: Token | None = None

    async def get(self) -> Token:
        """Return the current token.

        If it expires soon, request a new one. If the request fails, its error is raised.
        """
        async with self._lock:
            if self._token is None or self._token.use_until <= time.monotonic():
                self._token = _to_token(await self._ask(self._form))
            return self._token

    def discard(self, token: Token) -> None:
        """Discard a token that the called service refused with 401.

        The next `get` requests a new one, unless another caller already has.
        """
        if self._token is token:
            self._token = None


def _to_token(response: Mapping[str, Any]) -> Token:
    lifetime = response.get("expires_in")
    seconds = LIFETIME_WHEN_UNKNOWN
    if isinstance(lifetime, int | float) and not isinstance(lifetime, bool):
        seconds = min(float(lifetime), LONGEST_LIFETIME) - MARGIN_SECONDS
    return Token(
        value=str(response.get("access_token", "")),
        instance_url=str(response.get("instance_url") or "").rstrip("/"),
        use_until=time.monotonic() + seconds,
    )
